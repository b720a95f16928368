/* dhat_summary.h -- The totals of a profile, as DHAT prints them at the end of a run.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdio.h>
#include <sys/types.h>

#include "formats/dhat.h"

/* dhat_summary_print -- Prints the totals of the profile of process PID. */
void dhat_summary_print(FILE *out, const struct dhat *d, pid_t pid);
