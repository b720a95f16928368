/* html.h -- Writes the report as one HTML page.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusagestat/settings.h"

/* html_run -- Writes settings->html from settings->input, which may be of any kind.
 *
 * Dies if the input cannot be read. Returns 0, or -1 after a warning if the page could not be
 * written.
 */
int html_run(const struct settings *settings);
