/* interpose_bytes.c -- memcpy and its kin: bytes by the number.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/hooks/next.h"

static size_t count_compared_bytes(const unsigned char *a, const unsigned char *b, size_t n)
{
	size_t i = 0;

	while (i < n && a[i] == b[i])
		i++;
	return i < n ? i + 1 : n;
}

EXPORT void *memcpy(void *to, const void *from, size_t n)
{
	copied(MU_COPY_MEMCPY, n);
	touch_read(from, n);
	touch_write(to, n);
	return NEXT(memcpy)(to, from, n);
}

EXPORT void *memmove(void *to, const void *from, size_t n)
{
	copied(MU_COPY_MEMMOVE, n);
	touch_read(from, n);
	touch_write(to, n);
	return NEXT(memmove)(to, from, n);
}

EXPORT void *mempcpy(void *to, const void *from, size_t n)
{
	copied(MU_COPY_MEMPCPY, n);
	touch_read(from, n);
	touch_write(to, n);
	return NEXT(mempcpy)(to, from, n);
}

EXPORT void *__mempcpy(void *to, const void *from, size_t n) __attribute__((alias("mempcpy")));

/* It copies by mempcpy inside. */
EXPORT void *memccpy(void *to, const void *from, int c, size_t n)
{
	void *end = NEXT(memccpy)(to, from, c, n);
	size_t bytes = end ? (size_t)((char *)end - (char *)to) : n;

	if (!copies.are_seen_inside)
		copied(MU_COPY_MEMCCPY, bytes);
	touch_read(from, bytes);
	touch_write(to, bytes);
	return end;
}

EXPORT void bcopy(const void *from, void *to, size_t n)
{
	copied(MU_COPY_BCOPY, n);
	touch_read(from, n);
	touch_write(to, n);
	NEXT(memmove)(to, from, n);
}

EXPORT void *memset(void *to, int byte, size_t n)
{
	touch_write(to, n);
	return NEXT(memset)(to, byte, n);
}

EXPORT void bzero(void *to, size_t n)
{
	touch_write(to, n);
	NEXT(memset)(to, 0, n);
}

EXPORT void explicit_bzero(void *to, size_t n)
{
	touch_write(to, n);
	NEXT(explicit_bzero)(to, n);
}

static void touch_compared(const void *a, const void *b, size_t n, int result)
{
	size_t bytes = result ? count_compared_bytes(a, b, n) : n;

	touch_read(a, bytes);
	touch_read(b, bytes);
}

EXPORT int memcmp(const void *a, const void *b, size_t n)
{
	int result = NEXT(memcmp)(a, b, n);

	if (is_touching())
		touch_compared(a, b, n, result);
	return result;
}

EXPORT int bcmp(const void *a, const void *b, size_t n) __attribute__((alias("memcmp")));

EXPORT void *memchr(const void *in, int c, size_t n)
{
	void *found = NEXT(memchr)(in, c, n);

	touch_read(in, found ? (size_t)((char *)found - (char *)in) + 1 : n);
	return found;
}

EXPORT void *memrchr(const void *in, int c, size_t n)
{
	void *found = NEXT(memrchr)(in, c, n);
	size_t skipped = found ? (size_t)((char *)found - (char *)in) : 0;

	touch_read((const char *)in + skipped, n - skipped);
	return found;
}

EXPORT void *rawmemchr(const void *in, int c)
{
	void *found = NEXT(rawmemchr)(in, c);

	touch_read(in, (size_t)((char *)found - (char *)in) + 1);
	return found;
}

EXPORT void *memmem(const void *in, size_t n, const void *what, size_t size)
{
	void *found = NEXT(memmem)(in, n, what, size);

	touch_read(in, found ? (size_t)((char *)found - (char *)in) + size : n);
	touch_read(what, size);
	return found;
}
