/* cgroup.h -- How much of its memory limit a control group uses, and whether it is frozen.
 *
 * Versions 1 and 2; the limits of all groups above count, too, if they are visible here.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { CGROUP_LEVELS = 16 };

/* The groups with a limit, the innermost first. */
struct cgroup {
	unsigned int count;
	struct cgroup_level {
		int usage, limit, stat; /* descriptors */
	} level[CGROUP_LEVELS];
	bool is_first_version;
};

/* The group that uses the largest part of its limit. Bytes. */
struct cgroup_use {
	uint64_t used;	/* without pages of files that were not used for a while: they can go */
	uint64_t limit;
	unsigned int percent;
};

/* cgroup_open -- Finds the groups of process PID that have a memory limit now.
 *
 * Limits that are set later are not seen, others are read each time.
 * Returns whether there is one; call cgroup_close() in either case.
 */
bool cgroup_open(struct cgroup *c, pid_t pid);

/* cgroup_open_texts -- The same for the contents of /proc/PID/cgroup and /proc/PID/mountinfo. */
bool cgroup_open_texts(struct cgroup *c, const char *groups, const char *mounts);

/* cgroup_read -- Reads the use. Returns false if no limit can be read any more.
 *
 * about  percentage from which `used` has to be exact: below it inactive pages of files count, too,
 *        because they cost a file of statistics to tell, 8 us.
 * least  bytes in the group that are known not to be pages of files: statistics may be two seconds
 *        old, while the group itself is always up to date.
 */
bool cgroup_read(const struct cgroup *c, unsigned int about, uint64_t least,
		 struct cgroup_use *use);

/* cgroup_is_frozen -- Tells whether the control group of process PID is frozen.
 *
 * Only version 2 can tell, if its files are visible here. Cost three files, 0.1 ms.
 * Source  cgroup-v2.rst, cgroup.events.
 */
bool cgroup_is_frozen(pid_t pid);

/* cgroup_close -- Closes all files. C may be zeroed, and closed twice. */
void cgroup_close(struct cgroup *c);
