/* accesses.h -- who counts reads and writes, and what programs are to be built with for it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_OPTIONS_ACCESSES_H
#define MEMUSAGE_OPTIONS_ACCESSES_H

#include <stdbool.h>

#include "cli/options.h"
#include "recording/recording.h"

/* In the order of the words of --accesses, and of enum mu_access_engine. */
enum access_engine { ACCESSES_NONE, ACCESSES_HOOKS, ACCESSES_EMULATE };

struct access_settings {
	int engine;	/* enum access_engine */
	bool copies;	/* copy mode */
};

/* accesses_print_cflags, accesses_print_libs -- print what a program is to be compiled or linked
 * with, and end: opt_fns.
 *
 * arg  the compiler: "gcc" or "clang".
 */
const char *accesses_print_cflags(const struct opt *option, const char *arg, void *data);
const char *accesses_print_libs(const struct opt *option, const char *arg, void *data);

/* accesses_configure -- what the recorder is to know. */
void accesses_configure(struct mu_config *config, const struct access_settings *a);

/* accesses_library -- the file name of the recorder that can do what is asked for. */
const char *accesses_library(const struct access_settings *a);

#endif
