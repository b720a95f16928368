/* labels.c -- Formats the texts of glibc's graph.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusagestat/labels.h"

#include <stdio.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "formats/base/utf8.h"

struct byte_unit label_unit(uint64_t maximum)
{
	if (maximum < 1024)
		return (struct byte_unit){ 1, "" };
	if (maximum < UINT64_C(100) << 20)
		return (struct byte_unit){ 1 << 10, "k" };
	return (struct byte_unit){ 1 << 20, "M" };
}

int label_value(char text[LABEL_LENGTH], uint64_t bytes, struct byte_unit unit)
{
	return snprintf(text, LABEL_LENGTH, "%llu%s", (unsigned long long)(bytes / unit.bytes),
			unit.suffix);
}

struct time_unit label_time_unit(uint64_t duration_ns)
{
	if (duration_ns >= 1000000000)
		return (struct time_unit){ 1e9, "s" };
	if (duration_ns >= 1000000)
		return (struct time_unit){ 1e6, "ms" };
	return (struct time_unit){ 1e3, "us" };
}

int label_time(char text[LABEL_LENGTH], uint64_t duration_ns, unsigned tenths)
{
	double whole = (double)duration_ns / label_time_unit(duration_ns).ns;
	int decimals = whole < 10 ? 2 : whole < 100 ? 1 : 0;

	return snprintf(text, LABEL_LENGTH, "%.*f", decimals, whole * tenths / 10);
}

/* ---- titles ------------------------------------------------------------------------------ */

/* Code points of 0xA0 to 0xFF in ISO 8859-2.
 * Source https://www.unicode.org/Public/MAPPINGS/ISO8859/8859-2.TXT */
static const uint16_t latin2[96] = {
	0x0a0, 0x104, 0x2d8, 0x141, 0x0a4, 0x13d, 0x15a, 0x0a7,
	0x0a8, 0x160, 0x15e, 0x164, 0x179, 0x0ad, 0x17d, 0x17b,
	0x0b0, 0x105, 0x2db, 0x142, 0x0b4, 0x13e, 0x15b, 0x2c7,
	0x0b8, 0x161, 0x15f, 0x165, 0x17a, 0x2dd, 0x17e, 0x17c,
	0x154, 0x0c1, 0x0c2, 0x102, 0x0c4, 0x139, 0x106, 0x0c7,
	0x10c, 0x0c9, 0x118, 0x0cb, 0x11a, 0x0cd, 0x0ce, 0x10e,
	0x110, 0x143, 0x147, 0x0d3, 0x0d4, 0x150, 0x0d6, 0x0d7,
	0x158, 0x16e, 0x0da, 0x170, 0x0dc, 0x0dd, 0x162, 0x0df,
	0x155, 0x0e1, 0x0e2, 0x103, 0x0e4, 0x13a, 0x107, 0x0e7,
	0x10d, 0x0e9, 0x119, 0x0eb, 0x11b, 0x0ed, 0x0ee, 0x10f,
	0x111, 0x144, 0x148, 0x0f3, 0x0f4, 0x151, 0x0f6, 0x0f7,
	0x159, 0x16f, 0x0fa, 0x171, 0x0fc, 0x0fd, 0x163, 0x2d9,
};

static unsigned char latin2_glyph(uint32_t character)
{
	if (character < 0x20 || (character >= 0x7f && character < 0xa0))
		return ' ';
	if (character < 0x80)
		return (unsigned char)character;
	for (unsigned i = 0; i < 96; i++) {
		if (latin2[i] == character)
			return (unsigned char)(0xa0 + i);
	}
	return '?';
}

/* Converts to ISO 8859-2, which is not longer than TEXT. Returns false if TEXT is not UTF-8. */
static bool convert_utf8(const char *text, unsigned char *out)
{
	uint32_t character;
	int length;

	for (; *text; text += length) {
		length = utf8_next(text, &character);
		if (length == 0)
			return false;
		*out++ = latin2_glyph(character);
	}
	*out = '\0';
	return true;
}

unsigned char *label_title(const char *title)
{
	unsigned char *text = xcalloc(strlen(title) + 1, 1);

	if (convert_utf8(title, text))
		return text;
	strcpy((char *)text, title);
	for (unsigned char *c = text; *c; c++) {
		if (*c < 0x20 || (*c >= 0x7f && *c < 0xa0))
			*c = ' ';
	}
	return text;
}
