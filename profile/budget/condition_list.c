/* condition_list.c -- The conditions of a run: those of the command line and of budget files.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/budget/condition_list.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"

static int append_condition(struct condition_list *list, const char *text, struct mu_error *err)
{
	struct condition c;

	if (condition_parse(&c, text, err) < 0)
		return -1;
	for (size_t i = 0; i < list->count; i++) {
		if (strcmp(list->item[i].text, c.text) == 0)
			return 0;
	}
	if (list->count == CONDITION_LIST_MAX)
		return mu_error_set(err, MU_ERROR_FORMAT, 0, "there are too many conditions");
	list->item = xreallocarray(list->item, list->count + 1, sizeof(c));
	list->item[list->count++] = c;
	return 0;
}

int condition_list_add(struct condition_list *list, const char *text, struct mu_error *err)
{
	struct mu_error why;

	if (append_condition(list, text, &why) == 0)
		return 0;
	return mu_error_set(err, why.code, why.offset, "is wrong at column %" PRIu64 ": %s",
			    why.offset + 1, why.text);
}

/* The name of a function may have a # in it, main::{lambda()#1}, but none behind a blank. */
static void cut_comment(char *line)
{
	for (char *at = strchr(line, '#'); at; at = strchr(at + 1, '#')) {
		if (at == line || strchr(" \t", at[-1])) {
			*at = '\0';
			return;
		}
	}
}

static int read_lines(struct condition_list *list, FILE *in, struct mu_error *err)
{
	uint64_t number = 0, conditions = 0;
	struct mu_error why;
	char *line = NULL;
	size_t room = 0;
	int result = 0;

	while (result == 0 && getline(&line, &room, in) >= 0) {
		number++;
		cut_comment(line);
		if (line[strspn(line, " \t\r\n")] == '\0')
			continue;
		conditions++;
		if (append_condition(list, line, &why) < 0)
			result = mu_error_set(err, why.code, why.offset,
					      "is wrong at line %" PRIu64 ", column %" PRIu64
					      ": %s", number, why.offset + 1, why.text);
	}
	free(line);
	if (result == 0 && ferror(in))
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, "cannot be read: %m");
	if (result == 0 && conditions == 0)
		return mu_error_set(err, MU_ERROR_FORMAT, 0, "has no condition");
	return result;
}

int condition_list_read(struct condition_list *list, const char *file, struct mu_error *err)
{
	FILE *in = fopen(file, "re");
	int result;

	if (!in)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, "cannot be read: %m");
	result = read_lines(list, in, err);
	fclose(in);
	return result;
}

const struct condition *condition_list_find(const struct condition_list *list,
					    enum condition_metric metric)
{
	for (size_t i = 0; i < list->count; i++) {
		if (list->item[i].metric == metric)
			return &list->item[i];
	}
	return NULL;
}

const struct condition *condition_list_find_relative(const struct condition_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		if (list->item[i].is_relative)
			return &list->item[i];
	}
	return NULL;
}

void condition_list_free(struct condition_list *list)
{
	free(list->item);
	*list = (struct condition_list){ .count = 0 };
}
