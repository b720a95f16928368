/* older_libc.h -- Functions that glibc has since 2.34, for older ones.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#if !__GLIBC_PREREQ(2, 34)

/* _Fork -- Forks, with handlers of pthread_atfork(): a raw clone would not tell libc the new ID. */
static inline pid_t _Fork(void)
{
	return fork();
}

/* close_range -- Closes the descriptors from FIRST to LAST. */
static inline int close_range(unsigned int first, unsigned int last, int flags)
{
	return (int)syscall(__NR_close_range, first, last, flags);
}

/* closefrom -- Closes FIRST and all descriptors above it, of 4096. */
static inline void closefrom(int first)
{
	if (close_range((unsigned int)first, ~0u, 0) != 0) {
		for (int fd = first; fd < 4096; fd++)
			close(fd);
	}
}

#endif
