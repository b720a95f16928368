/* outputs.h -- what is written at the end can be written, as far as that can be told at the start.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_REPORT_OUTPUTS_H
#define MEMUSAGE_REPORT_OUTPUTS_H

#include "memusage/options/settings.h"

/* outputs_check -- make sure, before the program runs, that its pictures and profiles can be made.
 *
 * Dies with a message if a file cannot be written, or if memusagestat is needed and is not there
 * or was built without the page. The data file and the recording have checks of their own, since
 * they are opened at once.
 */
void outputs_check(const struct settings *settings);

#endif
