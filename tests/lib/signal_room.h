/* signal_room.h -- How much room a signal needs on its stack.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

/* bytes_of_signal -- Returns how many bytes the kernel writes there at most, on this CPU. */
static inline size_t bytes_of_signal(void)
{
	const long least = 2048; /* MINSIGSTKSZ is no constant in newer versions */
#ifdef _SC_MINSIGSTKSZ
	const long bytes = sysconf(_SC_MINSIGSTKSZ);
#else
	const long bytes = 8192 + least; /* glibc before 2.34 does not tell; AMX takes 8 KiB */
#endif

	return (size_t)(bytes > least ? bytes : least);
}
