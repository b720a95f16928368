/* tap.c -- the test library itself: its checks hold, and done_testing() counts them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/lib/tap.h"

int main(void)
{
	static const char *const nothing;

	EQ_U(UINT64_MAX, UINT64_MAX);
	EQ_I(-1, -1);
	EQ_D(1.0 / 3, 0.333, 0.001);
	EQ_S("a#b", "a#b");
	EQ_S(nothing, NULL);
	EQ_P(nothing, NULL);
	EQ_MEM("a\0b", "a\0b", 4);
	IN_U(5, 5, 7);
	HAS_S("a needle here", "needle");
	IS_NULL(nothing);
	IS_TRUE(2);
	IS_FALSE(0);
	OK(true, "text with a number: %d", 1);
	EQ_U(tap_run, 13);
	EQ_U(tap_failed, 0);
	return done_testing();
}
