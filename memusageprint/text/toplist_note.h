/* toplist_note.h -- What the figures of a list of places mean.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdio.h>

#include "memusageprint/text/toplist.h"

/* toplist_note_put -- Prints the meaning of the numbers of a list, after an empty line.
 *
 * out  a layout_open() stream; errors stay with it.
 */
void toplist_note_put(FILE *out, const struct toplist *list);
