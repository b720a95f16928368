/* settings.h -- The command line of memusageserve.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

#include "cli/options.h"
#include "memusageserve/options/push_options.h"

/* Strings point into argv; NULL means "not given". */
struct settings {
	unsigned int pid;	/* a process of the run, or the memusage that started it */
	const char *serve;	/* address for listener_open(); NULL: serve nothing */
	unsigned int listener;	/* descriptor of the socket, which memusage has opened; 0: none */
	unsigned int collector;	/* process ID of the collector, if memusage knows it; 0: unknown */
	struct push_options push;
	unsigned int recording;	/* descriptor of the file to which memusage adds the processes that
				 * have ended; 0: none */
	bool is_check;		/* only look whether the options are right */
	bool no_names_cache;
	bool quiet;
};

/* The option table, for tests. Its values go to one static struct settings. */
extern const struct opt_tool settings_tool;

/* settings_parse -- Reads the command line.
 *
 * Does not return if it is invalid or asks for help. The result is static.
 */
const struct settings *settings_parse(int argc, char **argv);
