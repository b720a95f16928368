/* demangle_list.h -- The source names of many symbols, made in a process of its own.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>

/* demangle_list -- Replaces names by those that programmers gave.
 *
 * name  COUNT texts from malloc(), which may be hostile; those that are no mangled names stay, as
 *       do all if no child can be made or one of them breaks it. None has a line feed.
 * Cost a fork, if any name looks mangled.
 */
void demangle_list(char **name, size_t count);
