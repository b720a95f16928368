/* amount.h -- Numbers as ms_print writes them.
 *
 * ms_print computes with perl's numbers, which are integers while they can be, else doubles. These
 * functions give the same digits for values above 2^53.
 *
 * Source  observed: ms_print 3.19 under perl 5.36.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#include "formats/massif.h"

/* The label at an end of an axis. */
struct amount {
	char text[16];		/* 5 characters, seldom 6 */
	const char *unit;	/* "B", "KB", "ki", "ms", "h" */
};

/* amount_of -- Scales VALUE, which counts in UNIT, to a unit that suits it. */
struct amount amount_of(uint64_t value, enum massif_unit unit);

/* amount_percent -- Returns PART of TOTAL in percent; 0 if TOTAL is 0. */
double amount_percent(uint64_t part, uint64_t total);

/* amount_quotient -- Returns A / B, exact where perl's quotient is; B is not 0. */
double amount_quotient(uint64_t a, uint64_t b);
