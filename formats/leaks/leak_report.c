/* leak_report.c -- The result of a leak check as Memcheck prints it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/leaks/leak_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "formats/leaks/leak_line.h"
#include "formats/leaks/leak_lists.h"
#include "formats/leaks/leak_records.h"
#include "profile/graph/leak_heuristics.h"

enum { NUMBER = 64 };

static const char *const kind_words[] = {
	[MU_LOSS_REACHABLE] = "still reachable",
	[MU_LOSS_POSSIBLE] = "possibly lost",
	[MU_LOSS_INDIRECT] = "indirectly lost",
	[MU_LOSS_DEFINITE] = "definitely lost",
};

/* "1,234,567" */
static const char *grouped(uint64_t number, char text[NUMBER])
{
	char digits[NUMBER];
	int length = snprintf(digits, sizeof(digits), "%" PRIu64, number);
	char *to = text;

	for (int i = 0; i < length; i++) {
		if (i > 0 && (length - i) % 3 == 0)
			*to++ = ',';
		*to++ = digits[i];
	}
	*to = '\0';
	return text;
}

/* "1,234", or "1,234 (+12)" where changes are printed. */
static const char *with_delta(const struct leak_writer *w, uint64_t now, uint64_t before,
			      char text[2 * NUMBER])
{
	char change[NUMBER];
	size_t length;

	grouped(now, text);
	if (!w->has_delta)
		return text;
	length = strlen(text);
	grouped(now < before ? before - now : now - before, change);
	snprintf(text + length, 2 * NUMBER - length, " (%c%s)", now < before ? '-' : '+', change);
	return text;
}

/* ---- records ---------------------------------------------------------------------------- */

void leak_report_put_record(const struct leak_writer *w, const struct leak_record *r, size_t number,
			    size_t count)
{
	const uint64_t now = r->own.bytes + r->indirect.bytes;
	const uint64_t before = r->own_before.bytes + r->indirect_before.bytes;
	char total[2 * NUMBER], direct[2 * NUMBER], indirect[2 * NUMBER], blocks[2 * NUMBER];
	char nth[NUMBER], all[NUMBER];

	leak_line_begin(w);
	fputs(with_delta(w, now, before, total), w->out);
	if (r->indirect.bytes > 0)
		fprintf(w->out, " (%s direct, %s indirect)",
			with_delta(w, r->own.bytes, r->own_before.bytes, direct),
			with_delta(w, r->indirect.bytes, r->indirect_before.bytes, indirect));
	fprintf(w->out, " bytes in %s blocks are %s in loss record %s of %s\n",
		with_delta(w, r->own.blocks, r->own_before.blocks, blocks), kind_words[r->kind],
		grouped(number, nth), grouped(count, all));
	if (w->r->filter->profile->sites.count > 0)
		leak_line_put_stack(w, r->site);
}

/* The other tools of the reader have the records then. */
static void put_tree_name(const struct leak_writer *w)
{
	if (*w->r->o.tree)
		leak_line_put(w, "xtree leak report: %s", w->r->o.tree);
}

static void put_records(const struct leak_writer *w, const struct leak_records *all)
{
	for (size_t i = leak_records_first_shown(all, w->r); i < all->count; i++) {
		if (!leak_records_is_shown(&all->record[i], w->r))
			continue;
		leak_report_put_record(w, &all->record[i], i + 1, all->count);
		leak_line_put(w, "%s", "");
	}
}

static unsigned int count_errors(const struct leak_report *r, const struct leak_records *all)
{
	unsigned int errors = 0;

	for (size_t i = 0; r->o.is_full && i < all->count; i++)
		errors += r->o.errors >> all->record[i].kind & 1 &&
			  leak_records_has_changed(&all->record[i], r->o.delta);
	return errors;
}

/* ---- summaries -------------------------------------------------------------------------- */

struct totals {
	struct leak_sums kind[MU_LOSS_DEFINITE + 1];
	struct leak_sums heuristic[LEAK_HEURISTICS];
	struct leak_sums all;
};

static void add_loss(struct leak_sums *to, const struct mu_loss *loss)
{
	to->bytes += loss->bytes;
	to->blocks += loss->blocks;
}

