/* escape.c -- names from elsewhere, made fit for a terminal.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/escape.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Bytes of the UTF-8 character at TEXT, 0 if there is none. Source RFC 3629, section 4. */
static size_t character_length(const unsigned char *text)
{
	unsigned char low = 0x80, high = 0xbf;
	size_t length;

	if (text[0] < 0x80)
		return 1;
	if (text[0] < 0xc2 || text[0] > 0xf4)
		return 0;
	length = text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : 4;
	if (text[0] == 0xe0)
		low = 0xa0;
	if (text[0] == 0xed)
		high = 0x9f;
	if (text[0] == 0xf0)
		low = 0x90;
	if (text[0] == 0xf4)
		high = 0x8f;
	if (text[1] < low || text[1] > high)
		return 0;
	for (size_t i = 2; i < length; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	}
	return length;
}

/* C0, DEL and C1: a terminal may obey U+009B as it does ESC [. */
static bool is_control(const unsigned char *text)
{
	return text[0] < 0x20 || text[0] == 0x7f || (text[0] == 0xc2 && text[1] < 0xa0);
}

const char *escape_text(char *safe, size_t size, const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	size_t used = 0;

	while (*at) {
		size_t length = character_length(at);
		char code[8];

		if (length == 0 || is_control(at)) {
			if (used + 5 > size)
				break;
			snprintf(code, sizeof(code), "\\x%02x", at[0]);
			memcpy(safe + used, code, 4);
			used += 4;
			at++;
			continue;
		}
		if (used + length + 1 > size)
			break;
		memcpy(safe + used, at, length);
		used += length;
		at += length;
	}
	safe[used] = '\0';
	return safe;
}
