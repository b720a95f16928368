/* advice.h -- What makes the names in a list of places better.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "profile/model/profile.h"
#include "profile/model/top.h"

/* advice_print_names -- Prints how to get names where a list has addresses, or an interpreter.
 *
 * out        a layout_open() stream or any other; errors stay with it.
 * p          of the list.
 * places     built by TOP_BY_LINE or TOP_BY_FUNCTION.
 * by_blocks  the list is ordered by blocks, not bytes.
 * Prints an empty line and a sentence for each advice, and nothing if less than a quarter of the
 * list is concerned. Cost O(places).
 */
void advice_print_names(FILE *out, const struct profile *p, const struct top *places,
			bool by_blocks);
