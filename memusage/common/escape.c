/* escape.c -- Escape untrusted text for a terminal.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/common/escape.h"

#include <stdio.h>
#include <string.h>

#include "cli/terminal.h"

const char *escape_text(char *safe, size_t size, const char *text)
{
	const char *at = text, *end = text + strlen(text);
	size_t used = 0;

	while (at < end) {
		bool is_shown;
		size_t length = terminal_character(at, (size_t)(end - at), &is_shown);
		char code[8];

		if (!is_shown) {
			if (used + 5 > size)
				break;
			snprintf(code, sizeof(code), "\\x%02x", (unsigned char)*at);
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