static struct totals total_losses(const struct leak_check *c)
{
	struct totals t = { .all = { 0, 0 } };

	for (uint64_t i = 0; c && i < c->head.count; i++) {
		add_loss(&t.kind[c->loss[i].kind], &c->loss[i]);
		add_loss(&t.heuristic[c->loss[i].heuristic], &c->loss[i]);
		add_loss(&t.all, &c->loss[i]);
	}
	return t;
}

static void put_sums(const struct leak_writer *w, const char *before, const struct leak_sums *now,
		     const struct leak_sums *then)
{
	char bytes[2 * NUMBER], blocks[2 * NUMBER];

	leak_line_put(w, "%s%s bytes in %s blocks", before,
		 with_delta(w, now->bytes, then->bytes, bytes),
		 with_delta(w, now->blocks, then->blocks, blocks));
}

static void put_heap_summary(const struct leak_writer *w, const struct totals *t)
{
	const struct leak_heap *heap = w->r->heap;
	char bytes[NUMBER], blocks[NUMBER], allocs[NUMBER], frees[NUMBER];

	leak_line_put(w, "%s", "");
	leak_line_put(w, "HEAP SUMMARY:");
	leak_line_put(w, "    in use at %s: %s bytes in %s blocks",
		 heap->is_detached ? "detach" : "exit", grouped(t->all.bytes, bytes),
		 grouped(t->all.blocks, blocks));
	leak_line_put(w, "  total heap usage: %s allocs, %s frees, %s bytes allocated",
		 grouped(heap->allocs, allocs), grouped(heap->frees, frees),
		 grouped(heap->bytes, bytes));
	leak_line_put(w, "%s", "");
}

static void put_heuristics(const struct leak_writer *w, const struct totals *now,
			   const struct totals *then)
{
	static const char *const names[] = { "", "stdstring", "length64", "newarray",
					     "multipleinheritance", "header" };
	bool has_title = false;
	char before[64];

	for (unsigned int i = 1; i < LEAK_HEURISTICS; i++) {
		if (now->heuristic[i].blocks == 0 && then->heuristic[i].blocks == 0)
			continue;
		if (!has_title)
			leak_line_put(w, "                      of which reachable via heuristic:");
		has_title = true;
		snprintf(before, sizeof(before), "                        %-19s: ", names[i]);
		put_sums(w, before, &now->heuristic[i], &then->heuristic[i]);
	}
}

static void put_leak_summary(const struct leak_writer *w, const struct totals *now,
			     const struct totals *then)
{
	static const struct leak_sums none;
	const struct leak_sums *n = now->kind, *t = then->kind;

	leak_line_put(w, "LEAK SUMMARY:");
	put_sums(w, "   definitely lost: ", &n[MU_LOSS_DEFINITE], &t[MU_LOSS_DEFINITE]);
	put_sums(w, "   indirectly lost: ", &n[MU_LOSS_INDIRECT], &t[MU_LOSS_INDIRECT]);
	put_sums(w, "     possibly lost: ", &n[MU_LOSS_POSSIBLE], &t[MU_LOSS_POSSIBLE]);
	put_sums(w, "   still reachable: ", &n[MU_LOSS_REACHABLE], &t[MU_LOSS_REACHABLE]);
	put_heuristics(w, now, then);
	put_sums(w, "        suppressed: ", &none, &none);
}

/* The records that other options would show. */
static void put_hints(const struct leak_writer *w, const struct totals *t)
{
	const bool is_asked = w->r->o.is_asked;

	if (!w->r->o.is_full && t->all.bytes > 0) {
		leak_line_put(w, "%s", is_asked ?
			 "To see details of leaked memory, give 'full' arg to leak_check" :
			 "Rerun with --leak-check=full to see details of leaked memory");
	} else if (w->r->o.is_full && t->kind[MU_LOSS_REACHABLE].bytes > 0 &&
		   !(w->r->o.shown >> MU_LOSS_REACHABLE & 1)) {
		leak_line_put(w, "Reachable blocks (those to which a pointer was found) are not "
				 "shown.");
		leak_line_put(w, "%s", is_asked ?
			 "To see them, add 'reachable any' args to leak_check" :
			 "To see them, rerun with: --leak-check=full --show-leak-kinds=all");
	}
}

