/* accesses.h -- Options that count reads and writes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

#include "cli/options.h"
#include "recording/recording.h"

/* In the order of the words of --accesses and of enum mu_access_engine. */
enum access_engine { ACCESSES_NONE, ACCESSES_HOOKS, ACCESSES_EMULATE };

struct access_settings {
	int engine;	/* enum access_engine */
	bool copies;	/* --mode=copy */
};

/* accesses_print_cflags, accesses_print_libs -- Print the options with which a program is to be
 * compiled or linked, and exit: opt_fns.
 *
 * arg  the compiler: "gcc" or "clang".
 */
const char *accesses_print_cflags(const struct opt *option, const char *arg, void *data);
const char *accesses_print_libs(const struct opt *option, const char *arg, void *data);

/* accesses_configure -- Copies the settings to the recorder's configuration. */
void accesses_configure(struct mu_config *config, const struct access_settings *a);

/* accesses_library -- Returns the file name of the recorder that the settings and a program need.
 *
 * program  path of its file. Copies are seen without compilers' hooks, too: a program that was not
 *          built for them may have those of a sanitizer, which must stay its own.
 */
const char *accesses_library(const struct access_settings *a, const char *program);
