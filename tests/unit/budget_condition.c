/* budget_condition.c -- Conditions are what they say, and the column of an error is where it is.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/budget/condition.h"
#include "profile/budget/condition_list.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/lib/tap.h"

#define M (1024.0 * 1024)

static const struct {
	const char *text;
	enum condition_metric metric;
	enum condition_scope scope;
	const char *name;
	double limit;
	const char *flags;	/* = or_equal, + is_relative, % is_percent */
} good[] = {
	{ "heap peak > 64M", CONDITION_HEAP_PEAK, CONDITION_ALL, "", 64 * M, "" },
	{ "  heap  peak>64MiB ", CONDITION_HEAP_PEAK, CONDITION_ALL, "", 64 * M, "" },
	{ "heap end > 1.5K", CONDITION_HEAP_END, CONDITION_ALL, "", 1536, "" },
	{ "heap total > 1 G", CONDITION_HEAP_TOTAL, CONDITION_ALL, "", 1024 * M, "" },
	{ "total >= 4096", CONDITION_HEAP_TOTAL, CONDITION_ALL, "", 4096, "=" },
	{ "total > 4kB", CONDITION_HEAP_TOTAL, CONDITION_ALL, "", 4096, "" },
	{ "total > 12B", CONDITION_HEAP_TOTAL, CONDITION_ALL, "", 12, "" },
	{ "blocks > 10k", CONDITION_BLOCKS_PEAK, CONDITION_ALL, "", 10000, "" },
	{ "blocks peak > 1M", CONDITION_BLOCKS_PEAK, CONDITION_ALL, "", 1e6, "" },
	{ "blocks end > 0", CONDITION_BLOCKS_END, CONDITION_ALL, "", 0, "" },
	{ "leaks > 0", CONDITION_LEAKS, CONDITION_ALL, "", 0, "" },
	{ "temporary > 5", CONDITION_TEMPORARY, CONDITION_ALL, "", 5, "" },
	{ "stack peak > 1M", CONDITION_STACK_PEAK, CONDITION_ALL, "", M, "" },
	{ "rss peak > 1M", CONDITION_RSS_PEAK, CONDITION_ALL, "", M, "" },
	{ "mmap peak > 1M", CONDITION_MMAP_PEAK, CONDITION_ALL, "", M, "" },
	{ "heap peak > +5%", CONDITION_HEAP_PEAK, CONDITION_ALL, "", 5, "+%" },
	{ "heap peak >+0.5%", CONDITION_HEAP_PEAK, CONDITION_ALL, "", 0.5, "+%" },
	{ "total in libfoo.so > +1M", CONDITION_HEAP_TOTAL, CONDITION_MODULE, "libfoo.so", M,
	  "+" },
	{ "calls at parse > 10k", CONDITION_CALLS, CONDITION_FUNCTION, "parse", 10000, "" },
	{ "calls at ns::f>1", CONDITION_CALLS, CONDITION_FUNCTION, "ns::f", 1, "" },
	{ "calls at 'operator>' > 1", CONDITION_CALLS, CONDITION_FUNCTION, "operator>", 1, "" },
	{ "calls at \"a b\" > 1", CONDITION_CALLS, CONDITION_FUNCTION, "a b", 1, "" },
	{ "blocks at /^json_(get|put)/ > 100", CONDITION_BLOCKS_PEAK, CONDITION_PATTERN,
	  "^json_(get|put)", 100, "" },
	{ "leaks in ./prog > +1", CONDITION_LEAKS, CONDITION_MODULE, "./prog", 1, "+" },
};

static const struct {
	const char *text;
	unsigned int column;	/* from 1 on */
	const char *why;
} bad[] = {
	{ "", 1, "a metric is missing" },
	{ "   ", 4, "a metric is missing" },
	{ "> 1", 1, "a metric is missing" },
	{ "heep peak > 1", 1, "'heep' is no metric" },
	{ "heap paek > 64M", 6, "'paek' is no moment of heap: say heap peak, heap end, heap total" },
	{ "heap > 64M", 6, "is no moment of heap" },
	{ "total peak > 1", 7, "'peak' is neither at, in nor >" },
	{ "leaks end > 1", 7, "is neither" },
	{ "heap peak", 10, "> is missing" },
	{ "heap peak < 1", 11, "a budget is broken by too much" },
	{ "heap peak = 1", 11, "> is missing" },
	{ "heap peak >", 12, "a limit is missing" },
	{ "heap peak > ", 12, "a limit is missing" },
	{ "heap peak > -1", 13, "'-1' is no limit" },
	{ "heap peak > 64Q", 15, "'Q' is no unit" },
	{ "calls > 5B", 10, "'B' is no unit" },
	{ "heap peak > 1 2", 15, "'2' is no unit" },
	{ "heap peak > 5%", 14, "percent of what?" },
	{ "heap peak > 0x10", 13, "is no limit" },
	{ "heap peak > 1e5", 13, "is no limit" },
	{ "heap peak > 9999999999G", 13, "too large" },
	{ "stack peak at f > 1", 12, "stack peak is a figure of the process" },
	{ "calls at > 5", 10, "a name is missing" },
	{ "calls at 'f > 5", 10, "''' is not closed" },
	{ "calls at '' > 5", 10, "the name is empty" },
	{ "calls at /(/ > 5", 11, "not a regular expression" },
	{ "calls at f in x > 5", 12, "one too many" },
};

