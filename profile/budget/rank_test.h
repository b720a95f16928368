/* rank_test.h -- Tells whether two groups of figures differ by more than chance.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>

enum { RANK_TEST_MOST = 60 };	/* figures of both groups together that are counted exactly */

/* rank_test_p -- Computes the two-sided p of the rank sum test of Mann and Whitney.
 *
 * Returns how likely two groups of these sizes differ at least as much if the program is the same:
 * from 0 to 1, and 1 of an empty group. All ways to divide the figures are counted, equal ones
 * included; of more than RANK_TEST_MOST figures it is the approximation by a normal distribution.
 * Cost O(n^3) of the figures, 5 ms at most.
 */
double rank_test_p(const double *x, size_t xs, const double *y, size_t ys);
