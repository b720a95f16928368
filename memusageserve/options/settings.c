/* settings.c -- The command line of memusageserve.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageserve/options/settings.h"

#include <limits.h>

static struct settings given;

static const struct opt options[] = {
	OPT_GROUP("What is served"),
	OPT_UINT(0, "pid", "PID", &given.pid, 1, INT_MAX,
		 "the run of process PID, which memusage records, or which is that memusage"),
	OPT_GROUP("Where"),
	OPT_STR_OPTIONAL(0, "serve", "ADDRESS", &given.serve, "",
			 "answer requests by HTTP at a Unix socket that only this user can open "
			 "(unix:PATH; default: PID.http in a directory of this user), or at a TCP "
			 "port (HOST:PORT, or PORT of 127.0.0.1)"),
	OPT_GROUP("Pushing"),
	OPT_STR(0, "push", "URL", &given.push.url,
		"send profiles to a Pyroscope server, or with otlp: in front of URL to one that "
		"takes OpenTelemetry's profiles, of which the format may change; unix:PATH is a "
		"server at a Unix socket"),
	OPT_CALL(0, "push-interval", "TIME", push_interval_option, &given.push,
		 "send one every TIME: 15s (default), 500ms, 1m"),
	OPT_CALL(0, "label", "KEY=VALUE", push_label_option, &given.push,
		 "a label of all profiles; service_name is by default the name of the program"),
	OPT_STR(0, "push-headers", "FILE", &given.push.headers,
		"send also the headers in FILE, a line each: Authorization, X-Scope-OrgID"),
	OPT_STR(0, "push-ca", "FILE", &given.push.authority,
		"accept a server at https whose certificate is signed by an authority in FILE "
		"(PEM), instead of those that the system trusts"),
	OPT_GROUP("How"),
	OPT_FLAG(0, "no-names-cache", &given.no_names_cache,
		 "neither use nor keep names in $XDG_CACHE_HOME/memusage"),
	OPT_FLAG('q', "quiet", &given.quiet, "do not say where it listens"),
	{ .kind = OPT_KIND_UINT, .name = "listener", .arg = "FD", .value = &given.listener,
	  .min = 3, .max = INT_MAX, .help = "of memusage: the socket of --serve", .hidden = true },
	{ .kind = OPT_KIND_UINT, .name = "recording", .arg = "FD", .value = &given.recording,
	  .min = 3, .max = INT_MAX, .help = "of memusage: processes that ended", .hidden = true },
	{ .kind = OPT_KIND_FLAG, .name = "check", .value = &given.is_check,
	  .help = "of memusage: only look whether --push is right", .hidden = true },
	{ .kind = OPT_KIND_UINT, .name = "collector", .arg = "PID", .value = &given.collector,
	  .min = 1, .max = INT_MAX, .help = "of memusage: its collector", .hidden = true },
	OPT_END
};

static const char brief[] =
	"Serve what memusage records of a program that runs, or push it to a server.\n"
	"memusage --serve PROGRAM starts it, too.\n"
	"\n"
	"      --pid=PID             of this process, or of the memusage that started it\n"
	"Answer by HTTP: profiles for pprof, figures for Prometheus, a page:\n"
	"      --serve[=unix:PATH|HOST:PORT]\n"
	"                            where; by default a socket of this user\n"
	"Send profiles:\n"
	"      --push=URL            to Pyroscope; otlp:URL: OpenTelemetry; unix:PATH\n"
	"      --push-interval=TIME  15s, 500ms, 1m\n"
	"      --label=KEY=VALUE     with this label\n"
	"      --push-headers=FILE   with these headers\n"
	"      --push-ca=FILE        to a server whose certificate it has signed\n"
	"Messages:\n"
	"  -q, --quiet               only errors\n"
	"\n"
	"Examples:\n"
	"  memusageserve --pid=4711 --serve=127.0.0.1:6060\n"
	"  memusageserve --pid=4711 --push=http://pyroscope:4040 --label=env=prod\n"
	"memusageserve --help=all lists all options; man memusageserve explains them.";

/* Options of memusage that users look for here. */
static const struct opt_elsewhere elsewhere[] = {
	{ "sample", "memusage", "memusage --sample --serve PROGRAM" },
	{ "html", "memusage", "memusage --pid=PID html FILE" },
	{ NULL, NULL, NULL }
};

const struct opt_tool settings_tool = {
	.name = "memusageserve",
	.about = "Serve what memusage records of a program that runs: profiles for pprof, "
		 "metrics for Prometheus, and a page for a browser. memusage --serve PROGRAM "
		 "starts it, too.",
	.options = options,
	.brief = brief,
	.elsewhere = elsewhere,
	.usage_status = 2,
};

const struct settings *settings_parse(int argc, char **argv)
{
	int first = options_parse(&settings_tool, argc, argv);

	if (first < argc)
		options_error(&settings_tool, "'%s' is too much: --pid=PID names the process, and "
			      "memusage --serve starts one", argv[first]);
	if (given.pid == 0)
		options_error(&settings_tool, "--pid=PID is missing");
	if (!given.serve && !given.push.url)
		given.serve = "";
	if (!given.push.url && (given.push.interval_ms || given.push.labels ||
				given.push.service || given.push.headers ||
				given.push.authority))
		options_error(&settings_tool, "--push-interval, --push-headers, --push-ca and "
			      "--label say how to push: --push=URL is missing");
	return &given;
}
