/* cli_units.c -- sizes are read strictly and shown with three significant digits.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cli/units.h"

#include <math.h>

#include "tests/lib/tap.h"

static void test_parse(void)
{
	static const struct { const char *text; uint64_t value; } good[] = {
		{ "0", 0 }, { "4096", 4096 }, { "1k", 1024 }, { "64K", 65536 }, { "3B", 3 },
		{ "1M", 1 << 20 }, { "256M", 256 << 20 }, { "2GiB", UINT64_C(2) << 30 },
		{ "2kb", 2048 }, { "1T", UINT64_C(1) << 40 }, { "15E", UINT64_C(15) << 60 },
		{ "1KiB", 1024 }, { "18446744073709551615", UINT64_MAX },
	};
	static const char *const bad[] = {
		"", " 1", "1 ", "-1", "+1", "0x10", "1.5M", "M", "1i", "1Ki", "1KiBB", "1KB2",
		"1MM",
		"18446744073709551616", "16E", "99999999999999999999G", "1BK",
	};
	uint64_t v;

	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		v = 77;
		OK(units_parse_size(good[i].text, &v) && v == good[i].value, "%s", good[i].text);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		v = 77;
		OK(!units_parse_size(bad[i], &v) && v == 77, "'%s' is refused", bad[i]);
	}
	IS_TRUE(units_parse_count("12", &v));
	EQ_U(v, 12);
	IS_FALSE(units_parse_count("12k", &v));
	IS_FALSE(units_parse_count("", &v));
}

static void test_show(void)
{
	static const struct { uint64_t value; const char *bytes, *grouped, *time; } cases[] = {
		{ 0, "0 B", "0", "0 ns" },
		{ 999, "999 B", "999", "999 ns" },
		{ 1000, "1000 B", "1,000", "1.00 us" },
		{ 1023, "1023 B", "1,023", "1.02 us" },
		{ 1024, "1.00 KiB", "1,024", "1.02 us" },
		{ 10234, "9.99 KiB", "10,234", "10.2 us" },
		{ 10239, "10.0 KiB", "10,239", "10.2 us" },
		{ 999499, "976 KiB", "999,499", "999 us" },
		{ 999500, "976 KiB", "999,500", "1.00 ms" },
		{ 1048063, "1023 KiB", "1,048,063", "1.05 ms" },
		{ 1048064, "1.00 MiB", "1,048,064", "1.05 ms" },
		{ UINT64_C(10800000000000), "9.82 TiB", "10,800,000,000,000", "10800 s" },
		{ UINT64_MAX, "16.0 EiB", "18,446,744,073,709,551,615", "18446744074 s" },
	};
	char b[UNITS_LENGTH];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		EQ_S(units_bytes(b, cases[i].value), cases[i].bytes);
		EQ_S(units_grouped(b, cases[i].value), cases[i].grouped);
		EQ_S(units_time(b, cases[i].value), cases[i].time);
	}
}

static void test_durations(void)
{
	static const struct { uint64_t ms; const char *text; } cases[] = {
		{ 1, "1.00 ms" }, { 119999, "120 s" }, { 120000, "2 min" }, { 125400, "2 min 5 s" },
		{ 3599400, "59 min 59 s" }, { 3599600, "1 h" }, { 5400000, "1 h 30 min" },
		{ 360000000, "100 h" },
	};
	char b[UNITS_LENGTH];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		EQ_S(units_duration(b, cases[i].ms * 1000000), cases[i].text);
	EQ_S(units_duration(b, UINT64_MAX), "5124095 h 34 min");
}

static void test_whole(void)
{
	EQ_U(units_whole(-1), 0);
	EQ_U(units_whole(NAN), 0);
	EQ_U(units_whole(12.7), 12);
	EQ_U(units_whole(1e25), UINT64_MAX);
	EQ_U(units_whole(18446744073709551616.0), UINT64_MAX);
	EQ_U(units_whole(INFINITY), UINT64_MAX);
}

int main(void)
{
	test_durations();
	test_parse();
	test_show();
	test_whole();
	return done_testing();
}
