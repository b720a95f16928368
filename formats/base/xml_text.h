/* xml_text.h -- Text inside XML: between tags, and in attributes with double quotes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdio.h>

/* xml_text_put -- Writes a text with the characters escaped that mean something in XML.
 *
 * text  UTF-8 without control characters, as from utf8_clean(). U+FFFE and U+FFFF, which XML 1.0
 *       does not allow, become '?'.
 * Errors of OUT stay with it.
 */
void xml_text_put(FILE *out, const char *text);