static void test_good(void)
{
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		struct mu_error err = { .text = "" };
		struct condition c;

		EQ_I(condition_parse(&c, good[i].text, &err), 0);
		EQ_S(err.text, "");
		EQ_I(c.metric, good[i].metric);
		EQ_I(c.scope, good[i].scope);
		EQ_S(c.name, good[i].name);
		EQ_D(c.limit, good[i].limit, 0);
		EQ_I(c.or_equal, strchr(good[i].flags, '=') != NULL);
		EQ_I(c.is_relative, strchr(good[i].flags, '+') != NULL);
		EQ_I(c.is_percent, strchr(good[i].flags, '%') != NULL);
	}
}

static void test_bad(void)
{
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct mu_error err = { .text = "" };
		struct condition c;

		EQ_I(condition_parse(&c, bad[i].text, &err), -1);
		HAS_S(err.text, bad[i].why);
		EQ_U(err.offset + 1, bad[i].column);
	}
}

/* What was cut off is a shorter condition or an error, never more than the text. */
static void test_truncation(void)
{
	static const char text[] = "calls at /^json_(get|put)/ >= +10.5k";
	char cut[sizeof(text)];
	struct condition c;
	struct mu_error err;

	for (size_t length = 0; length < sizeof(text); length++) {
		memcpy(cut, text, length);
		cut[length] = '\0';
		err.offset = 0;
		if (condition_parse(&c, cut, &err) < 0)
			OK(err.offset <= length, "the error of '%s' is in it", cut);
		else
			EQ_S(c.text, cut);
	}
	EQ_D(c.limit, 10500, 0);
}

static void test_long(void)
{
	char text[CONDITION_LENGTH + 64];
	struct condition c;
	struct mu_error err;

	memset(text, 'x', sizeof(text));
	memcpy(text, "calls at ", 9);
	memcpy(text + sizeof(text) - 5, " > 1", 5);
	EQ_I(condition_parse(&c, text, &err), -1);
	HAS_S(err.text, "too long");
	memcpy(text + CONDITION_LENGTH - 5, " > 1", 5);
	EQ_I(condition_parse(&c, text, &err), 0);
	EQ_U(strlen(c.name), CONDITION_LENGTH - 14);
}

static void write_file(const char *name, const char *text)
{
	FILE *out = fopen(name, "w");

	fputs(text, out);
	fclose(out);
}

static void test_file(void)
{
	struct condition_list list = { .count = 0 };
	struct mu_error err;

	write_file("budget", "# all of it\nheap peak > 64M # at most\n\n\t leaks > 0\r\n"
			     "calls at main::{lambda()#1} > 3");
	EQ_I(condition_list_read(&list, "budget", &err), 0);
	EQ_U(list.count, 3);
	EQ_S(list.item[0].text, "heap peak > 64M");
	EQ_S(list.item[1].text, "leaks > 0");
	EQ_S(list.item[2].name, "main::{lambda()#1}");
	EQ_P(condition_list_find(&list, CONDITION_LEAKS), &list.item[1]);
	IS_NULL(condition_list_find(&list, CONDITION_RSS_PEAK));
	IS_NULL(condition_list_find_relative(&list));
	EQ_I(condition_list_add(&list, "total > +1K", &err), 0);
	EQ_P(condition_list_find_relative(&list), &list.item[3]);
	EQ_I(condition_list_add(&list, "total > k", &err), -1);
	EQ_S(err.text, "is wrong at column 9: 'k' is no limit: a number like 64M, 10k, +5% or +1M");
	write_file("budget", "leaks > 0\nleaks > 0\n");
	EQ_I(condition_list_read(&list, "budget", &err), 0);
	EQ_U(list.count, 4);
	write_file("budget", "\n\nheap peak > 64M\nleaks < 0\n");
	EQ_I(condition_list_read(&list, "budget", &err), -1);
	EQ_S(err.text, "is wrong at line 4, column 7: a budget is broken by too much: say >");
	write_file("budget", "# nothing\n");
	EQ_I(condition_list_read(&list, "budget", &err), -1);
	EQ_S(err.text, "has no condition");
	EQ_I(condition_list_read(&list, "missing", &err), -1);
	HAS_S(err.text, "cannot be read");
	condition_list_free(&list);
	unlink("budget");
}

int main(void)
{
	test_good();
	test_bad();
	test_truncation();
	test_long();
	test_file();
	return done_testing();
}
