/* page.h -- Have memusagestat write the HTML page.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_REPORT_PAGE_H
#define MEMUSAGE_REPORT_PAGE_H

#include <sys/types.h>

#include "memusage/record/session.h"

/* page_make -- Writes the page of the session's recording, and waits for memusagestat.
 *
 * main  process of the page, also %p in its name; 0: the process that was recorded first.
 * Reports failures on standard error.
 */
void page_make(const struct session *s, pid_t main);

/* page_make_bands -- Has memusagestat draw the bands of a process, as massif.PID.ps. */
void page_make_bands(const struct session *s, pid_t main);

#endif
