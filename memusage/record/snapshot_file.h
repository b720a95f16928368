/* snapshot_file.h -- Have memusageprint write the file of a snapshot.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "cli/options.h"
#include "memusage/record/live.h"
#include "memusage/record/live_snapshot.h"

/* The properties of the file. */
struct snapshot_file {
	const char *name;
	int output_fd;	     /* descriptor to write to instead of the named file; -1: none */
	bool is_xtree;	     /* a tree in callgrind's format, else a massif.out */
	const char *desc;    /* the options that a massif.out lists */
	const struct opt_list *options; /* for memusageprint: of the run, then of this command */
	pid_t pid;
};

/* snapshot_file_execute -- Executes memusageprint, which writes the file.
 *
 * recording  descriptor of the output of live_snapshot_save().
 * Does not return; the exit status is not 0 after a message.
 */
__attribute__((noreturn)) void snapshot_file_execute(const struct snapshot_file *f, int recording);

/* snapshot_file_write -- Writes SHOTS to the named file or the descriptor, and waits for
 * memusageprint.
 *
 * Returns 0, or -1 after a message of memusage or memusageprint.
 */
int snapshot_file_write(const struct snapshot_file *f, const struct live_snapshots *shots,
			const struct live *l);
