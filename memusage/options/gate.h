/* gate.h -- The options that judge a run: --fail-if, --budget, --baseline, --ci.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

#include "cli/options.h"
#include "formats/gate/gate_names.h"
#include "profile/budget/condition_list.h"

struct gate_settings {
	struct condition_list conditions;	/* those of budget files, too */
	struct opt_list baseline;
	struct opt_list ci;		/* "FORMAT:FILE", or "github" */
	unsigned int runs;		/* of the program, 0: one */
	bool is_part;			/* this is one of them: it is recorded, and not judged */
};

/* gate_add -- Handles --fail-if and, with a constant that is not 0, --budget. */
const char *gate_add(const struct opt *option, const char *arg, void *data);

/* gate_add_ci -- Handles --ci. */
const char *gate_add_ci(const struct opt *option, const char *arg, void *data);

#define GATE_OPTIONS(g) \
	OPT_GROUP("Limits (docs/ci.md)"), \
	OPT_CALL(0, "fail-if", "CONDITION", gate_add, &(g).conditions, \
		 "end with status 100 if CONDITION is true of the run: 'heap peak > 64M', " \
		 "'leaks > 0', 'calls at parse > 10k', 'heap peak > +5%'; repeatable"), \
	{ .kind = OPT_KIND_CALL, .name = "budget", .arg = "FILE", .constant = 1, \
	  .value = &(g).conditions, .call = gate_add, \
	  .help = "the same with the conditions in FILE, one on each line" }, \
	OPT_LIST(0, "baseline", "RECORDING", &(g).baseline, \
		 "recording of an earlier run, with which +5% and +1M compare; repeatable"), \
	OPT_UINT(0, "runs", "N", &(g).runs, 2, 1000, \
		 "run the program N times, show the least, median and most of its figures, and " \
		 "judge all runs: a condition is broken if each of them breaks it"), \
	OPT_CALL(0, "ci", GATE_NAMES_WORDS, gate_add_ci, &(g).ci, \
		 "annotate the log of a job of GitHub (which is recognised by itself), or write " \
		 "what was found to FILE, as in --ci=junit:FILE; repeatable")

/* gate_wanted -- Tells whether the run is judged. */
bool gate_wanted(const struct gate_settings *g);

/* gate_needs_leak_check -- Tells whether a condition is about lost blocks. */
bool gate_needs_leak_check(const struct gate_settings *g);

/* gate_append -- Appends the options to a command line of memusageprint. */
void gate_append(struct opt_list *list, const struct gate_settings *g);
