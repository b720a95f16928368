/* triggers.h -- The options of automatic snapshots: --snapshot-signal, --snapshot-when and
 * --snapshot-file.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "cli/options.h"
#include "recording/triggers.h"

struct trigger_settings {
	int signal;			/* 0: none */
	uint64_t watch[MU_WATCHES];	/* as in a recording */
	const char *when[MU_WATCHES];	/* the same as typed */
	unsigned int count;
	const char *file;		/* file name pattern */
};

/* triggers_reset -- Sets the defaults: no automatic snapshots. */
void triggers_reset(struct trigger_settings *t);

/* triggers_wanted -- Tells whether any automatic snapshot is wanted. */
bool triggers_wanted(const struct trigger_settings *t);

/* triggers_watches -- Tells whether a quantity is watched. */
bool triggers_watches(const struct trigger_settings *t, enum mu_watch kind);

/* triggers_signal, triggers_when -- Parse an option; each an opt_fn, data being the settings.
 *
 * A signal is one that programs may use freely, by its name (with or without SIG) or its number. A
 * condition is QUANTITY>SIZE or QUANTITY:SIZE, since > redirects output in a shell.
 */
const char *triggers_signal(const struct opt *option, const char *arg, void *data);
const char *triggers_when(const struct opt *option, const char *arg, void *data);
