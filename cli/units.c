/* units.c -- numbers as people write and read them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cli/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define MOST_OF_UNIT 1023.5	/* bytes: from here on it would be printed as 1 of the next */

/* The number at the start of TEXT; returns what follows it, or NULL. */
static const char *leading_number(const char *text, uint64_t *value)
{
	uint64_t sum = 0;

	if (*text < '0' || *text > '9')
		return NULL;
	for (; *text >= '0' && *text <= '9'; text++) {
		if (__builtin_mul_overflow(sum, UINT64_C(10), &sum) ||
		    __builtin_add_overflow(sum, (uint64_t)(*text - '0'), &sum))
			return NULL;
	}
	*value = sum;
	return text;
}

bool units_parse_count(const char *text, uint64_t *value)
{
	uint64_t parsed;
	const char *rest = leading_number(text, &parsed);

	if (!rest || *rest)
		return false;
	*value = parsed;
	return true;
}

bool units_parse_size(const char *text, uint64_t *value)
{
	static const char letters[] = "kmgtpe";
	uint64_t parsed;
	const char *rest = leading_number(text, &parsed);
	const char *letter;

	if (!rest)
		return false;
	letter = *rest ? strchr(letters, *rest | 0x20) : NULL;
	if (letter) {
		unsigned shift = 10 * (unsigned)(letter - letters + 1);

		if (parsed > UINT64_MAX >> shift)
			return false;
		parsed <<= shift;
		rest++;
		if (*rest == 'i' && rest[1])
			rest++;
	}
	if (strcasecmp(rest, "b") != 0 && *rest)
		return false;
	*value = parsed;
	return true;
}

/* Three significant digits without more digits than that being invented. */
static int decimals_of(double value)
{
	return value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
}

/* Writes VALUE in SMALLEST or, from STEP on, in the largest unit in which at least 1 is left after
 * rounding: MOST and more would be printed as 1 of the next one. */
static const char *format_scaled(char buffer[UNITS_LENGTH], uint64_t value, const char *smallest,
				 const char *const *unit, unsigned int step, double most)
{
	double scaled = (double)value / step;

	if (value < step) {
		snprintf(buffer, UNITS_LENGTH, "%u %s", (unsigned int)value, smallest);
		return buffer;
	}
	for (; scaled >= most && unit[1]; unit++)
		scaled /= step;
	snprintf(buffer, UNITS_LENGTH, "%.*f %s", decimals_of(scaled), scaled, *unit);
	return buffer;
}

const char *units_bytes(char buffer[UNITS_LENGTH], uint64_t bytes)
{
	static const char *const unit[] = { "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", NULL };

	return format_scaled(buffer, bytes, "B", unit, 1024, MOST_OF_UNIT);
}

double units_bytes_unit(uint64_t bytes, int *decimals)
{
	double unit = 1;

	*decimals = 0;
	if (bytes < 1024)
		return unit;
	for (unit = 1024; (double)bytes / unit >= MOST_OF_UNIT; unit *= 1024)
		;
	*decimals = decimals_of((double)bytes / unit);
	return unit;
}

const char *units_grouped(char buffer[UNITS_LENGTH], uint64_t value)
{
	char digits[UNITS_LENGTH];
	int length = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)value);
	char *out = buffer;

	for (int i = 0; i < length; i++) {
		if (i > 0 && (length - i) % 3 == 0)
			*out++ = ',';
		*out++ = digits[i];
	}
	*out = '\0';
	return buffer;
}

const char *units_time(char buffer[UNITS_LENGTH], uint64_t ns)
{
	static const char *const unit[] = { "us", "ms", "s", NULL };

	return format_scaled(buffer, ns, "ns", unit, 1000, 999.5);
}

const char *units_duration(char buffer[UNITS_LENGTH], uint64_t ns)
{
	uint64_t seconds = ns / 1000000000 + (ns % 1000000000 >= 500000000);
	uint64_t minutes = seconds / 60;
	const char *big = minutes < 60 ? "min" : "h", *small = minutes < 60 ? "s" : "min";
	uint64_t whole = minutes < 60 ? minutes : minutes / 60;
	uint64_t rest = minutes < 60 ? seconds % 60 : minutes % 60;

	if (ns < UINT64_C(120000000000))
		return units_time(buffer, ns);
	if (rest > 0)
		snprintf(buffer, UNITS_LENGTH, "%" PRIu64 " %s %" PRIu64 " %s", whole, big, rest,
			 small);
	else
		snprintf(buffer, UNITS_LENGTH, "%" PRIu64 " %s", whole, big);
	return buffer;
}

uint64_t units_whole(double value)
{
	if (!(value > 0))
		return 0;
	return value < 18446744073709551616.0 ? (uint64_t)value : UINT64_MAX;
}
