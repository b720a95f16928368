/* leak_check.h -- Examines a process: which of its blocks are lost.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/examine/snapshot.h"
#include "recording/leaks.h"

struct leak_check_options {
	enum snapshot_kind snapshot;
	unsigned int heuristics; /* bits of LEAK_HEURISTIC_BIT() */
};

/* leak_check_run -- Examines a process, in a process of its own that does all the work.
 *
 * pid  in our PID namespace.
 * Returns the result as it is in a recording, to be freed, or NULL with ERR.
 */
struct mu_leak_check *leak_check_run(const struct live *l, pid_t pid,
				     const struct leak_check_options *o, struct mu_error *err);

/* leak_check_start -- Starts that process.
 *
 * fd  an empty file for its result, or the reason of a failure, which leak_check_read() reads.
 * Returns its process ID, or -1 with errno.
 */
pid_t leak_check_start(const struct live *l, pid_t pid, const struct leak_check_options *o, int fd);

/* leak_check_read -- Reads what it has left in its file when it has ended. As leak_check_run(). */
struct mu_leak_check *leak_check_read(int fd, struct mu_error *err);

/* leak_check_bytes -- Returns the bytes of a result with its losses. */
uint64_t leak_check_bytes(const struct mu_leak_check *c);
