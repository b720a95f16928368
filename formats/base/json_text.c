/* json_text.c -- Texts as JSON strings.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/base/json_text.h"

#include <inttypes.h>
#include <string.h>

#include "formats/base/utf8.h"

static bool needs_escape(uint32_t code, bool in_html)
{
	if (code < 0x20 || code == 0x7f)
		return true;
	return in_html && (code == '<' || code == '>' || code == '&' || code == 0x2028 ||
			   code == 0x2029);
}

void json_put_characters(FILE *out, const char *text, const char *end, bool in_html)
{
	while (text < end) {
		uint32_t code;
		int length = utf8_next(text, &code);

		if (length == 0)
			fputs("\\ufffd", out);
		else if (needs_escape(code, in_html))
			fprintf(out, "\\u%04" PRIx32, code);
		else if (code == '"' || code == '\\')
			fprintf(out, "\\%c", (int)code);
		else
			fwrite(text, 1, (size_t)length, out);
		text += length ? length : 1;
	}
}

void json_put_string(FILE *out, const char *text)
{
	putc('"', out);
	json_put_characters(out, text, text + strlen(text), false);
	putc('"', out);
}

void json_put_field(FILE *out, const char *key, const char *text)
{
	fprintf(out, "\"%s\":", key);
	json_put_string(out, text);
	putc(',', out);
}
