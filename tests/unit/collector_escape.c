/* collector_escape.c -- names cannot drive the terminal.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/common/escape.h"

#include "tests/lib/tap.h"

static const struct {
	const char *text, *want;
} cases[] = {
	{ "plain name", "plain name" },
	{ "a\nb\tc", "a\\x0ab\\x09c" },
	{ "\033[31mred", "\\x1b[31mred" },
	{ "\x7f", "\\x7f" },
	{ "na\xc3\xafve \xe2\x82\xac \xf0\x9f\x98\x80",
	  "na\xc3\xafve \xe2\x82\xac \xf0\x9f\x98\x80" },
	{ "\xc2\x9b" "31m", "\\xc2\\x9b31m" },	/* CSI of C1, as UTF-8 */
	{ "\x9b" "31m", "\\x9b31m" },		/* and as a byte */
	{ "\xc3", "\\xc3" },			/* cut */
	{ "\xe2\x82", "\\xe2\\x82" },
	{ "\xc0\xaf", "\\xc0\\xaf" },		/* overlong */
	{ "\xe0\x80\xaf", "\\xe0\\x80\\xaf" },
	{ "\xed\xa0\x80", "\\xed\\xa0\\x80" },	/* surrogate */
	{ "\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80" },
	{ "\xff\xfe", "\\xff\\xfe" },
	{ "", "" },
};

int main(void)
{
	char safe[64];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		EQ_S(escape_text(safe, sizeof(safe), cases[i].text), cases[i].want);
	EQ_S(escape_text(safe, 4, "abcdef"), "abc");
	EQ_S(escape_text(safe, 4, "\n"), "");
	EQ_S(escape_text(safe, 5, "\n"), "\\x0a");
	EQ_S(escape_text(safe, 4, "ab\xc3\xa9"), "ab");
	EQ_S(escape_text(safe, 1, "a"), "");
	return done_testing();
}
