/* recording_config.h -- What the recorder is to record, by the options.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/options/settings.h"
#include "recording/recording.h"

/* recording_config_make -- Returns the configuration of a segment for the options of a run.
 *
 * Asks for a counter of instructions if the options need one: dies if there is none.
 */
struct mu_config recording_config_make(const struct settings *s);
