/* environment.h -- variables of the environment without getenv().
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* environment_value -- return the value of a variable, NULL if there is none of that name.
 *
 * The text is in the environment, which the program may change: copy it. Not async-signal-safe;
 * from recorder_start() or the constructor.
 */
const char *environment_value(const char *name);
