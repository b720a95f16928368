/* merged_input.h -- Merges the files of the command line to one recording.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusageprint/job/recording.h"
#include "memusageprint/job/settings.h"
#include "profile/merge/merge.h"

struct merged_input {
	struct merge merge;
	struct recording recording;	/* of one process; .merge is the one above */
	int result;	/* -1: a file was left out, after a warning */
	/* private */
	bool is_open;
};

/* merged_input_open -- Reads all files.
 *
 * m  overwritten, not to be moved; the caller calls merged_input_close() in any case.
 * Returns 0, or -1 after a warning: there is no process, or no room for temporary files.
 */
int merged_input_open(struct merged_input *m, const struct settings *settings);

/* merged_input_close -- Releases everything. */
void merged_input_close(struct merged_input *m);
