/* page.h -- have memusagestat make the HTML page.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_REPORT_PAGE_H
#define MEMUSAGE_REPORT_PAGE_H

#include <sys/types.h>

#include "memusage/record/session.h"

/* page_make -- write the page of the session's recording.
 *
 * main  whose page, also %p in the name; 0: that of the process that was recorded first.
 * Waits for memusagestat. What goes wrong is told on standard error.
 */
void page_make(const struct session *s, pid_t main);

/* page_make_bands -- have memusagestat draw the bands of a process, as massif.PID.ps. */
void page_make_bands(const struct session *s, pid_t main);

#endif
