/* reports.h -- have memusageprint make the reports that need names of functions.
 *
 * The collector links no library that reads debug information: the recording is kept in a file,
 * and memusageprint makes everything of it that was asked for, in one run.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_REPORT_REPORTS_H
#define MEMUSAGE_REPORT_REPORTS_H

#include <sys/types.h>

#include "memusage/record/session.h"

/* reports_reset_signals -- before an exec: what the collector ignores, its child would too. */
void reports_reset_signals(void);

/* reports_make -- write the profiles and print the reports of the session's recording.
 *
 * s      s->record holds s->record.images images; text goes to s->text.
 * first  images before this one have been done; if it is not 0, no text is printed.
 * main   whose places the text is about, 0: that of the process that was recorded first.
 * Waits for memusageprint; stops it if only text is wanted and the launcher is gone: a key has
 * ended it. What goes wrong is told on standard error.
 */
void reports_make(const struct session *s, unsigned int first, pid_t main);

#endif
