/* merged_file.h -- All processes of several recordings as a recording of one process (--merge).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusagestat/settings.h"
#include "profile/merge/merge.h"

struct merged_file {
	struct merge merge;
	char *path;		/* of a nameless file: the recording, open until the end */
	char *name;		/* for people: "8 recordings" */
	const char *const *file;	/* the recordings; NULL: nameless ones */
	int result;		/* -1: one was left out, after a warning */
};

/* merged_file_open -- Merges the files of the command line.
 *
 * m  overwritten, not to be moved until merged_file_close().
 * Dies with a message if there is no process, or no room for temporary files.
 */
void merged_file_open(struct merged_file *m, const struct settings *settings);

/* merged_file_close -- Releases everything. */
void merged_file_close(struct merged_file *m);
