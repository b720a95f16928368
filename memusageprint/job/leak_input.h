/* leak_input.h -- The leak checks of an image, ready to be reported on.
 *
 *	leak_input_read(&in, s, settings);
 *	for (size_t i = 0; i < in.all.count; i++) {
 *		leak_input_select(&in, i);
 *		leak_report_write(out, &in.report);
 *	}
 *	leak_input_free(&in);
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "formats/leaks/leak_input.h"
#include "memusageprint/job/report_subject.h"

struct leak_input {
	struct leak_checks all;
	struct leak_report report; /* its check is NULL until one is selected */
	struct leak_heap heap;	   /* private */
	bool is_full;		   /* private */
};

/* leak_input_read -- Reads the checks of an image, and what all of their reports have in common.
 *
 * s  open, and so until leak_input_free().
 */
void leak_input_read(struct leak_input *in, struct report_subject *s,
		     const struct settings *settings);

/* leak_input_select -- Makes in->report be about check I. If that is a list, it is about the check
 * before, whose records the list is about. */
void leak_input_select(struct leak_input *in, size_t i);

/* leak_input_has_tree -- Tells whether --xtree-leak writes the records of the selected check: one
 * at the end of the process, or one that a client has just asked for; and there are blocks. */
bool leak_input_has_tree(const struct leak_input *in);

/* leak_input_free -- Releases everything. */
void leak_input_free(struct leak_input *in);
