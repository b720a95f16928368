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
	OPT_GROUP("How"),
	OPT_FLAG(0, "no-names-cache", &given.no_names_cache,
		 "neither use nor keep names in $XDG_CACHE_HOME/memusage"),
	OPT_FLAG('q', "quiet", &given.quiet, "do not say where it listens"),
	{ .kind = OPT_KIND_UINT, .name = "listener", .arg = "FD", .value = &given.listener,
	  .min = 3, .max = INT_MAX, .help = "of memusage: the socket of --serve", .hidden = true },
	{ .kind = OPT_KIND_UINT, .name = "collector", .arg = "PID", .value = &given.collector,
	  .min = 1, .max = INT_MAX, .help = "of memusage: its collector", .hidden = true },
	OPT_END
};

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
	if (!given.serve)
		given.serve = "";
	return &given;
}
