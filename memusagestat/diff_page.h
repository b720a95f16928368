/* diff_page.h -- Loads what the HTML page of two files shows.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

#include "memusagestat/settings.h"

struct diff_page;
struct page_json;
struct page_budget;

/* diff_page_open -- Reads settings->old_input and settings->input, and matches their stacks.
 *
 * Returns what diff_page_free() releases. Dies with a message if a file cannot be read, or if they
 * tell no metric in common.
 */
struct diff_page *diff_page_open(const struct settings *s);

/* diff_page_is_cut -- Tells whether a file ends too early. */
bool diff_page_is_cut(const struct diff_page *p);

/* diff_page_fill -- The fill of struct page; DATA is a struct diff_page. */
void diff_page_fill(struct page_json *j, const void *data, const struct page_budget *b);

/* diff_page_free -- Releases everything. */
void diff_page_free(struct diff_page *p);
