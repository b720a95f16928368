/* terminal.c -- what a terminal may be given to show.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cli/terminal.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/units.h"

/* How many bytes a character has that begins so, 0 if none does; and between which bounds the
 * second one is: so there are no surrogates, nothing is longer than it must be or beyond
 * U+10FFFF. */
static size_t utf8_sequence_length(unsigned char first, unsigned char *low, unsigned char *high)
{
	*low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
	*high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
	if (first < 0x80)
		return 1;
	if (first < 0xc2 || first > 0xf4)
		return 0;
	return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/* How many of SIZE bytes fit into the character that the first one begins. */
static size_t count_valid_bytes(const unsigned char *at, size_t size, size_t *length)
{
	unsigned char low, high;
	size_t count = 1;

	*length = utf8_sequence_length(at[0], &low, &high);
	while (count < *length && count < size && at[count] >= low && at[count] <= high) {
		low = 0x80;
		high = 0xbf;
		count++;
	}
	return count;
}

static bool is_harmless_character(uint32_t code)
{
	static const uint32_t bad[][2] = {
		{ 0, 0x1f }, { 0x7f, 0x9f }, { 0xad, 0xad }, { 0x61c, 0x61c },
		{ 0x180e, 0x180e }, { 0x200b, 0x200f }, { 0x2028, 0x202e }, { 0x2060, 0x206f },
		{ 0xfeff, 0xfeff }, { 0xfff9, 0xfffb }, { 0x1bca0, 0x1bca3 },
		{ 0x1d173, 0x1d17a }, { 0xe0000, 0xe0fff },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		if (code >= bad[i][0] && code <= bad[i][1])
			return false;
	}
	return true;
}

/* How many bytes at TEXT are one character, and which; a byte that is none has the code 0. */
static size_t decode_character(const char *text, size_t size, uint32_t *code)
{
	const unsigned char *at = (const unsigned char *)text;
	size_t length, count = count_valid_bytes(at, size, &length);

	*code = 0;
	if (length == 0 || count < length)
		return 1;
	*code = length > 1 ? at[0] & 0x7fu >> length : at[0];
	for (size_t i = 1; i < length; i++)
		*code = *code << 6 | (at[i] & 0x3f);
	return length;
}

size_t terminal_character(const char *text, size_t size, bool *is_shown)
{
	uint32_t code;
	size_t length = decode_character(text, size, &code);

	*is_shown = is_harmless_character(code);
	return length;
}

/* East Asian characters and pictograms take two columns, combining ones none. */
static unsigned int character_columns(uint32_t code)
{
	static const uint32_t wide[][2] = {
		{ 0x1100, 0x115f }, { 0x2e80, 0x303e }, { 0x3041, 0xa4cf }, { 0xa960, 0xa97c },
		{ 0xac00, 0xd7a3 }, { 0xf900, 0xfaff }, { 0xfe30, 0xfe6f }, { 0xff00, 0xff60 },
		{ 0xffe0, 0xffe6 }, { 0x1f300, 0x1f64f }, { 0x1f900, 0x1f9ff },
		{ 0x20000, 0x3fffd },
	};

	if (code >= 0x300 && code <= 0x36f)
		return 0;
	for (size_t i = 0; i < sizeof(wide) / sizeof(*wide); i++) {
		if (code >= wide[i][0] && code <= wide[i][1])
			return 2;
	}
	return 1;
}

unsigned int terminal_width(const char *text, size_t size)
{
	unsigned int columns = 0;

	for (const char *end = text + size; text < end;) {
		uint32_t code;

		text += decode_character(text, (size_t)(end - text), &code);
		columns += character_columns(code);
	}
	return columns;
}

unsigned int terminal_columns(int fd)
{
	const char *variable = getenv("COLUMNS");
	struct winsize size;
	uint64_t number;

	if (fd < 0 || !isatty(fd))
		return 0;
	if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return size.ws_col;
	if (variable && units_parse_count(variable, &number) && number > 0 && number <= UINT16_MAX)
		return (unsigned int)number;
	return 80;
}

bool terminal_is_cut(const char *text, size_t size)
{
	size_t length;

	return count_valid_bytes((const unsigned char *)text, size, &length) == size &&
	       size < length;
}

size_t terminal_clean(char *text, size_t length)
{
	char *to = text;

	for (const char *at = text, *end = text + length; at < end;) {
		bool is_shown;
		size_t size = terminal_character(at, (size_t)(end - at), &is_shown);

		if (is_shown)
			memmove(to, at, size);
		else
			*to = '?';
		to += is_shown ? size : 1;
		at += size;
	}
	return (size_t)(to - text);
}

char *terminal_clean_text(char *text)
{
	text[terminal_clean(text, strlen(text))] = '\0';
	return text;
}

void terminal_put(FILE *out, const char *text)
{
	for (size_t left = strlen(text); left > 0;) {
		bool is_shown;
		size_t size = terminal_character(text, left, &is_shown);

		if (is_shown)
			fwrite(text, 1, size, out);
		else
			putc('?', out);
		text += size;
		left -= size;
	}
}
