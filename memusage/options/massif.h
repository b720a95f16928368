/* massif.h -- the options of Valgrind's Massif, and those of its core that go with them.
 *
 * What they mean for the recording goes into a struct mu_config; what they mean for the
 * reports is handed on to memusageprint as it was typed. Ranges and defaults are Massif's, but
 * for the unit of time, which is ms.
 *
 * Source  manual of Valgrind 3.19, Massif and core; docs/compat.md.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_OPTIONS_MASSIF_H
#define MEMUSAGE_OPTIONS_MASSIF_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/options.h"

/* In the order of the words of --time-unit. */
enum massif_time { MASSIF_TIME_I, MASSIF_TIME_MS, MASSIF_TIME_B };

/* Zeroed by massif_reset(), but for the defaults. */
struct massif_settings {
	bool is_wanted;		/* --massif */
	bool is_given;		/* an option of Massif's was given */
	bool is_meant;		/* ... one that no other report has */
	const char *file;	/* pattern of the profile's name */
	unsigned int admin;	/* bytes charged per block */
	unsigned int depth;	/* frames shown */
	unsigned int alignment;	/* bytes */
	unsigned int detailed_freq;
	unsigned int max_snapshots;
	double peak_inaccuracy;	/* percent */
	int time;		/* enum massif_time */
	bool stacks;		/* the depth of stacks is to be in snapshots */
	bool pages;		/* pages that are mapped are the heap, blocks are not */
	bool no_heap;
	bool has_ignored;	/* --ignore-fn */
	bool is_verbose;	/* --stats=yes */
	bool is_talkative;	/* -v -v */
	const char *log_file;
	int xtree;		/* enum xtree_kind: --xtree-memory */
	const char *xtree_file;	/* pattern of its file's name, NULL: the usual one */
	struct opt_list report;	/* options for memusageprint: "--depth=3", in order */
	char *desc;		/* " --depth=3 ...": as Massif's files name them; NULL: none */
};

/* massif_reset -- Massif's defaults. */
void massif_reset(struct massif_settings *m);

/* massif_talks -- whether lines like those of Massif's -v -v or --stats=yes are to be printed. */
bool massif_talks(const struct massif_settings *m);

/* massif_option -- take one of Massif's options; an opt_fn, data being the settings.
 *
 * What the option is follows from its name.
 */
const char *massif_option(const struct opt *option, const char *arg, void *data);

/* massif_core_option -- take an option of Valgrind's core; an opt_fn likewise.
 *
 * Those that make no difference here are accepted, others are refused with a reason.
 */
const char *massif_core_option(const struct opt *option, const char *arg, void *data);

/* massif_may_pass -- whether TEXT ("--depth=3") is an option that a run may choose for whoever asks
 * for a snapshot of it.
 *
 * Those are on a fixed list, which has none that names a file, a program or an address, and their
 * values are those that the option takes.
 */
bool massif_may_pass(const char *text);

/* Rows of the option table: NAME, what its argument is called, its help. */
#define MASSIF_OPTION(data, n, a, h) OPT_CALL(0, n, a, massif_option, data, h)
#define MASSIF_CORE(data, n) \
	{ .kind = OPT_KIND_CALL, .name = n, .arg = "VALUE", .value = data, \
	  .call = massif_core_option, .help = "an option of Valgrind's", .hidden = true }

#endif
