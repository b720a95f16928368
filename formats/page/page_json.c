/* page_json.c -- write JSON that may stand inside an HTML page.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/page/page_json.h"

#include <inttypes.h>
#include <string.h>

#include "formats/json.h"

static void begin_value(struct page_json *j, const char *key)
{
	if (j->needs_comma)
		putc(',', j->out);
	j->needs_comma = true;
	if (key)
		fprintf(j->out, "\"%s\":", key);
}

void page_json_open(struct page_json *j, const char *key, char bracket)
{
	begin_value(j, key);
	putc(bracket, j->out);
	j->needs_comma = false;
}

void page_json_close(struct page_json *j, char bracket)
{
	putc(bracket, j->out);
	j->needs_comma = true;
}

void page_json_text(struct page_json *j, const char *key, const char *text)
{
	begin_value(j, key);
	if (!text) {
		fputs("null", j->out);
		return;
	}
	putc('"', j->out);
	json_put_characters(j->out, text, text + strlen(text), true);
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
	begin_value(j, key);
	head = character_start(text, max * 2 / 3);
	tail = character_start(text, length - max / 3);
	putc('"', j->out);
	json_put_characters(j->out, text, text + head, true);
	fprintf(j->out, "\xe2\x80\xa6[%zu bytes left out]\xe2\x80\xa6", tail - head);
	json_put_characters(j->out, text + tail, text + length, true);
	putc('"', j->out);
}

void page_json_int(struct page_json *j, const char *key, int64_t value)
{
	begin_value(j, key);
	fprintf(j->out, "%" PRId64, value);
}

void page_json_uint(struct page_json *j, const char *key, uint64_t value)
{
	begin_value(j, key);
	fprintf(j->out, "%" PRIu64, value);
}

void page_json_real(struct page_json *j, const char *key, double value)
{
	begin_value(j, key);
	fprintf(j->out, "%.6g", value == value && value < 1e300 && value > -1e300 ? value : 0);
}

void page_json_bool(struct page_json *j, const char *key, bool value)
{
	begin_value(j, key);
	fputs(value ? "true" : "false", j->out);
}
