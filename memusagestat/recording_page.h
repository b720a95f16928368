/* recording_page.h -- What the HTML page of a recording shows: the process that held most, and the
 * next ones, among which the reader chooses.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

#include "formats/page/page.h"
#include "memusagestat/settings.h"

struct recording_page;

/* recording_page_open -- Loads the processes of the recording FILE.
 *
 * s  its pid counts: that process alone then; 0: the one that held most, and at most 7 of those
 *    whose peaks are at least a 64th of its own.
 * Dies with a message if there is nothing to show.
 */
struct recording_page *recording_page_open(const char *file, const struct settings *s);

/* recording_page_is_cut -- Tells whether the end of the file is missing. */
bool recording_page_is_cut(const struct recording_page *p);

/* recording_page_fill -- Writes the members of the page; the fill of struct page.
 *
 * data  a struct recording_page.
 */
void recording_page_fill(struct page_json *j, const void *data, const struct page_budget *b);

/* recording_page_free -- Releases everything. */
void recording_page_free(struct recording_page *p);
