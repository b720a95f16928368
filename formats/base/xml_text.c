/* xml_text.c -- Text inside XML: between tags, and in attributes with double quotes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/base/xml_text.h"

void xml_text_put(FILE *out, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		case '\xef':
			if (text[1] == '\xbf' && (text[2] == '\xbe' || text[2] == '\xbf')) {
				putc('?', out);
				text += 2;
				break;
			}
			__attribute__((fallthrough));
		default:
			putc(*text, out);
		}
	}
}
