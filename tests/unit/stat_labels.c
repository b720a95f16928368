/* stat_labels.c -- numbers beside the axes, and titles in the character set of the fonts.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusagestat/labels.h"

#include "memusagestat/settings.h"
#include "tests/lib/option_rules.h"
#include "tests/lib/tap.h"

static void test_values(void)
{
	static const struct { uint64_t top; const char *text; } cases[] = {
		{ 0, "0" }, { 1023, "1023" }, { 1024, "1k" }, { 2977999, "2908k" },
		{ (100u << 20) - 1, "102399k" }, { 100u << 20, "100M" },
		{ UINT64_MAX, "17592186044415M" },
	};
	char text[LABEL_LENGTH];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int n = label_value(text, cases[i].top, label_unit(cases[i].top));

		EQ_S(text, cases[i].text);
		EQ_I(n, (int)strlen(text));
	}
}

static void test_times(void)
{
	static const struct { uint64_t ns; unsigned tenths; const char *text, *unit; } cases[] = {
		{ 0, 10, "0.00", "us" }, { 1500, 10, "1.50", "us" },
		{ 44300000, 10, "44.3", "ms" }, { 44300000, 7, "31.0", "ms" },
		{ 1000000000, 5, "0.50", "s" },
		{ UINT64_C(3600000000000), 5, "1800", "s" }, { 999999, 1, "100", "us" },
		{ UINT64_MAX, 10, "18446744074", "s" },
	};
	char text[LABEL_LENGTH];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		label_time(text, cases[i].ns, cases[i].tenths);
		EQ_S(text, cases[i].text);
		EQ_S(label_time_unit(cases[i].ns).name, cases[i].unit);
	}
}

static void test_titles(void)
{
	static const struct { const char *title, *text; } cases[] = {
		{ "", "" }, { "plain", "plain" },
		{ "K\xc5\xaf\xc5\x88", "K\xf9\xf2" },	/* u with ring, n with caron */
		{ "a\tb\x1b[1m\n", "a b [1m " },
		{ "\xe2\x82\xac 5", "? 5" },		/* the euro sign */
		{ "\xf0\x9f\x98\x80", "?" },
		{ "K\xf9\xf2", "K\xf9\xf2" },		/* Latin-2 already */
		{ "cut \xc5", "cut \xc5" },
		{ "cut \xe2\x82", "cut \xe2 " },
		{ "\x80\xff", " \xff" }, { "\xc2\x85", " " },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		unsigned char *text = label_title(cases[i].title);

		EQ_S((char *)text, cases[i].text);
		free(text);
	}
}

static void test_options(void)
{
	char why[128] = "";

	if (!IS_TRUE(option_rules_hold(&settings_tool, why)))
		diag("%s", why);
}

int main(void)
{
	test_values();
	test_times();
	test_titles();
	test_options();
	return done_testing();
}
