/* next.c -- finding the real functions, and how many bytes they look at.
 *
 * The recorder's own objects call memcpy and its kin, too: in this library those calls are
 * renamed at link time to own_memcpy and so on, which count nothing (GNUmakefile).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/hooks/next.h"

#include "libmemusage/base/lookup.h"

struct next_libc next_functions;

static void find_next_function(void *place, const char *name)
{
	void *found = lookup_next(name);

	__atomic_store_n((void **)place, found, __ATOMIC_RELEASE);
}

/* memcpy, which tells that all are there, comes last. memmove does what the oldest memcpy did for
 * programs linked against it, and is the same code where it matters. */
void next_resolve(void)
{
	struct next_libc found;

	if (__atomic_load_n(&next_functions.memcpy, __ATOMIC_ACQUIRE))
		return;
#define NEXT_FIND(name) find_next_function(&found.name, #name);
	NEXT_ALL(NEXT_FIND)
#undef NEXT_FIND
	__typeof__(&memcpy) last = (__typeof__(&memcpy))found.memmove;
	found.memcpy = NULL;
	own_memcpy(&next_functions, &found, sizeof(found));
	__atomic_store_n(&next_functions.memcpy, last, __ATOMIC_RELEASE);
}

size_t text_bytes(const char *text, size_t most)
{
	size_t length = NEXT(strnlen)(text, most);

	return length < most ? length + 1 : length;
}

size_t wide_bytes(const wchar_t *text, size_t most)
{
	size_t length = NEXT(wcsnlen)(text, most);

	return (length < most ? length + 1 : length) * sizeof(wchar_t);
}

static int lower_case(int c)
{
	return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

size_t same_bytes(const char *a, const char *b, size_t most, bool folds_case)
{
	size_t i = 0;

	while (i < most && a[i] &&
	       (folds_case ? lower_case((unsigned char)a[i]) == lower_case((unsigned char)b[i])
			   : a[i] == b[i]))
		i++;
	return i < most ? i + 1 : i;
}

void touch_copied_text(enum mu_copy which, void *to, size_t written, const void *from,
		       size_t bytes, uint64_t sp)
{
	if (copies.are_on)
		copies_event(which, bytes, sp);
	touch_read(from, bytes);
	touch_write(to, written);
}

void touch_joined(char *to, const char *from, size_t n)
{
	size_t length = NEXT(strlen)(to), added = NEXT(strnlen)(from, n);

	touch_read(to, length + 1);
	touch_read(from, added < n ? added + 1 : n);
	touch_write(to + length, added + 1);
}

void touch_joined_wide(wchar_t *to, const wchar_t *from, size_t n)
{
	size_t length = NEXT(wcslen)(to), added = NEXT(wcsnlen)(from, n);

	touch_read(to, (length + 1) * WIDE);
	touch_read(from, (added < n ? added + 1 : n) * WIDE);
	touch_write(to + length, (added + 1) * WIDE);
}
