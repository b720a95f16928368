/* condition_list.h -- The conditions of a run: those of the command line and of budget files.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>

#include "profile/budget/condition.h"

enum { CONDITION_LIST_MAX = 1000 };

struct condition_list {
	struct condition *item;
	size_t count;
};

/* condition_list_add -- Parses a condition and appends it, unless the list has it already: a budget
 * file may repeat what the command line says, and formats of reports need different names.
 *
 * Returns 0, or -1 with ERR, whose text can follow the condition: "is wrong at column 6: ...".
 */
int condition_list_add(struct condition_list *list, const char *text, struct mu_error *err);

/* condition_list_read -- Appends the conditions of a file: one on each line. A # begins a comment,
 * at the beginning of a line or behind a blank.
 *
 * Returns 0, or -1 with ERR, whose text can follow the name of the file. A file without any
 * condition is an error, too: it would never fail.
 */
int condition_list_read(struct condition_list *list, const char *file, struct mu_error *err);

/* condition_list_find -- Returns the first condition about a metric, or NULL. */
const struct condition *condition_list_find(const struct condition_list *list,
					    enum condition_metric metric);

/* condition_list_find_relative -- Returns the first condition that needs a baseline, or NULL. */
const struct condition *condition_list_find_relative(const struct condition_list *list);

/* condition_list_free -- Releases it. */
void condition_list_free(struct condition_list *list);
