/* leaks.h -- The options of leak checks: Memcheck's.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

#include "cli/options.h"

/* In the order of the words of --leak-check; "yes" is "full". */
enum leak_check_word { LEAKS_NO, LEAKS_SUMMARY, LEAKS_YES, LEAKS_FULL };

#define LEAK_TREE_FILE "xtleak.kcg.%p"

struct leak_settings {
	int check;		 /* enum leak_check_word */
	const char *kinds;	 /* sets, as typed; NULL: the default */
	const char *errors;
	unsigned int heuristics; /* bits of LEAK_HEURISTIC_BIT() */
	int resolution;		 /* in the order of low|med|high */
	unsigned int error_status; /* of memusage if there are errors, 0: the program's */
	int forks;		 /* in the order of no|yes */
	bool has_tree;		 /* --xtree-leak */
	const char *tree_file;	 /* file name pattern */
	int snapshot;		 /* enum snapshot_kind: of a process that runs */
};

/* leaks_reset -- Sets Memcheck's defaults. */
void leaks_reset(struct leak_settings *l);

/* leaks_set -- Parses a set of words; an opt_fn, data being the settings. */
const char *leaks_set(const struct opt *option, const char *arg, void *data);

/* leaks_settle -- Draws the conclusions from all options together, after the last one: a tree has
 * all loss records, and needs the check. */
void leaks_settle(struct leak_settings *l);

/* leaks_wanted -- Tells whether the program is to be examined at its end. */
bool leaks_wanted(const struct leak_settings *l);

/* leaks_append_report -- Appends the options for memusageprint. */
void leaks_append_report(struct opt_list *list, const struct leak_settings *l);

/* leaks_append_tree -- Appends those of the tree, if it is wanted: each process has one, but not
 * each has a text. */
void leaks_append_tree(struct opt_list *list, const struct leak_settings *l);

/* The rows of the table of options. */
#define LEAK_OPTIONS(l)                                                                            \
	OPT_GROUP("Leak check (Memcheck's options)"),                                              \
	OPT_ENUM(0, "leak-check", "no|summary|yes|full", &(l).check,                               \
		 "examine when the program ends which blocks nothing points to any more: not at "  \
		 "all (default), as a summary, or with the call stacks (yes, full)"),              \
	OPT_CALL(0, "show-leak-kinds", "SET", leaks_set, &(l),                                     \
		 "show the stacks of blocks that are definite, indirect, possible, reachable "     \
		 "(default definite,possible), or all"),                                           \
	OPT_CALL(0, "errors-for-leak-kinds", "SET", leaks_set, &(l),                               \
		 "count these as errors (default definite,possible)"),                             \
	OPT_UINT(0, "error-exitcode", "N", &(l).error_status, 0, 255,                              \
		 "end with status N if there are such errors (default 0: as the program)"),        \
	OPT_CALL(0, "leak-check-heuristics", "SET", leaks_set, &(l),                               \
		 "accept pointers into blocks that are stdstring, length64, newarray or "          \
		 "multipleinheritance (default all), or none; and header: behind one that all "    \
		 "blocks of a place have"),                                                        \
	OPT_ENUM(0, "leak-resolution", "low|med|high", &(l).resolution,                            \
		 "tell stacks apart by 2, 4, or all of their frames (default high)"),              \
	OPT_ENUM(0, "leak-check-forks", "no|yes", &(l).forks,                                      \
		 "examine forked processes when they end, too, and report on them (default no)"),  \
	OPT_CALL(0, "xtree-leak", "no|yes", leaks_set, &(l),                                       \
		 "write the loss records of all kinds as a call tree for kcachegrind in place of " \
		 "printing them (default no)"),                                                    \
	OPT_CALL(0, "xtree-leak-file", "FILE", leaks_set, &(l),                                    \
		 "write that tree to FILE (default " LEAK_TREE_FILE ")"),                          \
	OPT_ENUM(0, "snapshot", "fork|stop", &(l).snapshot,                                        \
		 "with --pid=PID leak_check: look at a copy of the process (default), or at the "  \
		 "process itself, which stands still meanwhile")
