/* page_json.c -- write JSON that may stand inside an HTML page.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/page_json.h"

#include <inttypes.h>
#include <string.h>

#include "formats/utf8.h"

static void begin(struct page_json *j, const char *key)
{
	if (j->needs_comma)
		putc(',', j->out);
	j->needs_comma = true;
	if (key)
		fprintf(j->out, "\"%s\":", key);
}

void page_json_open(struct page_json *j, const char *key, char bracket)
{
	begin(j, key);
	putc(bracket, j->out);
	j->needs_comma = false;
}

void page_json_close(struct page_json *j, char bracket)
{
	putc(bracket, j->out);
	j->needs_comma = true;
}

static bool is_special(uint32_t code)
{
	return code < 0x20 || code == 0x7f || code == '<' || code == '>' || code == '&' ||
	       code == 0x2028 || code == 0x2029;
}

/* Up to END, which is at the beginning of a character. */
static void put_characters(FILE *out, const char *text, const char *end)
{
	while (text < end) {
		uint32_t code;
		int length = utf8_next(text, &code);

		if (length == 0)
			fputs("\\ufffd", out);
		else if (is_special(code))
			fprintf(out, "\\u%04" PRIx32, code);
		else if (code == '"' || code == '\\')
			fprintf(out, "\\%c", (int)code);
		else
			fwrite(text, 1, (size_t)length, out);
		text += length ? length : 1;
	}
}

void page_json_text(struct page_json *j, const char *key, const char *text)
{
	begin(j, key);
	if (!text) {
		fputs("null", j->out);
		return;
	}
	putc('"', j->out);
	put_characters(j->out, text, text + strlen(text));
	putc('"', j->out);
}

/* Back to the first byte of a character. */
static size_t character_start(const char *text, size_t at)
{
	for (int back = 0; back < 3 && at > 0 && ((unsigned char)text[at] & 0xc0) == 0x80; back++)
		at--;
	return at;
}

void page_json_text_cut(struct page_json *j, const char *key, const char *text, size_t max)
{
	size_t length = text ? strlen(text) : 0, head, tail;

	if (length <= max) {
		page_json_text(j, key, text);
		return;
	}
	begin(j, key);
	head = character_start(text, max * 2 / 3);
	tail = character_start(text, length - max / 3);
	putc('"', j->out);
	put_characters(j->out, text, text + head);
	fprintf(j->out, "\xe2\x80\xa6[%zu bytes left out]\xe2\x80\xa6", tail - head);
	put_characters(j->out, text + tail, text + length);
	putc('"', j->out);
}

void page_json_int(struct page_json *j, const char *key, int64_t value)
{
	begin(j, key);
	fprintf(j->out, "%" PRId64, value);
}

void page_json_uint(struct page_json *j, const char *key, uint64_t value)
{
	begin(j, key);
	fprintf(j->out, "%" PRIu64, value);
}

void page_json_real(struct page_json *j, const char *key, double value)
{
	begin(j, key);
	fprintf(j->out, "%.6g", value == value && value < 1e300 && value > -1e300 ? value : 0);
}

void page_json_bool(struct page_json *j, const char *key, bool value)
{
	begin(j, key);
	fputs(value ? "true" : "false", j->out);
}
