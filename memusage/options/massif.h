/* massif.h -- The options of Valgrind's Massif and of Valgrind's core.
 *
 * Options about recording go into a struct mu_config; options about reports go to memusageprint as
 * they were typed. Ranges and defaults are Massif's, except the unit of time, which is ms.
 *
 * Source  manual of Valgrind 3.19, Massif and core; docs/compat.md.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cli/options.h"

/* In the order of the words of --time-unit. */
enum massif_time { MASSIF_TIME_I, MASSIF_TIME_MS, MASSIF_TIME_B };

/* massif_reset() zeroes what has no default. */
struct massif_settings {
	bool is_wanted;		/* --massif */
	bool is_given;		/* an option of Massif's was given */
	bool is_meant;		/* ... that no other report has */
	const char *file;	/* file name pattern of the profile */
	unsigned int admin;	/* bytes charged per block */
	unsigned int depth;	/* frames shown */
	unsigned int alignment;	/* bytes */
	unsigned int detailed_freq;
	unsigned int max_snapshots;
	double peak_inaccuracy;	/* percent */
	int time;		/* enum massif_time */
	bool stacks;		/* snapshots have the depth of the stacks */
	bool pages;		/* the heap is the mapped pages, not the blocks */
	bool has_ignored;	/* --ignore-fn */
	bool is_verbose;	/* --stats=yes */
	bool is_talkative;	/* -v -v */
	const char *log_file;
	int xtree;		/* enum xtree_kind: --xtree-memory */
	const char *xtree_file;	/* file name pattern; NULL: the default */
	struct opt_list report;	/* options for memusageprint in order: "--depth=3" */
	char *desc;		/* " --depth=3 ...", as in Massif's files; NULL: none */
};

/* massif_reset -- Sets Massif's defaults. */
void massif_reset(struct massif_settings *m);

/* massif_talks -- Tells whether to print lines like those of Massif's -v -v or --stats=yes. */
bool massif_talks(const struct massif_settings *m);

/* massif_option -- Parses one of Massif's options, by its name; an opt_fn, data being the
 * settings. */
const char *massif_option(const struct opt *option, const char *arg, void *data);

/* massif_core_option -- Parses an option of Valgrind's core; an opt_fn likewise.
 *
 * Accepts those that make no difference here, and refuses others with a reason.
 */
const char *massif_core_option(const struct opt *option, const char *arg, void *data);

/* massif_may_pass -- Tells whether the recorded run may choose the option TEXT ("--depth=3") for a
 * client that asks for its snapshot.
 *
 * Only options of a fixed list may pass. None of them names a file, a program or an address, and
 * their values are validated as usual.
 */
bool massif_may_pass(const char *text);

/* Rows of the option table: the option's name, the name of its argument, its help. */
#define MASSIF_OPTION(data, n, a, h) OPT_CALL(0, n, a, massif_option, data, h)
#define MASSIF_CORE(data, n) \
	{ .kind = OPT_KIND_CALL, .name = n, .arg = "VALUE", .value = data, \
	  .call = massif_core_option, .help = "an option of Valgrind's", .hidden = true }
