/* snapshot_file.h -- a snapshot as a file, made by memusageprint.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_RECORD_SNAPSHOT_FILE_H
#define MEMUSAGE_RECORD_SNAPSHOT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "memusage/record/live.h"
#include "memusage/record/live_snapshot.h"

/* How the file is to be made. */
struct snapshot_file {
	const char *name;
	int handed;		/* descriptor that is written in place of a file of that name; -1:
				 * none */
	bool is_xtree;		/* a tree in callgrind's form, else a massif.out */
	const char *desc;	/* what a massif.out says of the options */
	const char **option;	/* for memusageprint: of the run, then of this command line */
	size_t options;
	pid_t pid;
};

/* snapshot_file_execute -- become memusageprint, which makes the file.
 *
 * recording  descriptor of what live_snapshot_save() wrote.
 * Does not return; the status is not 0 after a message.
 */
__attribute__((noreturn)) void snapshot_file_execute(const struct snapshot_file *f, int recording);

/* snapshot_file_write -- write SHOTS to a file of that name, or to what was handed over.
 *
 * Returns 0, or -1 after a message, of ours or of memusageprint. Waits for that.
 */
int snapshot_file_write(const struct snapshot_file *f, const struct live_snapshots *shots,
			const struct live *l);

#endif
