/* pictures.h -- Have memusagestat draw the run and write the HTML page.
 *
 * Each function waits for the memusagestat that is installed next to this program, and reports
 * failures on standard error.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <sys/types.h>

#include "memusage/record/session.h"
#include "memusage/report/report.h"

/* pictures_draw -- Draws the picture of --png.
 *
 * data  the data file; "" for a nameless one.
 * fd    of the nameless file.
 */
void pictures_draw(const struct settings *settings, const char *data, int fd);

/* pictures_name -- Returns FILE, with the suffix ".png" if it is missing; to be freed. */
char *pictures_name(const char *file);

/* pictures_page -- Writes the page of the session's recording.
 *
 * r     gets a line that names the page, unless the page is standard output.
 * main  process of the program: %p in its name; 0: it was not recorded. The page itself is about
 *       the process that held most.
 */
void pictures_page(const struct session *s, struct report *r, pid_t main);

/* pictures_bands -- Draws the bands of a process, as massif.PID.ps. */
void pictures_bands(const struct session *s, pid_t main);
