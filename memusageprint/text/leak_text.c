/* leak_text.c -- The leak checks of a process, as Memcheck prints them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/text/leak_text.h"

#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/terminal.h"
#include "cli/xmalloc.h"
#include "formats/leaks/leak_lists.h"
#include "formats/leaks/leak_report.h"
#include "profile/read/counters.h"
#include "profile/read/result.h"

enum { CALLERS_DEFAULT = 12 }; /* Valgrind's --num-callers */

/* ---- reports ---------------------------------------------------------------------------- */

/* The heap as Memcheck counts it: a realloc allocates and frees. */
static struct leak_heap heap_of_run(const struct report_subject *s)
{
	struct result *result = xmalloc(sizeof(*result));
	struct image im = s->image;
	struct leak_heap heap;
	const uint64_t *calls;

	result_take(result, &im);
	calls = result->counters.calls;
	heap = (struct leak_heap){
		.allocs = calls[MU_FN_MALLOC] + calls[MU_FN_CALLOC] + calls[MU_FN_REALLOC] +
			  calls[MU_FN_MEMALIGN],
		.frees = 0,
		.bytes = 0,
	};
	for (uint32_t i = 0; i < s->profile.sites.count; i++) {
		if (sites_is_counted(&s->profile.sites.site[i]))
			heap.bytes += s->profile.sites.site[i].total_bytes;
	}
	free(result);
	return heap;
}

static uint64_t live_blocks(const struct leak_check *c)
{
	uint64_t blocks = 0;

	for (uint64_t i = 0; i < c->head.count; i++)
		blocks += c->loss[i].blocks;
	return blocks;
}

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

/* What is printed in the place of a check. Returns whether the list could be made. */
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

/* Which records the program wanted to see. */
static enum leak_delta delta_of(const struct leak_check *c)
{
	return c->head.flags & MU_LEAK_CHECK_NEW       ? LEAK_NEW :
	       c->head.flags & MU_LEAK_CHECK_INCREASED ? LEAK_INCREASED :
	       c->head.flags & MU_LEAK_CHECK_CHANGED   ? LEAK_CHANGED :
							 LEAK_ANY;
}

static void warn_about_check(const struct report_subject *s, const struct leak_check *c)
{
	if (c->head.flags & MU_LEAK_CHECK_CUT)
		warn("process %d: some of its memory could not be read: blocks to which only that "
		     "points seem lost", (int)s->pid);
}

/* The other checks are printed together at the end; those that clients have asked for were printed
 * then, and the last of them is what this recording is for. */
static bool is_printed(const struct leak_checks *all, size_t i)
{
	const bool is_answer = all->check[all->count - 1].head.flags & MU_LEAK_CHECK_ASKED;

	return is_answer ? i == all->count - 1 : !(all->check[i].head.flags & MU_LEAK_CHECK_ASKED);
}

int leak_text_print(FILE *out, struct report_subject *s, const struct settings *settings)
{
	struct leak_report r = {
		.filter = report_subject_complete(s),
		.pid = (uint32_t)s->pid,
		.entry = s->image.head.examined.entry,
		.o = {
			.shown = settings->leak_kinds,
			.errors = settings->leak_errors,
			.resolution = (enum leak_resolution)settings->leak_resolution,
			.callers = settings->callers ? settings->callers : CALLERS_DEFAULT,
			.strip = (const char *const *)settings->fullpath_after.item,
			.strips = settings->fullpath_after.count,
			.no_inlines = settings->read_inlines == NO,
			.show_below_main = settings->below_main == YES,
		},
	};
	struct leak_heap heap = heap_of_run(s);
	static const struct leak_check none;
	const bool is_full = settings->leak_check == LEAK_CHECK_FULL;
	bool is_ok = true;
	struct leak_checks all;

	leak_checks_read(&all, &s->image);
	for (size_t k = 0; k < all.count; k++) {
		const struct mu_leak_list *list = all.check[k].list;
		/* A list is about the records of the check before. */
		const size_t i = list && k > 0 ? k - 1 : k;

		if (!is_printed(&all, k))
			continue;
		r.check = &all.check[i];
		r.o.is_full = is_full && !(r.check->head.flags & MU_LEAK_CHECK_SUMMARY);
		r.o.delta = delta_of(r.check);
		r.o.limit = r.check->head.limit;
		r.o.is_asked = r.check->head.flags & MU_LEAK_CHECK_ASKED;
		r.before = i > 0 ? &all.check[i - 1] : &none;
		r.heap = r.check->head.flags & MU_LEAK_CHECK_AT_END ? &heap : NULL;
		heap.frees = heap.allocs - live_blocks(r.check);
		warn_about_check(s, &all.check[k]);
		is_ok = print_check(out, &r, list) && is_ok;
	}
	if (all.count == 0)
		warn("process %d: no leak check was made: give --leak-check=full to memusage, or "
		     "ask while it runs: memusage --pid=PID leak_check", (int)s->pid);
	leak_checks_free(&all);
	return r.check && is_ok ? 0 : -1;
}
