/* procmem.h -- The memory of a process as the kernel accounts for it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* In bytes. Fields that the kernel does not report are 0. */
struct procmem {
	uint64_t rss_anon, rss_file, rss_shmem;	/* resident */
	uint64_t swap;
	uint64_t rss_peak;	/* the highest that was ever resident */
	uint64_t data;		/* private and writable, resident or not */
	uint64_t stack;		/* of the main thread, resident or not */
	uint64_t threads;	/* a count */
};

/* procmem_open -- Returns a descriptor for procmem_read(), or -1 with errno.
 *
 * The descriptor still belongs to this process when its ID is reused. If the first thread has
 * ended, it is that of another one, and nothing can be read from it when that has ended, too.
 */
int procmem_open(pid_t pid);

/* procmem_read -- Reads the memory of the process. Cost about 20 us.
 *
 * Returns false if it has ended or is a zombie.
 * Source proc(5), /proc/PID/status; Linux 4.5 and later report the parts.
 */
bool procmem_read(int fd, struct procmem *m);
