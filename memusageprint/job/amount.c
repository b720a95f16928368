/* amount.c -- Numbers as ms_print writes them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/job/amount.h"

#include <stdio.h>

/* A unit, and how to get to the next larger one. */
struct unit_step {
	const char *unit;
	unsigned from;		/* values from here on are written in the next unit; 0: none */
	unsigned by;		/* how many make one of the next unit */
};

static const struct unit_step byte_steps[] = {
	{ "B", 1000, 1024 }, { "KB", 1000, 1024 }, { "MB", 1000, 1024 }, { "GB", 1000, 1024 },
	{ "TB", 1000, 1024 }, { "PB", 1000, 1024 }, { "EB", 1000, 1024 }, { "ZB", 0, 0 },
};

static const struct unit_step instruction_steps[] = {
	{ "i", 1000, 1024 }, { "ki", 1000, 1024 }, { "Mi", 1000, 1024 }, { "Gi", 1000, 1024 },
	{ "Ti", 1000, 1024 }, { "Pi", 1000, 1024 }, { "Ei", 1000, 1024 }, { "Zi", 0, 0 },
};

static const struct unit_step ms_steps[] = {
	{ "ms", 1000, 1000 }, { "s", 3600, 3600 }, { "h", 0, 0 },
};

static const struct unit_step *unit_steps(enum massif_unit unit)
{
	return unit == MASSIF_BYTES ? byte_steps :
	       unit == MASSIF_MS ? ms_steps : instruction_steps;
}

struct amount amount_of(uint64_t value, enum massif_unit unit)
{
	const struct unit_step *step = unit_steps(unit);
	double scaled = (double)value;
	struct amount a;

	for (; step->from && scaled >= step->from; step++)
		scaled /= step->by;
	a.unit = step->unit;
	if (value < 1000)
		snprintf(a.text, sizeof(a.text), "%5u", (unsigned)value);
	else
		snprintf(a.text, sizeof(a.text), "%5.*f", scaled < 10 ? 3 : scaled < 100 ? 2 : 1,
			 scaled);
	return a;
}

/* perl divides integers exactly if the quotient is an integer. It tries this only if the dividend
 * has more digits than a double. */
double amount_quotient(uint64_t a, uint64_t b)
{
	uint64_t whole = a / b;

	if (a > UINT64_C(1) << 53 && whole * b == a)
		return (double)whole;
	return (double)a / (double)b;
}

double amount_percent(uint64_t part, uint64_t total)
{
	uint64_t hundredfold;

	if (total == 0)
		return 0;
	if (__builtin_mul_overflow(part, 100, &hundredfold))
		return 100 * (double)part / (double)total;
	return amount_quotient(hundredfold, total);
}
