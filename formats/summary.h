/* summary.h -- the text that a profiled program gets at its end.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "profile/read/result.h"

/* summary_print -- the summary of one image, in glibc's layout.
 *
 * out    where to; errors are the caller's to notice (ferror).
 * color  with the terminal escapes that glibc always writes.
 * mmap   with the five rows of mmap and its friends.
 * A row "memalign" is added if such a function was called, which glibc's tool cannot see.
 * Where pages are the heap there are no rows of malloc and its friends.
 */
void summary_print(FILE *out, const struct result *r, bool color, bool mmap);
