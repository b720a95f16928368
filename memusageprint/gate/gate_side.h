/* gate_side.h -- The figures of one run, as the conditions of a gate want them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

#include "memusageprint/job/input.h"
#include "memusageprint/job/recording.h"
#include "memusageprint/job/report_subject.h"
#include "memusageprint/job/settings.h"
#include "profile/budget/measure.h"
#include "profile/read/process_list.h"

/* A condition in a run: the figure of the process that has most. */
struct gate_measured {
	bool is_known;
	struct figure figure;
	uint32_t slot;		/* of that process */
	bool has_place;		/* a process has the function or module of the condition */
	struct mu_error why;	/* it is not known of any process */
};

struct gate_side {
	const struct settings *settings;
	struct input in;
	struct recording recording;
	struct process_list list;
	struct report_subject subject;	/* of gate_side_show() */
	struct weight *weight;		/* one per site of it; of gate_side_weigh() */
	struct sampled_error *error;	/* likewise; NULL: exact */
	struct gate_measured *measured;	/* one per condition */
};

/* gate_side_open -- Opens a recording and measures every condition.
 *
 * side  overwritten, not to be moved; gate_side_close() it in any case.
 * Returns 0, or -1 after a warning.
 */
int gate_side_open(struct gate_side *side, const char *file, const struct settings *settings);

/* gate_side_show -- Opens the process that has most, with names and without frames of run-times.
 *
 * condition  its number in the list of conditions; its figure is known.
 * Returns 0, or -1 after a warning.
 */
int gate_side_show(struct gate_side *side, size_t condition);

/* gate_side_weigh -- Computes what each place of that process has, into side->weight.
 *
 * Returns 0, or -1: the recording does not tell it.
 */
int gate_side_weigh(struct gate_side *side, const struct condition *c);

/* gate_side_process -- Returns "process 4711, ./prog 80" of a slot; the caller frees it. */
char *gate_side_process(const struct gate_side *side, uint32_t slot);

/* gate_side_close -- Releases everything. Accepts a zeroed struct. */
void gate_side_close(struct gate_side *side);
