/* gate_table.h -- The figures of several runs: least, median, most, and what they depend on.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdio.h>

#include "profile/budget/condition_list.h"
#include "profile/budget/verdict.h"

/* gate_table_add -- Appends a condition for each figure of the table, where the list has none. */
void gate_table_add(struct condition_list *list);

/* gate_table_print -- Prints the table.
 *
 * list    after gate_table_add().
 * spread  one per condition of the list; of one that is not known, runs is 0.
 */
void gate_table_print(FILE *out, const struct condition_list *list,
		      const struct figure_spread *spread);
