/* remote_run.c -- One run of `memusage --pid`: what it asks for, of which process, and its outputs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/remote/remote_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/output.h"
#include "cli/xmalloc.h"

const char *remote_file_name(const struct remote *r)
{
	return r->operand ? r->operand : r->command->file;
}

bool remote_makes_file(const struct remote *r)
{
	return r->command->file || (r->command->is_pattern && r->operand);
}

bool remote_makes_tree(const struct remote *r)
{
	return r->command->is_xtree || r->makes_leak_tree;
}

void remote_append_options(struct opt_list *list, const struct remote *r)
{
	const struct control_answer *a = &r->contact.answer;
	size_t at = strnlen(a->text, CONTROL_TEXT) + 1;

	for (; at < a->text_length; at += strlen(a->text + at) + 1) {
		if (massif_may_pass(a->text + at))
			opt_list_append(list, a->text + at);
	}
	opt_list_append_all(list, &r->settings->massif.report);
}

/* Replaces %n by the file's number for this process, and keeps the other specifiers. */
static char *number_name(const char *pattern, uint32_t number)
{
	char *text = xstrdup(""), *longer;

	while (*pattern) {
		bool is_number = strncmp(pattern, "%n", 2) == 0;
		bool is_pair = *pattern == '%' && pattern[1];

		if (is_number)
			longer = xasprintf("%s%u", text, number);
		else
			longer = xasprintf("%s%.*s", text, is_pair ? 2 : 1, pattern);
		free(text);
		text = longer;
		pattern += is_number || is_pair ? 2 : 1;
	}
	return text;
}

char *remote_xtree_name(const struct remote *r, uint32_t number)
{
	char why[128];
	char *pattern = number_name(remote_file_name(r), number);
	char *name = output_expand(pattern, r->pid, getenv, why);

	if (!name)
		warn("%s: %s", pattern, why);
	free(pattern);
	return name;
}

void remote_tell_written(const struct remote *r, const char *name)
{
	if (!r->settings->quiet)
		fprintf(stderr, "memusage: %s of process %d: %s\n", r->command->name,
			(int)r->pid, name);
}
