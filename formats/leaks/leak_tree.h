/* leak_tree.h -- The loss records of a leak check as a call tree, as Memcheck's --xtree-leak.
 *
 * The events are bytes and blocks of each kind of loss, and by how much each is more (i...) or less
 * (d...) than in the check before. Bytes that are definitely lost have those in them that are lost
 * with them. The file has the records that the report would print, in their order.
 *
 * Source  Valgrind 3.19: its manual, section 4.3, --xtree-leak, and files that it wrote.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdio.h>

#include "formats/leaks/leak_input.h"
#include "formats/xtree.h"

/* leak_tree_write -- Writes the file.
 *
 * e         of the same process as R.
 * is_plain  as in struct xtree_options.
 * Errors of OUT stay with it.
 */
void leak_tree_write(FILE *out, const struct leak_report *r, const struct export *e, bool is_plain);
