/* dhat.h -- The options of Valgrind's DHAT.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

#include "cli/options.h"
#include "memusage/options/massif.h"
#include "recording/recording.h"

/* In the order of the words of --time-unit, without those that only Massif has. */
enum dhat_time {
	DHAT_TIME_NS, DHAT_TIME_MS, DHAT_TIME_CPU, DHAT_TIME_B, DHAT_TIME_ALLOCS, DHAT_TIME_I
};

struct dhat_settings {
	bool is_wanted;		/* --dhat, or an option that implies it */
	const char *file;	/* file name pattern of the profile */
	unsigned int callers;	/* --num-callers */
	int time;		/* enum dhat_time */
	bool has_unit;		/* --time-unit gave one that Massif has, too */
};

/* dhat_reset -- Sets DHAT's defaults, but ns as the unit of time. */
void dhat_reset(struct dhat_settings *d);

/* dhat_out_file -- Parses --dhat-out-file; an opt_fn, data being the settings. */
const char *dhat_out_file(const struct opt *option, const char *arg, void *data);

/* The data of the options that DHAT and Massif share. */
struct dhat_and_massif {
	struct dhat_settings *dhat;
	struct massif_settings *massif;
};

/* dhat_time_unit -- Parses --time-unit; an opt_fn, data being a struct dhat_and_massif.
 *
 * A unit that Massif has applies to either tool; a unit that only DHAT has asks for DHAT.
 */
const char *dhat_time_unit(const struct opt *option, const char *arg, void *data);

/* dhat_tool -- Parses --tool, likewise. */
const char *dhat_tool(const struct opt *option, const char *arg, void *data);

/* dhat_configure -- Copies the settings to the recorder's configuration. */
void dhat_configure(struct mu_config *config, const struct dhat_settings *d);

/* dhat_unit_word -- Returns the word of --time-unit for memusageprint. */
const char *dhat_unit_word(const struct dhat_settings *d);
