/* amount.h -- numbers as ms_print writes them.
 *
 * Its numbers are perl's: whole while they can be, else double. What that means for a value
 * beyond 2^53 is kept here.
 *
 * Source  observed: ms_print 3.19 under perl 5.36.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGEPRINT_TEXT_AMOUNT_H
#define MEMUSAGEPRINT_TEXT_AMOUNT_H

#include <stdint.h>

#include "formats/massif.h"

/* At the ends of an axis: 5 characters, seldom 6, and what they count. */
struct amount {
	char text[16];
	const char *unit;	/* "B", "KB", "ki", "ms", "h" */
};

/* amount_of -- VALUE, which counts in UNIT, scaled to a unit that suits it. */
struct amount amount_of(uint64_t value, enum massif_unit unit);

/* amount_percent -- how many percent of TOTAL a PART is; 0 of nothing. */
double amount_percent(uint64_t part, uint64_t total);

/* amount_quotient -- A / B, exact where perl finds it so; B is not 0. */
double amount_quotient(uint64_t a, uint64_t b);

#endif
