/* leak_lists.c -- What Memcheck's monitor commands block_list and who_points_at print.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/leaks/leak_lists.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cli/xmalloc.h"
#include "profile/graph/leak_heuristics.h"

static const char *const heuristic_names[LEAK_HEURISTICS] = {
	"", "stdstring", "length64", "newarray", "multipleinheritance", "header",
};

/* ---- blocks ------------------------------------------------------------------------------ */

struct block_writer {
	struct leak_writer w;
	const struct mu_leak_list *list;
	const struct mu_leak_block *block;
	struct leak_records all;
	size_t *number; /* leak_records_number() */
	/* Blocks by the one that leads to them, ascending; UINT32_MAX ends. */
	uint32_t *first, *next;
	uint64_t left;	/* blocks that may still be printed */
};

/* Blocks that lead to each other, by their groups. */
static void link_groups(struct block_writer *b)
{
	const uint32_t count = (uint32_t)b->list->count;

	b->first = xcalloc((size_t)count + 1, sizeof(*b->first));
	b->next = xcalloc((size_t)count + 1, sizeof(*b->next));
	for (uint32_t i = 0; i < count; i++)
		b->first[i] = UINT32_MAX;
	for (uint32_t i = count; i-- > 0;) {
		const uint32_t group = b->block[i].group;

		if (group == i)
			continue;
		b->next[i] = b->first[group];
		b->first[group] = i;
	}
}

static size_t number_of_block(const struct block_writer *b, uint32_t i)
{
	const uint32_t sites = b->w.r->filter->profile->sites.count;
	const struct mu_leak_block *block = &b->block[i];

	return b->number[(size_t)(block->site < sites ? block->site : 0) * LEAK_RECORD_KINDS +
			 block->kind];
}

/* The blocks that are lost with one, and those that they lead to, without recursion: a list may be
 * long. */
static void put_group(const struct block_writer *b, uint32_t leader)
{
	uint32_t depth = 1, i = b->first[leader];

	/* The groups of a damaged file may go round. */
	for (uint64_t left = b->list->count; i != UINT32_MAX && left > 0; left--) {
		leak_line_begin(&b->w);
		fprintf(b->w.out, "%*s0x%" PRIX64 "[%" PRIu64 "] indirect loss record %zu\n",
			2 * (int)depth, "", b->block[i].start, b->block[i].size,
			number_of_block(b, i));
		if (b->first[i] != UINT32_MAX) {
			i = b->first[i];
			depth++;
			continue;
		}
		while (b->next[i] == UINT32_MAX && depth > 1) {
			i = b->block[i].group;
			depth--;
		}
		i = b->next[i];
	}
}

static void put_block(struct block_writer *b, uint32_t i)
{
	const struct mu_leak_block *block = &b->block[i];

	leak_line_begin(&b->w);
	fprintf(b->w.out, "0x%" PRIX64 "[%" PRIu64 "]", block->start, block->size);
	if (block->kind == MU_LOSS_REACHABLE && block->heuristic)
		fprintf(b->w.out, " (found via heuristic %s)", heuristic_names[block->heuristic]);
	putc('\n', b->w.out);
	if (block->kind != MU_LOSS_REACHABLE)
		put_group(b, i);
	b->left--;
}

static bool is_listed(const struct block_writer *b, uint32_t i, size_t number)
{
	const struct mu_leak_block *block = &b->block[i];

	return number_of_block(b, i) == number &&
	       (!b->list->heuristics || (block->heuristic && block->kind == MU_LOSS_REACHABLE &&
					 b->list->heuristics >> (block->heuristic - 1) & 1));
}

/* Only those records of a range are printed that have blocks. */
static void put_record_blocks(struct block_writer *b, size_t number)
{
	bool is_named = b->list->first == b->list->last;

	if (is_named)
		leak_report_put_record(&b->w, &b->all.record[number - 1], number, b->all.count);
	for (uint32_t i = 0; i < b->list->count && b->left > 0; i++) {
		if (!is_listed(b, i, number))
			continue;
		if (!is_named)
			leak_report_put_record(&b->w, &b->all.record[number - 1], number,
					       b->all.count);
		is_named = true;
		put_block(b, i);
	}
}