/* ---- freed after all ---------------------------------------------------------------------- */

enum { FREED_PLACES = 10 };

static struct leak_sums total_earlier(const struct leak_check *c, uint16_t kind)
{
	struct leak_sums sums = { 0, 0 };

	for (uint64_t i = 0; i < c->earlier_count; i++) {
		if (c->earlier[i].kind == kind)
			add_loss(&sums, &c->earlier[i]);
	}
	return sums;
}

/* Makes records of the blocks that were freed, as if they were losses. */
static void make_freed_records(struct leak_records *all, struct leak_report *r,
			       struct leak_check *freed)
{
	static const struct leak_check none;
	const struct leak_check *c = r->check;

	*freed = (struct leak_check){ .loss = xcalloc(c->earlier_count + 1, sizeof(*c->loss)) };
	for (uint64_t i = 0; i < c->earlier_count; i++) {
		if (c->earlier[i].kind == MU_LOSS_FREED)
			freed->loss[freed->head.count++] = c->earlier[i];
	}
	r->check = freed;
	r->before = &none;
	leak_records_make(all, r);
}

/* The places of most of these bytes. */
static void put_freed_places(const struct leak_writer *w)
{
	struct leak_report r = *w->r;
	struct leak_records all;
	struct leak_check freed;
	char bytes[NUMBER], blocks[NUMBER];

	make_freed_records(&all, &r, &freed);
	for (size_t i = all.count; i > 0 && all.count - i < FREED_PLACES; i--) {
		const struct leak_record *record = &all.record[i - 1];

		leak_line_put(w, "%s bytes in %s blocks were called lost, and freed since",
			      grouped(record->own.bytes, bytes),
			      grouped(record->own.blocks, blocks));
		if (r.filter->profile->sites.count > 0)
			leak_line_put_stack(w, record->site);
		leak_line_put(w, "%s", "");
	}
	if (all.count > FREED_PLACES)
		leak_line_put(w, "(and blocks of %zu more places)", all.count - FREED_PLACES);
	leak_records_free(&all);
	free(freed.loss);
}

/* Memcheck has no such part, so there is none as long as it would say nothing. */
static void put_freed(const struct leak_writer *w)
{
	const struct leak_check *c = w->r->check;
	const struct leak_sums called = total_earlier(c, MU_LOSS_CALLED),
			       freed = total_earlier(c, MU_LOSS_FREED),
			       found = total_earlier(c, MU_LOSS_FOUND);
	const struct leak_writer plain = { .out = w->out, .r = w->r };

	if (freed.blocks == 0 && found.blocks == 0)
		return;
	leak_line_put(w, "%s", "");
	leak_line_put(w, "FREED AFTER ALL:");
	put_sums(&plain, "   earlier checks called lost: ", &called, &called);
	put_sums(&plain, "   freed or reallocated since: ", &freed, &freed);
	put_sums(&plain, "             no longer lost: ", &found, &found);
	leak_line_put(w, "%s", "");
	if (w->r->o.is_full)
		put_freed_places(&plain);
}

/* ---- all together ----------------------------------------------------------------------- */

unsigned int leak_report_write(FILE *out, const struct leak_report *r)
{
	const struct leak_writer w = { .out = out, .r = r, .has_delta = r->o.delta != LEAK_ANY };
	const struct totals now = total_losses(r->check), then = total_losses(r->before);
	struct leak_records all;
	unsigned int errors;

	leak_records_make(&all, r);
	errors = count_errors(r, &all);
	if (r->heap)
		put_heap_summary(&w, &now);
	if (now.all.blocks == 0) {
		leak_line_put(&w, "All heap blocks were freed -- no leaks are possible");
	} else {
		if (r->o.tree)
			put_tree_name(&w);
		else if (r->o.is_full)
			put_records(&w, &all);
		put_leak_summary(&w, &now, &then);
		put_hints(&w, &now);
	}
	leak_records_free(&all);
	put_freed(&w);
	leak_line_put(&w, "%s", "");
	if (r->heap)
		leak_line_put(&w, "ERROR SUMMARY: %u errors from %u contexts "
				  "(suppressed: 0 from 0)", errors, errors);
	return errors;
}
