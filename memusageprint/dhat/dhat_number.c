/* dhat_number.c -- Numbers as DHAT's viewer shows them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/dhat/dhat_number.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DECIMALS = 2, DIGITS = 340 };

double dhat_ratio(double a, double b)
{
	return a == 0 && b == 0 ? 0 : a / b;
}

/* Finds the shortest digits that are read back as the value. The value is 0.DIGITS times ten to the
 * power that is returned. */
static int shortest_digits(double value, char digits[32])
{
	char text[40], *e;
	size_t count;

	for (int precision = 0; precision < 17; precision++) {
		snprintf(text, sizeof(text), "%.*e", precision, value);
		if (strtod(text, NULL) == value)
			break;
	}
	e = strchr(text, 'e');
	digits[0] = text[0];
	count = text[1] == '.' ? (size_t)(e - text) - 2 : 0;
	memcpy(digits + 1, text + 2, count);
	digits[count + 1] = '\0';
	return atoi(e + 1) + 1;
}

/* Adds one to the last digit. If all are nines, the byte before FIRST becomes a digit. */
static char *increment_decimal(char *first, char *last)
{
	while (last >= first && *last == '9')
		*last-- = '0';
	if (last >= first) {
		++*last;
		return first;
	}
	*--first = '1';
	return first;
}

/* Writes the integer digits and DECIMALS more, without a point, into ROOM. Returns their
 * beginning. */
static char *format_fixed(char room[DIGITS + 4], double value, int shift)
{
	char digits[32], *first = room + 1, *end;
	int whole = value == 0 ? 1 : shortest_digits(value, digits) + shift;
	int count = value == 0 ? 0 : (int)strlen(digits);
	int length = (whole > 0 ? whole : 1) + DECIMALS;
	bool is_up;

	/* A value below one gets leading zeros. */
	for (int i = 0; i < length; i++) {
		int at = whole > 0 ? i : i - 1 + whole;

		first[i] = at >= 0 && at < count ? digits[at] : '0';
	}
	end = first + length;
	*end = '\0';
	int next = whole > 0 ? length : length - 1 + whole;
	is_up = next >= 0 && next < count && digits[next] >= '5';
	return is_up ? increment_decimal(first, end - 1) : first;
}

static const char *format_number(char buffer[DHAT_NUMBER_LENGTH], double value, int shift,
				 const char *unit)
{
	char room[DIGITS + 4], *text, *to = buffer;
	size_t length;

	if (!isfinite(value)) {
		snprintf(buffer, DHAT_NUMBER_LENGTH, "\xe2\x88\x9e%s", unit);
		return buffer;
	}
	text = format_fixed(room, value, shift);
	length = strlen(text);
	for (size_t i = 0; i < length - DECIMALS; i++) {
		if (i > 0 && (length - DECIMALS - i) % 3 == 0)
			*to++ = ',';
		*to++ = text[i];
	}
	for (int keep = DECIMALS; keep > 0; keep--) {
		if (text[length - DECIMALS + (size_t)keep - 1] == '0')
			continue;
		*to++ = '.';
		memcpy(to, text + length - DECIMALS, (size_t)keep);
		to += keep;
		break;
	}
	strcpy(to, unit);
	return buffer;
}

const char *dhat_number(char buffer[DHAT_NUMBER_LENGTH], double value)
{
	return format_number(buffer, value, 0, "");
}

const char *dhat_percent(char buffer[DHAT_NUMBER_LENGTH], double a, double b)
{
	return format_number(buffer, dhat_ratio(a, b), 2, "%");
}
