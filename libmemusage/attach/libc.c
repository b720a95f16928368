/* libc.c -- what the recorder takes from libc, without libc.
 *
 * Locks of libc may be held by threads that are stopped, and ld.so has bound no symbol of this
 * library.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <link.h>
#include <stddef.h>
#include <stdint.h>

#include "libmemusage/attach/attached.h"
#include "libmemusage/base/export.h"

int *__errno_location(void);
unsigned long getauxval(unsigned long type);

HIDDEN char **environ;
HIDDEN char *program_invocation_short_name;
HIDDEN void *__libc_stack_end;

/* The recorder changes errno only where it replaces a function of libc. */
HIDDEN int *__errno_location(void)
{
	static int unused;

	return &unused;
}

HIDDEN unsigned long getauxval(unsigned long type)
{
	for (const uint64_t *pair = attached.auxv; pair[0]; pair += 2)
		if (pair[0] == type)
			return pair[1];
	return 0;
}

/* It would take the lock of ld.so's list. Where that is needed, unwinding goes by frame pointers:
 * before glibc 2.35. */
HIDDEN int dl_iterate_phdr(int (*visit)(struct dl_phdr_info *, size_t, void *), void *data)
{
	(void)visit, (void)data;
	return 0;
}
