/* triggers.h -- what is asked for of snapshots that are taken by themselves: the options
 * --snapshot-signal, --snapshot-when and --snapshot-file.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_OPTIONS_TRIGGERS_H
#define MEMUSAGE_OPTIONS_TRIGGERS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/options.h"
#include "recording/triggers.h"

struct trigger_settings {
	int signal;			/* 0: none */
	uint64_t watch[MU_WATCHES];	/* as in a recording */
	const char *when[MU_WATCHES];	/* the same as typed */
	unsigned int count;
	const char *file;		/* pattern of the files' names */
};

/* triggers_reset -- nothing is asked for. */
void triggers_reset(struct trigger_settings *t);

/* triggers_wanted -- whether anything is. */
bool triggers_wanted(const struct trigger_settings *t);

/* triggers_watches -- whether a quantity is watched. */
bool triggers_watches(const struct trigger_settings *t, enum mu_watch kind);

/* triggers_signal, triggers_when -- take an option; each an opt_fn, data being the settings.
 *
 * A signal is a name, with or without SIG, or a number, of those that programs have for
 * themselves. A condition is QUANTITY>SIZE; a colon does for the sign, which shells take for
 * themselves.
 */
const char *triggers_signal(const struct opt *option, const char *arg, void *data);
const char *triggers_when(const struct opt *option, const char *arg, void *data);

#endif