bool leak_lists_write_blocks(FILE *out, const struct leak_report *r,
			     const struct mu_leak_list *list)
{
	struct block_writer b = {
		.w = { .out = out, .r = r, .has_delta = r->o.delta != LEAK_ANY },
		.list = list, .block = (const void *)(list + 1),
		.left = list->limit ? list->limit : UINT64_MAX,
	};
	bool is_there;

	leak_records_make(&b.all, r);
	is_there = list->first >= 1 && list->first <= b.all.count;
	b.number = leak_records_number(&b.all, r);
	link_groups(&b);
	for (size_t i = list->first; is_there && i <= list->last && i <= b.all.count && b.left; i++)
		put_record_blocks(&b, i);
	free(b.number);
	free(b.first);
	free(b.next);
	leak_records_free(&b.all);
	return is_there;
}

/* ---- pointers ---------------------------------------------------------------------------- */

static void put_block_place(const struct leak_writer *w, const struct mu_leak_pointer *p)
{
	fprintf(w->out, " Address 0x%" PRIx64 " is %" PRIu64 " bytes inside a block of size ",
		p->at, p->at - p->start);
	fprintf(w->out, "%" PRIu64 " alloc'd\n", p->size);
	if (p->site < w->r->filter->profile->sites.count)
		leak_line_put_stack(w, p->site);
}

static void put_place(const struct leak_writer *w, const struct mu_leak_pointer *p,
		      const char *text)
{
	const char access[] = { p->access & 4 ? 'r' : '-', p->access & 2 ? 'w' : '-',
				p->access & 1 ? 'x' : '-', '\0' };

	if (p->place == MU_POINTER_BLOCK) {
		put_block_place(w, p);
		return;
	}
	fprintf(w->out, " Address 0x%" PRIx64 " is ", p->at);
	switch (p->place) {
	case MU_POINTER_STACK:
		fprintf(w->out, "on thread %" PRIu32 "'s stack\n", p->thread);
		break;
	case MU_POINTER_SYMBOL:
		fprintf(w->out, "%" PRIu64 " bytes inside data symbol \"%s\"\n", p->at - p->start,
			text);
		break;
	case MU_POINTER_DATA:
		fprintf(w->out, "in the Data segment of %s\n", text);
		break;
	case MU_POINTER_BSS:
		fprintf(w->out, "in the BSS segment of %s\n", text);
		break;
	case MU_POINTER_FILE:
		fprintf(w->out, "in a %s mapped file %s segment\n", access, text);
		break;
	default:
		fprintf(w->out, "in a %s anonymous segment\n", access);
	}
}

static void put_register(const struct leak_writer *w, const struct mu_leak_pointer *p,
			 const struct mu_leak_list *list)
{
	const char *name = (const char *)list + p->text;

	if (p->target == list->start)
		leak_line_put(w, "tid %" PRIu32 " register %s pointing at 0x%" PRIx64, p->thread,
			      name, list->start);
	else
		leak_line_put(w, "tid %" PRIu32 " register %s interior pointing %" PRIu64
			      " bytes inside 0x%" PRIx64, p->thread, name, p->target - list->start,
			      list->start);
}

static void put_pointer(const struct leak_writer *w, const struct mu_leak_pointer *p,
			const struct mu_leak_list *list)
{
	if (p->place == MU_POINTER_REGISTER) {
		put_register(w, p, list);
		return;
	}
	if (p->target == list->start)
		leak_line_put(w, "*0x%" PRIx64 " points at 0x%" PRIx64, p->at, list->start);
	else
		leak_line_put(w, "*0x%" PRIx64 " interior points at %" PRIu64
			      " bytes inside 0x%" PRIx64, p->at, p->target - list->start,
			      list->start);
	put_place(w, p, (const char *)list + p->text);
	if (p->heuristic)
		leak_line_put(w, "block at 0x%" PRIx64 " considered reachable by ptr 0x%" PRIx64
			      " using %s heuristic", p->block, p->at,
			      heuristic_names[p->heuristic]);
}

void leak_lists_write_pointers(FILE *out, const struct leak_report *r,
			       const struct mu_leak_list *list)
{
	const struct leak_writer w = { .out = out, .r = r };
	const struct mu_leak_pointer *p = (const void *)(list + 1);

	if (list->size == 1)
		leak_line_put(&w, "Searching for pointers to 0x%" PRIx64, list->start);
	else
		leak_line_put(&w, "Searching for pointers pointing in %" PRIu64
			      " bytes from 0x%" PRIx64, list->size, list->start);
	for (uint64_t i = 0; i < list->count; i++)
		put_pointer(&w, &p[i], list);
}
