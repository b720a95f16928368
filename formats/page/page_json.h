/* page_json.h -- Writes JSON that is safe inside an HTML page.
 *
 * Commas are automatic. Characters that would end a <script> element or a line of JavaScript are
 * escaped: <, >, &, U+2028 and U+2029; invalid UTF-8 becomes U+FFFD. The stream keeps its errors.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct page_json {
	FILE *out;
	bool needs_comma;	/* private */
};

/* page_json_open -- begin an object ('{') or array ('['). KEY is NULL in arrays, and must be a
 * literal of harmless characters everywhere below. */
void page_json_open(struct page_json *j, const char *key, char bracket);

/* page_json_close -- end it, with '}' or ']'. */
void page_json_close(struct page_json *j, char bracket);

/* page_json_text -- a text; NULL is written as null. */
void page_json_text(struct page_json *j, const char *key, const char *text);

/* page_json_text_cut -- the same, but not more than MAX bytes, at least 16: of a longer one the
 * beginning and the end, with a mark in between that says how much is missing. */
void page_json_text_cut(struct page_json *j, const char *key, const char *text, size_t max);

/* page_json_int, page_json_uint, page_json_real, page_json_bool -- a value. */
void page_json_int(struct page_json *j, const char *key, int64_t value);
void page_json_uint(struct page_json *j, const char *key, uint64_t value);
void page_json_real(struct page_json *j, const char *key, double value);
void page_json_bool(struct page_json *j, const char *key, bool value);
