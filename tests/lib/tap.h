/* tap.h -- checks for unit tests, reported in the Test Anything Protocol.
 *
 * A unit test is one file tests/unit/NAME.c that the makefile finds by itself:
 *
 *	#include "tests/lib/tap.h"
 *	int main(void)
 *	{
 *		EQ_U(units_parse("4k"), 4096);
 *		OK(units_parse("") < 0, "empty text is refused");
 *		return done_testing();
 *	}
 *
 * Every check evaluates its arguments once and gives its truth, so `if (!OK(...)) return ...`
 * works. EQ_* show both values when they differ; prefer them to OK(a == b). Checks are made by
 * one thread at a time. The environment gives MU_SRC (source root), MU_BUILD and MU_TMP (a
 * directory of the test's own, its working directory, removed afterwards).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TAP_UNUSED __attribute__((unused))

static unsigned tap_run, tap_failed, tap_planned;

/* A truth with a text: OK(list != NULL, "list of %d", n). */
#define OK(expr, ...) tap_ok(!!(expr), __FILE__, __LINE__, __VA_ARGS__)
#define PASS(...) OK(true, __VA_ARGS__)
#define FAIL(...) OK(false, __VA_ARGS__)

/* got against want: unsigned, signed, floating (within tol), text or NULL, address, bytes. */
#define EQ_U(got, want) tap_eq_u((got), (want), __FILE__, __LINE__, #got " is " #want)
#define EQ_I(got, want) tap_eq_i((got), (want), __FILE__, __LINE__, #got " is " #want)
#define EQ_D(got, want, tol) \
	tap_eq_d((got), (want), (tol), __FILE__, __LINE__, #got " is " #want)
#define EQ_S(got, want) tap_eq_s((got), (want), __FILE__, __LINE__, #got " is " #want)
#define EQ_P(got, want) tap_eq_p((got), (want), __FILE__, __LINE__, #got " is " #want)
#define EQ_MEM(got, want, len) \
	tap_eq_mem((got), (want), (len), __FILE__, __LINE__, #got " is " #want)
#define IS_NULL(got) EQ_P((got), NULL)
#define IS_TRUE(got) tap_eq_i(!!(got), 1, __FILE__, __LINE__, #got)
#define IS_FALSE(got) tap_eq_i(!!(got), 0, __FILE__, __LINE__, "not " #got)
/* lo <= got <= hi, unsigned. */
#define IN_U(got, lo, hi) \
	tap_in_u((got), (lo), (hi), __FILE__, __LINE__, #got " is in " #lo ".." #hi)
/* got contains the text part. */
#define HAS_S(got, part) tap_has_s((got), (part), __FILE__, __LINE__, #got " has " #part)

/* A line that a reader of the log sees and no program counts. */
__attribute__((format(printf, 1, 2))) TAP_UNUSED static void diag(const char *fmt, ...)
{
	va_list ap;

	fputs("# ", stdout);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

/* One result line. '#' would begin a directive and a newline a line: both are replaced. */
static void tap_line(bool ok, const char *text, const char *directive)
{
	printf("%sok %u - ", ok ? "" : "not ", ++tap_run);
	for (; *text; text++)
		putchar(*text == '\n' ? ' ' : *text == '#' ? '.' : *text);
	printf("%s\n", directive);
	fflush(stdout);
}

static bool tap_report(bool ok, const char *file, int line, const char *text)
{
	tap_line(ok, text, "");
	if (!ok) {
		tap_failed++;
		diag("at %s:%d", file, line);
	}
	return ok;
}

__attribute__((format(printf, 4, 5)))
TAP_UNUSED static bool tap_ok(bool ok, const char *file, int line, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return tap_report(ok, file, line, text);
}

TAP_UNUSED static bool tap_eq_u(uint64_t got, uint64_t want, const char *file, int line,
				const char *text)
{
	if (tap_report(got == want, file, line, text))
		return true;
	diag(" got %" PRIu64 " (0x%" PRIx64 ")", got, got);
	diag("want %" PRIu64 " (0x%" PRIx64 ")", want, want);
	return false;
}

TAP_UNUSED static bool tap_in_u(uint64_t got, uint64_t lo, uint64_t hi, const char *file, int line,
				const char *text)
{
	if (tap_report(lo <= got && got <= hi, file, line, text))
		return true;
	diag(" got %" PRIu64, got);
	diag("want %" PRIu64 " .. %" PRIu64, lo, hi);
	return false;
}

TAP_UNUSED static bool tap_eq_i(int64_t got, int64_t want, const char *file, int line,
				const char *text)
{
	if (tap_report(got == want, file, line, text))
		return true;
	diag(" got %" PRId64, got);
	diag("want %" PRId64, want);
	return false;
}

TAP_UNUSED static bool tap_eq_d(double got, double want, double tol, const char *file, int line,
				const char *text)
{
	/* Written so that a NaN is not equal to anything. */
	if (tap_report(got >= want - tol && got <= want + tol, file, line, text))
		return true;
	diag(" got %.17g", got);
	diag("want %.17g +- %g", want, tol);
	return false;
}

/* Text with the characters that do not show made visible, cut at 2000 bytes. */
static void tap_quote(const char *label, const void *data, size_t len)
{
	const unsigned char *p = data;

	printf("# %s ", label);
	if (!p) {
		puts("NULL");
		return;
	}
	putchar('"');
	for (size_t i = 0; i < len && i < 2000; i++) {
		if (p[i] == '\n')
			fputs("\\n", stdout);
		else if (p[i] < ' ' || p[i] > '~' || p[i] == '"' || p[i] == '\\')
			printf("\\x%02x", p[i]);
		else
			putchar(p[i]);
	}
	printf("\"%s\n", len > 2000 ? " ..." : "");
}

TAP_UNUSED static bool tap_eq_s(const char *got, const char *want, const char *file, int line,
				const char *text)
{
	bool same = got && want ? strcmp(got, want) == 0 : got == want;

	if (tap_report(same, file, line, text))
		return true;
	tap_quote(" got", got, got ? strlen(got) : 0);
	tap_quote("want", want, want ? strlen(want) : 0);
	return false;
}

TAP_UNUSED static bool tap_has_s(const char *got, const char *part, const char *file, int line,
				 const char *text)
{
	if (tap_report(got && strstr(got, part), file, line, text))
		return true;
	tap_quote(" got", got, got ? strlen(got) : 0);
	tap_quote("part", part, strlen(part));
	return false;
}

TAP_UNUSED static bool tap_eq_p(const void *got, const void *want, const char *file, int line,
				const char *text)
{
	if (tap_report(got == want, file, line, text))
		return true;
	diag(" got %p", got);
	diag("want %p", want);
	return false;
}

TAP_UNUSED static bool tap_eq_mem(const void *got, const void *want, size_t len, const char *file,
				  int line, const char *text)
{
	const unsigned char *g = got, *w = want;
	size_t at = 0, from;

	while (at < len && g[at] == w[at])
		at++;
	if (tap_report(at == len, file, line, text))
		return true;
	from = at < 8 ? 0 : at - 8;
	diag("first difference at byte %zu of %zu; from byte %zu:", at, len, from);
	tap_quote(" got", g + from, len - from < 32 ? len - from : 32);
	tap_quote("want", w + from, len - from < 32 ? len - from : 32);
	return false;
}

/* Counts one check that cannot be made here, with the reason: never pass quietly. */
TAP_UNUSED static void skip(const char *why)
{
	char directive[256];

	snprintf(directive, sizeof(directive), " # SKIP %s", why);
	tap_line(true, "skipped", directive);
}

/* Ends the program: none of its checks can be made here. Only before the first check. */
TAP_UNUSED __attribute__((noreturn)) static void skip_all(const char *why)
{
	printf("1..0 # SKIP %s\n", why);
	exit(0);
}

/* Announces the number of checks, for a test that could end early without being noticed. */
TAP_UNUSED static void plan(unsigned n)
{
	tap_planned = n;
	printf("1..%u\n", n);
}

/* Prints the plan if plan() did not, and gives main's status: `return done_testing();` */
TAP_UNUSED static int done_testing(void)
{
	if (!tap_planned)
		printf("1..%u\n", tap_run);
	else if (tap_planned != tap_run)
		diag("planned %u checks, made %u", tap_planned, tap_run);
	fflush(stdout);
	return tap_failed || (tap_planned && tap_planned != tap_run);
}
