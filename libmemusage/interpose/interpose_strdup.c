/* interpose_strdup.c -- strdup and strndup of allocators.
 *
 * libc's call malloc, which records the copy. We jump to them, so that no frame of ours is in a
 * stack. mimalloc 3 brings its own, which do not: without these the copies would not be recorded,
 * and their frees be those of unknown blocks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <link.h>
#include <stdbool.h>
#include <string.h>

#include "libmemusage/base/export.h"
#include "libmemusage/base/lookup.h"
#include "libmemusage/base/real.h"
#include "libmemusage/interpose/next_strdup.h"
#include "libmemusage/interpose/returned_block.h"

/* The next ones in search order. */
static struct next_copiers {
	char *(*copy)(const char *text);
	char *(*copy_some)(const char *text, size_t length);
	bool are_of_libc;
} next;

static bool is_libc(const struct link_map *object)
{
	return object && lookup_in(object, "gnu_get_libc_version");
}

static void resolve_copiers(void)
{
	real_find(&next.copy, "strdup");
	real_find(&next.copy_some, "strndup");
	next.are_of_libc = is_libc(lookup_next_object("strdup")) &&
			   is_libc(lookup_next_object("strndup"));
}

static void redirect_copiers(uint64_t from, uint64_t to)
{
	if ((uint64_t)next.copy == from)
		memcpy(&next.copy, &to, sizeof(to));
	if ((uint64_t)next.copy_some == from)
		memcpy(&next.copy_some, &to, sizeof(to));
}

REAL_PART = { .resolve = resolve_copiers, .redirect = redirect_copiers };

static char *record_copy(char *copy, uint64_t sp)
{
	if (!next.are_of_libc)
		returned_block_record(MU_FN_MALLOC, copy, copy ? strlen(copy) + 1 : 0, sp);
	return copy;
}

char *next_strdup(const char *text, uint64_t sp)
{
	if (unlikely(!next.copy))
		real_resolve();
	return record_copy(next.copy(text), sp);
}

char *next_strndup(const char *text, size_t length, uint64_t sp)
{
	if (unlikely(!next.copy_some))
		real_resolve();
	return record_copy(next.copy_some(text, length), sp);
}

/* Weak, as hooks/ has other ones for the library that counts accesses. */
#define WEAK __attribute__((weak))

EXPORT WEAK char *strdup(const char *text)
{
	return likely(next.are_of_libc) ? next.copy(text) : next_strdup(text, hook_sp());
}

EXPORT WEAK char *strndup(const char *text, size_t length)
{
	return likely(next.are_of_libc) ? next.copy_some(text, length) :
					  next_strndup(text, length, hook_sp());
}
