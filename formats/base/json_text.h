/* json_text.h -- Texts as JSON strings.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* json_put_characters -- Prints a part of a text as the inside of a JSON string.
 *
 * end      where it ends, at the beginning of a character or at its final zero.
 * in_html  also escapes characters with a meaning in HTML or old JavaScript. Invalid UTF-8 becomes
 *          U+FFFD.
 */
void json_put_characters(FILE *out, const char *text, const char *end, bool in_html);

/* json_put_string -- Prints a text as a JSON string. Invalid UTF-8 becomes U+FFFD. */
void json_put_string(FILE *out, const char *text);

/* json_put_field -- Prints "key":"text", with the comma behind it. */
void json_put_field(FILE *out, const char *key, const char *text);
