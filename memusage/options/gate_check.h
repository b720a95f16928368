/* gate_check.h -- Checks that a run can be judged by its conditions.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/options/settings.h"

/* gate_check -- Refuses conditions that cannot be judged, before the program runs, and turns on
 * what they need. Does not return if there is one.
 *
 * tool    of the messages.
 * report  what is asked for of a single run, for people; NULL: nothing.
 */
void gate_check(struct settings *settings, const struct opt_tool *tool, const char *report);
