/* reports.h -- Have memusageprint make the reports that need function names.
 *
 * The collector links no library that reads debug information: it saves the recording in a file, of
 * which memusageprint makes all reports in one run.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <sys/types.h>

#include "memusage/record/session.h"
#include "memusage/report/report.h"

/* reports_look_ahead -- Starts a memusageprint that looks up the names of a live recording, for
 * later reports.
 *
 * fd  of the recording's shared memory.
 * Returns the child, which prints nothing, gives way to all other processes and ends with this one,
 * or -1.
 */
pid_t reports_look_ahead(const struct session *s, int fd);

/* reports_make -- Writes the profiles and prints the reports of the session's recording.
 *
 * s      s->record has s->record.images images; text goes to s->text.
 * r      gets a line that names the page.
 * first  images before this one have been reported; if it is not 0, no text is printed.
 * main   process of the text, 0: the one that was recorded first.
 * Waits for memusageprint; stops it if only text is wanted and the launcher is gone, because a key
 * has ended it. Reports failures on standard error.
 */
void reports_make(const struct session *s, struct report *r, unsigned int first, pid_t main);
