/* mapped_recordings.h -- The recordings that a process has mapped, by its list of mappings.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* Maximum number of arenas that a process may have mapped. */
enum { CONTACT_ORPHANS = 4 };

struct mapped_recordings {
	bool is_readable;
	char arena[CONTACT_ORPHANS][40]; /* addresses of collectors' arenas */
	unsigned int arenas;
	char *file; /* file of a library that was preloaded without memusage, or NULL; the caller
		     * frees it */
	bool is_expected; /* a collector records the process: for the caller */
};

/* mapped_recordings_read -- Reads /proc/PID/maps. */
void mapped_recordings_read(struct mapped_recordings *m, pid_t pid);

/* mapped_recordings_open -- Opens the memory of a collector that is gone, as root may.
 *
 * addresses  of mapped_recordings_read(). They could be those of any file, even a device, so its
 *            type is checked first.
 * Returns a descriptor of memory that is sealed against truncation, or -1.
 */
int mapped_recordings_open(pid_t pid, const char *addresses);
