/* utf8.c -- texts of a recording, which may hold anything, for formats that want UTF-8.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/base/utf8.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"

int utf8_next(const char *text, uint32_t *code)
{
	const unsigned char *at = (const unsigned char *)text;
	int length = at[0] == 0 ? 0 : at[0] < 0x80 ? 1 : at[0] < 0xc2 ? 0 : at[0] < 0xe0 ? 2 :
		     at[0] < 0xf0 ? 3 : at[0] < 0xf5 ? 4 : 0;
	uint32_t value = length < 2 ? at[0] : at[0] & (0x7fu >> length);

	for (int i = 1; i < length; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
		value = value << 6 | (at[i] & 0x3f);
	}
	if ((length == 3 && (value < 0x800 || (value >= 0xd800 && value < 0xe000))) ||
	    (length == 4 && (value < 0x10000 || value > 0x10ffff)))
		return 0;
	*code = value;
	return length;
}

char *utf8_clean(const char *text, const char *also)
{
	char *copy = xmalloc(strlen(text) + 1), *to = copy;

	while (*text) {
		uint32_t code;
		int length = utf8_next(text, &code);

		if (length == 0 || code < 0x20 || (code >= 0x7f && code < 0xa0))
			*to++ = '?';
		else if (length == 1 && strchr(also, *text))
			*to++ = '_';
		else
			to = mempcpy(to, text, (size_t)length);
		text += length ? length : 1;
	}
	*to = '\0';
	return copy;
}

void utf8_put_clean(FILE *out, const char *text)
{
	char *clean = utf8_clean(text, "");

	fputs(clean, out);
	free(clean);
}
