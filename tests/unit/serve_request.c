/* serve_request.c -- a request is what its path and arguments say, and no other host's.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stddef.h>
#include <string.h>

#include "memusageserve/http/host.h"
#include "memusageserve/http/request.h"
#include "tests/lib/tap.h"

static void test_escapes(void)
{
	static const struct {
		const char *text, *result;
	} cases[] = {
		{ "", "" }, { "/metrics", "/metrics" }, { "%2Fmetric%73", "/metrics" },
		{ "%2fa%2F", "/a/" }, { "/metrics%00x", "/metrics%00x" }, { "%00", "%00" },
		{ "%2500", "%00" }, { "%0%30", "%00" }, { "%", "%" }, { "%4", "%4" },
		{ "%4g", "%4g" }, { "%g4", "%g4" }, { "%-1", "%-1" }, { "% 1", "% 1" },
		{ "%%41", "%A" }, { "%ff", "\377" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char text[20];

		strcpy(text, cases[i].text);
		EQ_U(request_unescape(text), strlen(cases[i].result));
		EQ_S(text, cases[i].result);
	}
}

static void test_paths(void)
{
	static const struct {
		const char *path;
		enum request_kind kind;
		bool is_allocs;
	} cases[] = {
		{ "/", REQUEST_PAGE, false },
		{ "/metrics", REQUEST_METRICS, false },
		{ "/debug/pprof", REQUEST_LIST, false },
		{ "/debug/pprof/", REQUEST_LIST, false },
		{ "/debug/pprof/heap", REQUEST_PROFILE, false },
		{ "/debug/pprof/allocs", REQUEST_PROFILE, true },
		{ "", REQUEST_NONE, false },
		{ "//", REQUEST_NONE, false },
		{ "/metrics/", REQUEST_NONE, false },
		{ "/metric", REQUEST_NONE, false },
		{ "/Metrics", REQUEST_NONE, false },
		{ "/debug/pprof/heap/..", REQUEST_NONE, false },
		{ "/../metrics", REQUEST_NONE, false },
		{ "metrics", REQUEST_NONE, false },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct request r;

		request_begin(&r, cases[i].path);
		EQ_U(r.kind, cases[i].kind);
		EQ_U(r.is_allocs, cases[i].is_allocs);
		EQ_U(r.seconds, 0);
		EQ_U(r.pid, 0);
	}
}

static void test_arguments(void)
{
	static const struct {
		const char *name, *value;
		bool is_good;
	} cases[] = {
		{ "seconds", "0", true }, { "seconds", "3600", true }, { "seconds", "3601", false },
		{ "seconds", "-1", false }, { "seconds", "+1", false }, { "seconds", " 1", false },
		{ "seconds", "1s", false }, { "seconds", "", false }, { "seconds", NULL, false },
		{ "seconds", "18446744073709551617", false },
		{ "debug", "0", true }, { "debug", "1", true }, { "debug", "2", true },
		{ "debug", "x", false }, { "debug", NULL, false },
		{ "pid", "1", true }, { "pid", "2147483647", true }, { "pid", "0", false },
		{ "pid", "2147483648", false }, { "pid", "4294967297", false },
		{ "refresh", "10", true }, { "refresh", "3601", false },
		{ "gc", "1", true }, { "gc", NULL, true }, { "", "", true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct request r;

		request_begin(&r, "/debug/pprof/heap");
		EQ_U(request_argument(&r, cases[i].name, cases[i].value) == NULL,
		     cases[i].is_good);
	}
}

static void test_values(void)
{
	struct request a, b;

	request_begin(&a, "/debug/pprof/heap");
	b = a;
	IS_TRUE(request_is_same(&a, &b));
	request_argument(&a, "seconds", "30");
	request_argument(&a, "pid", "4711");
	request_argument(&a, "debug", "1");
	EQ_U(a.seconds, 30);
	EQ_U(a.pid, 4711);
	IS_TRUE(a.is_text);
	IS_FALSE(request_is_same(&a, &b));
	request_argument(&a, "debug", "0");
	IS_FALSE(a.is_text);
	request_begin(&b, "/debug/pprof/allocs");
	request_begin(&a, "/debug/pprof/heap");
	IS_FALSE(request_is_same(&a, &b));
}

static void test_hosts(void)
{
	static const struct {
		const char *header, *own;
		bool is_ours;
	} cases[] = {
		{ NULL, NULL, true },
		{ "localhost", NULL, true }, { "localhost:8080", NULL, true },
		{ "LocalHost", NULL, true }, { "127.0.0.1", NULL, true },
		{ "127.0.0.1:1", "127.0.0.1", true }, { "10.1.2.3:9", NULL, true },
		{ "[::1]", NULL, true }, { "[::1]:80", NULL, true }, { "[fe80::1]:80", "::", true },
		{ "me.example:80", "me.example", true }, { "ME.example", "me.example", true },
		{ "me.example:80", NULL, false }, { "other.example", "me.example", false },
		{ "me.example.evil", "me.example", false }, { "", NULL, false },
		{ ":80", NULL, false }, { "localhost:", NULL, true },
		{ "localhost:80x", NULL, false }, { "localhost:80:80", NULL, false },
		{ "[::1", NULL, false }, { "[::1]x", NULL, false }, { "[]", NULL, false },
		{ "::1", NULL, false }, { "localhost@evil", NULL, false },
		{ "127.0.0.1.evil", NULL, false }, { "localhost.", NULL, false },
		{ "0x7f.1", NULL, false }, { "2130706433", NULL, false },
	};
	char name[1000];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		OK(host_is_ours(cases[i].header, cases[i].own) == cases[i].is_ours, "host '%s'",
		   cases[i].header ? cases[i].header : "none");
	}
	memset(name, '1', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	IS_FALSE(host_is_ours(name, NULL));
}

int main(void)
{
	test_escapes();
	test_paths();
	test_arguments();
	test_values();
	test_hosts();
	return done_testing();
}
