/* leak_report.c -- The result of a leak check as Memcheck prints it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/leaks/leak_report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "formats/leaks/leak_records.h"
#include "profile/graph/leak_heuristics.h"
#include "profile/symbols/symbols.h"

enum { NUMBER = 64 };

struct writer {
	FILE *out;
	const struct leak_report *r;
	bool has_delta; /* changes since the check before are printed */
};

static const char *const kind_words[] = {
	[MU_LOSS_REACHABLE] = "still reachable",
	[MU_LOSS_POSSIBLE] = "possibly lost",
	[MU_LOSS_INDIRECT] = "indirectly lost",
	[MU_LOSS_DEFINITE] = "definitely lost",
};

/* ---- pieces of lines -------------------------------------------------------------------- */

static void begin_line(const struct writer *w)
{
	fprintf(w->out, "==%" PRIu32 "== ", w->r->pid);
}

__attribute__((format(printf, 2, 3))) static void put_line(const struct writer *w,
							   const char *format, ...)
{
	va_list arguments;

	begin_line(w);
	va_start(arguments, format);
	vfprintf(w->out, format, arguments);
	va_end(arguments);
	putc('\n', w->out);
}

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
static const char *with_delta(const struct writer *w, uint64_t now, uint64_t before,
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

/* ---- call stacks ------------------------------------------------------------------------ */

/* The functions of the recorder that allocate, in the order of mu_examined.entry. */
static const struct {
	enum mu_fn fn;
	const char *name;
} entries[MU_EXAMINED_ENTRIES] = {
	{ MU_FN_MALLOC, "malloc" }, { MU_FN_REALLOC, "realloc" }, { MU_FN_CALLOC, "calloc" },
	{ MU_FN_MEMALIGN, "memalign" },
};

static void put_place(const struct writer *w, bool is_first, const struct symbols_place *place)
{
	begin_line(w);
	fputs(is_first ? "   at " : "   by ", w->out);
	symbols_put_massif(w->out, place, w->r->o.strip, w->r->o.strips);
	putc('\n', w->out);
}

/* The levels of one frame: inlined calls have lines of their own. */
static void put_frame(const struct writer *w, uint32_t location, bool is_first)
{
	const struct profile *p = w->r->filter->profile;
	struct symbols_place place = { .address = p->location[location].pc - 1, .name = "",
				       .file = "", .object = profile_object(p, location) };
	uint32_t count;
	const struct symbols_level *level = profile_levels(p, location, &count);
	const uint32_t lines = w->r->o.no_inlines || count == 0 ? 1 : count;

	for (uint32_t i = 0; i < lines; i++) {
		if (count) {
			place.name = symbols_text(&p->symbols,
						  level[i + 1 == lines ? count - 1 : i].name);
			place.file = symbols_text(&p->symbols, level[i].file);
			place.base = level[i].base;
			place.line = level[i].line;
		}
		put_place(w, is_first && i == 0, &place);
	}
}

/* Announced blocks have none. */
static bool put_allocating_function(const struct writer *w, uint8_t fn)
{
	unsigned int i = 0;

	while (i < MU_EXAMINED_ENTRIES && entries[i].fn != fn)
		i++;
	if (i == MU_EXAMINED_ENTRIES)
		return false;
	put_place(w, true, &(struct symbols_place){
				   .address = w->r->entry[i], .name = entries[i].name, .file = "",
				   .object = "libmemusage.so" });
	return true;
}

/* operator new is the program's own frame: it is the function that allocates for Memcheck, too. */
static bool is_operator_new(const struct profile *p, uint32_t frame)
{
	uint32_t count;
	const struct symbols_level *level =
		profile_levels(p, p->frame[frame].location, &count);

	return count > 0 && strncmp(symbols_text(&p->symbols, level[count - 1].name),
				    "operator new", strlen("operator new")) == 0;
}

static void put_stack(const struct writer *w, uint32_t site)
{
	const struct profile *p = w->r->filter->profile;
	const struct site *s = &p->sites.site[site];
	uint32_t frame = p->stack[s->stack].frame;
	const bool has_first = !(frame && is_operator_new(p, frame)) &&
			       put_allocating_function(w, s->fn);

	for (unsigned int i = has_first; frame && i < w->r->o.callers; i++) {
		const uint32_t location = p->frame[frame].location;

		if (filter_is_below_main(w->r->filter, location) && !w->r->o.show_below_main)
			break;
		put_frame(w, location, i == 0);
		frame = p->frame[frame].parent;
	}
}

/* ---- records ---------------------------------------------------------------------------- */

static void put_record(const struct writer *w, const struct leak_record *r, size_t number,
		       size_t count)
{
	const uint64_t now = r->own.bytes + r->indirect.bytes;
	const uint64_t before = r->own_before.bytes + r->indirect_before.bytes;
	char total[2 * NUMBER], direct[2 * NUMBER], indirect[2 * NUMBER], blocks[2 * NUMBER];
	char nth[NUMBER], all[NUMBER];

	begin_line(w);
	fputs(with_delta(w, now, before, total), w->out);
	if (r->indirect.bytes > 0)
		fprintf(w->out, " (%s direct, %s indirect)",
			with_delta(w, r->own.bytes, r->own_before.bytes, direct),
			with_delta(w, r->indirect.bytes, r->indirect_before.bytes, indirect));
	fprintf(w->out, " bytes in %s blocks are %s in loss record %s of %s\n",
		with_delta(w, r->own.blocks, r->own_before.blocks, blocks), kind_words[r->kind],
		grouped(number, nth), grouped(count, all));
	if (w->r->filter->profile->sites.count > 0)
		put_stack(w, r->site);
	put_line(w, "%s", "");
}

/* A record stays for one check after its last block is gone. */
static bool has_changed(const struct leak_record *r, enum leak_delta delta)
{
	switch (delta) {
	case LEAK_NEW:
		return r->own.blocks > 0 && r->own_before.blocks == 0;
	case LEAK_INCREASED:
		return r->own.bytes > r->own_before.bytes ||
		       r->indirect.bytes > r->indirect_before.bytes ||
		       r->own.blocks > r->own_before.blocks;
	case LEAK_CHANGED:
		return r->own.bytes != r->own_before.bytes ||
		       r->indirect.bytes != r->indirect_before.bytes ||
		       r->own.blocks != r->own_before.blocks;
	default:
		return r->own.blocks > 0;
	}
}

static bool is_shown(const struct writer *w, const struct leak_record *r)
{
	return w->r->o.shown >> r->kind & 1 && has_changed(r, w->r->o.delta);
}

/* Returns the number of the first record to print: the last ones are the largest. */
static size_t find_first_shown(const struct writer *w, const struct leak_records *all)
{
	unsigned int left = w->r->o.limit;
	size_t i = all->count;

	if (left == 0)
		return 0;
	while (i > 0 && left > 0)
		left -= is_shown(w, &all->record[--i]);
	return i;
}

static void put_records(const struct writer *w, const struct leak_records *all)
{
	for (size_t i = find_first_shown(w, all); i < all->count; i++) {
		if (is_shown(w, &all->record[i]))
			put_record(w, &all->record[i], i + 1, all->count);
	}
}

static unsigned int count_errors(const struct leak_report *r, const struct leak_records *all)
{
	unsigned int errors = 0;

	for (size_t i = 0; r->o.is_full && i < all->count; i++)
		errors += r->o.errors >> all->record[i].kind & 1 &&
			  has_changed(&all->record[i], r->o.delta);
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

static void put_sums(const struct writer *w, const char *before, const struct leak_sums *now,
		     const struct leak_sums *then)
{
	char bytes[2 * NUMBER], blocks[2 * NUMBER];

	put_line(w, "%s%s bytes in %s blocks", before,
		 with_delta(w, now->bytes, then->bytes, bytes),
		 with_delta(w, now->blocks, then->blocks, blocks));
}

static void put_heap_summary(const struct writer *w, const struct totals *t)
{
	const struct leak_heap *heap = w->r->heap;
	char bytes[NUMBER], blocks[NUMBER], allocs[NUMBER], frees[NUMBER];

	put_line(w, "%s", "");
	put_line(w, "HEAP SUMMARY:");
	put_line(w, "    in use at exit: %s bytes in %s blocks", grouped(t->all.bytes, bytes),
		 grouped(t->all.blocks, blocks));
	put_line(w, "  total heap usage: %s allocs, %s frees, %s bytes allocated",
		 grouped(heap->allocs, allocs), grouped(heap->frees, frees),
		 grouped(heap->bytes, bytes));
	put_line(w, "%s", "");
}

static void put_heuristics(const struct writer *w, const struct totals *now,
			   const struct totals *then)
{
	static const char *const names[] = { "", "stdstring", "length64", "newarray",
					     "multipleinheritance" };
	bool has_title = false;
	char before[64];

	for (unsigned int i = 1; i < LEAK_HEURISTICS; i++) {
		if (now->heuristic[i].blocks == 0 && then->heuristic[i].blocks == 0)
			continue;
		if (!has_title)
			put_line(w, "                      of which reachable via heuristic:");
		has_title = true;
		snprintf(before, sizeof(before), "                        %-19s: ", names[i]);
		put_sums(w, before, &now->heuristic[i], &then->heuristic[i]);
	}
}

static void put_leak_summary(const struct writer *w, const struct totals *now,
			     const struct totals *then)
{
	static const struct leak_sums none;
	const struct leak_sums *n = now->kind, *t = then->kind;

	put_line(w, "LEAK SUMMARY:");
	put_sums(w, "   definitely lost: ", &n[MU_LOSS_DEFINITE], &t[MU_LOSS_DEFINITE]);
	put_sums(w, "   indirectly lost: ", &n[MU_LOSS_INDIRECT], &t[MU_LOSS_INDIRECT]);
	put_sums(w, "     possibly lost: ", &n[MU_LOSS_POSSIBLE], &t[MU_LOSS_POSSIBLE]);
	put_sums(w, "   still reachable: ", &n[MU_LOSS_REACHABLE], &t[MU_LOSS_REACHABLE]);
	put_heuristics(w, now, then);
	put_sums(w, "        suppressed: ", &none, &none);
}

/* The records that other options would show. */
static void put_hints(const struct writer *w, const struct totals *t)
{
	const bool is_asked = w->r->o.is_asked;

	if (!w->r->o.is_full && t->all.bytes > 0) {
		put_line(w, "%s", is_asked ?
			 "To see details of leaked memory, give 'full' arg to leak_check" :
			 "Rerun with --leak-check=full to see details of leaked memory");
	} else if (w->r->o.is_full && t->kind[MU_LOSS_REACHABLE].bytes > 0 &&
		   !(w->r->o.shown >> MU_LOSS_REACHABLE & 1)) {
		put_line(w, "Reachable blocks (those to which a pointer was found) are not shown.");
		put_line(w, "%s", is_asked ?
			 "To see them, add 'reachable any' args to leak_check" :
			 "To see them, rerun with: --leak-check=full --show-leak-kinds=all");
	}
}

/* ---- all together ----------------------------------------------------------------------- */

unsigned int leak_report_write(FILE *out, const struct leak_report *r)
{
	const struct writer w = { .out = out, .r = r, .has_delta = r->o.delta != LEAK_ANY };
	const struct totals now = total_losses(r->check), then = total_losses(r->before);
	struct leak_records all;
	unsigned int errors;

	leak_records_make(&all, r);
	errors = count_errors(r, &all);
	if (r->heap)
		put_heap_summary(&w, &now);
	if (now.all.blocks == 0) {
		put_line(&w, "All heap blocks were freed -- no leaks are possible");
	} else {
		if (r->o.is_full)
			put_records(&w, &all);
		put_leak_summary(&w, &now, &then);
		put_hints(&w, &now);
	}
	leak_records_free(&all);
	put_line(&w, "%s", "");
	if (r->heap)
		put_line(&w, "ERROR SUMMARY: %u errors from %u contexts (suppressed: 0 from 0)",
			 errors, errors);
	return errors;
}
