/* collector_counter.c -- why instructions cannot be counted is said in words that help.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/common/counter.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "tests/lib/tap.h"

static void test_names(void)
{
	EQ_U(counter_parse(NULL), 1);
	EQ_U(counter_parse("0:1"), 1);
	EQ_U(counter_parse("1:1"), 0x10001);
	EQ_U(counter_parse("65535:65535"), 0xffffffff);
	EQ_U(counter_parse(""), 0);
	EQ_U(counter_parse("1"), 0);
	EQ_U(counter_parse("1:"), 0);
	EQ_U(counter_parse("1:1 "), 0);
	EQ_U(counter_parse("1:65536"), 0);
	EQ_U(counter_parse("instructions"), 0);
}

static void check_why(int error, int paranoid, const char *part)
{
	char why[256];

	counter_why(why, sizeof(why), error, paranoid);
	OK(strstr(why, part) != NULL, "error %d: %s: '%s'", error, part, why);
}

static void test_reasons(void)
{
	check_why(ENOENT, 2, "has no such counter");
	check_why(EOPNOTSUPP, 2, "has no such counter");
	check_why(EACCES, 3, "perf_event_paranoid is 3");
	check_why(EACCES, 4, "sysctl kernel.perf_event_paranoid=2");
	check_why(EPERM, 2, "container");
	check_why(EPERM, INT_MIN, "container");
	check_why(ENOSYS, 2, "not provide perf_event_open");
	check_why(EMFILE, 2, strerror(EMFILE));
}

int main(void)
{
	test_names();
	test_reasons();
	return done_testing();
}
