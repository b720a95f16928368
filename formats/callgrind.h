/* callgrind.h -- a profile for KCachegrind, QCachegrind and callgrind_annotate.
 *
 * Costs are bytes and blocks at the peak, at the end and in all, and temporary blocks. A
 * function's own cost is what it allocated itself; what it called is in the cost of its calls.
 * A function that is on a stack several times is charged where it is innermost, so recursion is
 * not counted twice; its outer calls are not shown for that stack.
 *
 * Source Valgrind 3.19 manual, "Callgrind Format Specification".
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "formats/export.h"

/* callgrind_put_name -- Prints "fn=(3) name" the first time, "fn=(3)" from then on.
 *
 * key       "fn"
 * number    2; one less than the number in the file.
 * is_named  by number; set.
 */
void callgrind_put_name(FILE *out, const char *key, uint32_t number, bool *is_named,
			const char *name);

/* callgrind_write -- write all of a profile.
 *
 * Errors of OUT stay with it.
 * Cost O(frames of all stacks); memory by functions and calls between them.
 */
void callgrind_write(FILE *out, const struct export *e);
