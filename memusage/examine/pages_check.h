/* pages_check.h -- Examines a process: what its resident memory is for.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/examine/snapshot.h"
#include "recording/pages.h"

struct pages_check_options {
	enum snapshot_kind snapshot;
	bool is_at_end; /* the process waits before it ends */
};

/* pages_check_run -- Examines a process, in a process of its own that does all the work.
 *
 * pid  in our PID namespace.
 * Returns the result as it is in a recording, to be freed, or NULL with ERR.
 */
struct mu_pages *pages_check_run(const struct live *l, pid_t pid,
				 const struct pages_check_options *o, struct mu_error *err);

/* pages_check_start -- Starts that process.
 *
 * fd  an empty file for its result, or the reason of a failure, which pages_check_read() reads.
 * Returns its process ID, or -1 with errno.
 */
pid_t pages_check_start(const struct live *l, pid_t pid, const struct pages_check_options *o,
			int fd);

/* pages_check_read -- Reads its result from the file when it has ended. As pages_check_run(). */
struct mu_pages *pages_check_read(int fd, struct mu_error *err);
