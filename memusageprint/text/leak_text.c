/* leak_text.c -- The leak checks of a process, as Memcheck prints them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/text/leak_text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/terminal.h"
#include "cli/units.h"
#include "cli/xmalloc.h"
#include "formats/leaks/leak_lists.h"
#include "formats/leaks/leak_report.h"
#include "memusageprint/job/image_name.h"
#include "memusageprint/job/leak_input.h"
#include "memusageprint/job/not_examined.h"

/* Names of functions come from any file: what is not text is not printed as such. */
static void put_clean_lines(FILE *out, char *text)
{
	for (char *line = text, *end; *line; line = end) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = '\0';
		terminal_put(out, line);
		putc('\n', out);
	}
}

static unsigned int errors;

unsigned int leak_text_errors(void)
{
	return errors;
}

/* Prints a list in the place of a check. Returns whether the list could be made. */
static bool write_list(FILE *out, const struct leak_report *r, const struct mu_leak_list *list)
{
	if (list->kind == MU_LEAK_LIST_POINTERS) {
		leak_lists_write_pointers(out, r, list);
		return true;
	}
	if (leak_lists_write_blocks(out, r, list))
		return true;
	warn("block_list: there is no loss record %u", (unsigned int)list->first);
	return false;
}

static bool print_check(FILE *out, const struct leak_report *r, const struct mu_leak_list *list)
{
	size_t length;
	char *text;
	FILE *stream = xopen_memstream(&text, &length);
	bool ok = true;

	if (list)
		ok = write_list(stream, r, list);
	else
		errors += leak_report_write(stream, r);
	xclose_memstream(stream);
	put_clean_lines(out, text);
	free(text);
	return ok;
}

/* The text is Memcheck's, which has no time. */
static void warn_about_check(const struct report_subject *s, const struct leak_check *c)
{
	const uint64_t start = s->image.head.process.start_mono_ns;
	char time[UNITS_LENGTH];

	if (c->head.flags & MU_LEAK_CHECK_ASKED && s->image.head.end != MU_END_RUNNING)
		warn("process %d: this leak check was asked for %s after its start", (int)s->pid,
		     units_time(time, c->head.mono_ns > start ? c->head.mono_ns - start : 0));
	if (c->head.flags & MU_LEAK_CHECK_CUT)
		warn("process %d: some of its memory could not be read: blocks to which only that "
		     "points seem lost", (int)s->pid);
}

/* Returns whether the last check, which a client has asked for, is the report: of a copy, and of a
 * run that has no other. */
static bool is_answer(const struct report_subject *s, const struct leak_checks *all)
{
	if (all->count == 0 || !(all->check[all->count - 1].head.flags & MU_LEAK_CHECK_ASKED))
		return false;
	for (size_t i = 0; s->image.head.end != MU_END_RUNNING && i < all->count; i++) {
		if (!(all->check[i].head.flags & MU_LEAK_CHECK_ASKED))
			return false;
	}
	return true;
}

/* The other checks are printed together at the end; those that clients have asked for were printed
 * then. */
static bool is_printed(const struct report_subject *s, const struct leak_checks *all, size_t i)
{
	return is_answer(s, all) ? i == all->count - 1 :
				   !(all->check[i].head.flags & MU_LEAK_CHECK_ASKED);
}

/* A run that was to be examined at its end says why it was not. */
static bool lacks_end(const struct report_subject *s, const struct leak_checks *all)
{
	return all->count == 0 || (is_answer(s, all) && s->image.head.end != MU_END_RUNNING &&
				   s->recording->segment.head.config.flags & MU_CFG_LEAKS);
}

/* The path of the file with the records, as Memcheck prints it. The name of a file that a client
 * copies later is not known here. */
static char *tree_name(const struct report_subject *s, const struct settings *settings)
{
	static const char descriptor[] = "/proc/self/fd/";
	char *name = image_name_make(s, settings, settings->leak_tree_file), *here, *path;

	if (!name || strncmp(name, descriptor, sizeof(descriptor) - 1) == 0) {
		free(name);
		return xstrdup("");
	}
	here = *name == '/' ? NULL : getcwd(NULL, 0);
	path = here ? xasprintf("%s/%s", here, name) : xstrdup(name);
	free(here);
	free(name);
	return path;
}

static bool print_checks(FILE *out, const struct report_subject *s, struct leak_input *in)
{
	const char *tree = in->report.o.tree;
	bool is_ok = true;

	for (size_t k = 0; k < in->all.count; k++) {
		if (!is_printed(s, &in->all, k))
			continue;
		leak_input_select(in, k);
		in->report.o.tree = leak_input_has_tree(in) ? tree : NULL;
		warn_about_check(s, &in->all.check[k]);
		is_ok = print_check(out, &in->report, in->all.check[k].list) && is_ok;
	}
	return is_ok && in->report.check;
}

int leak_text_print(FILE *out, struct report_subject *s, const struct settings *settings)
{
	struct leak_input in;
	char *tree = settings->leak_tree == YES ? tree_name(s, settings) : NULL;
	bool is_ok;

	leak_input_read(&in, s, settings);
	in.report.o.tree = tree;
	is_ok = print_checks(out, s, &in);
	if (lacks_end(s, &in.all))
		not_examined_warn(s, EXAMINED_LEAKS);
	leak_input_free(&in);
	free(tree);
	return is_ok ? 0 : -1;
}
