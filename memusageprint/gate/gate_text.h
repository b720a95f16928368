/* gate_text.h -- What a gate found, for people.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdio.h>

#include "formats/gate/gate.h"

/* gate_text_print -- Prints each broken condition with its places, then the others.
 *
 *	heap peak > 64M: 71.2 MiB, 7.20 MiB over the limit
 *
 *	   40.0 MiB  read_line (input.c:34)
 *		     called by load (main.c:22), main (main.c:50)
 *
 * out     of layout_open().
 * before  in front of each sentence: "memusage: ".
 * quiet   print nothing of those that hold.
 */
void gate_text_print(FILE *out, const struct gate *g, const char *before, bool quiet);
