/* options_help.h -- the texts of --help, --usage and --version, made from the table.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "cli/options.h"

/* --help, --usage, --version: what every table gets at its end. */
extern const struct opt opt_common[];

/* options_show -- print one of the four texts on standard output and exit.
 *
 * kind  OPT_KIND_HELP, OPT_KIND_HELP_ALL, OPT_KIND_USAGE or OPT_KIND_VERSION.
 * Exits with 0, or with 1 and a message when standard output does not take the text.
 */
void options_show(const struct opt_tool *tool, enum opt_kind kind) __attribute__((noreturn));
