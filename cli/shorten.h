/* shorten.h -- Names of functions that fit into a number of columns.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>

/* shorten_name -- Shortens a name to a number of columns of a terminal.
 *
 * name   LENGTH bytes. A name that fits comes back as it is.
 * room   columns; less than SHORTEN_LEAST counts as that.
 * The outermost namespaces go first, "...::Session::lookup"; if the last component alone is too
 * long, its middle goes, "parse_configu..._of_server". Characters of several bytes stay whole.
 * Returns text that the caller frees. Cost O(LENGTH^2) at worst.
 */
char *shorten_name(const char *name, size_t length, unsigned int room);

enum { SHORTEN_LEAST = 8 };
