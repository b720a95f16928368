/* leak_tree.c -- The loss records of a leak check as a call tree, as Memcheck's --xtree-leak.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/leaks/leak_tree.h"

#include <stdlib.h>

#include "cli/xmalloc.h"
#include "formats/leaks/leak_line.h"
#include "formats/leaks/leak_records.h"

enum { FIGURES = 9, EVENTS = 3 * FIGURES };

static const struct xtree_event events[EVENTS] = {
	{ "RB", "Reachable Bytes" },
	{ "PB", "Possibly lost Bytes" },
	{ "IB", "Indirectly lost Bytes" },
	{ "DB", "Definitely lost Bytes (direct plus indirect)" },
	{ "DIB", "Definitely Indirectly lost Bytes (subset of DB)" },
	{ "RBk", "reachable Blocks" },
	{ "PBk", "Possibly lost Blocks" },
	{ "IBk", "Indirectly lost Blocks" },
	{ "DBk", "Definitely lost Blocks" },
	{ "iRB", "increase Reachable Bytes" },
	{ "iPB", "increase Possibly lost Bytes" },
	{ "iIB", "increase Indirectly lost Bytes" },
	{ "iDB", "increase Definitely lost Bytes" },
	{ "iDIB", "increase Definitely Indirectly lost Bytes" },
	{ "iRBk", "increase reachable Blocks" },
	{ "iPBk", "increase Possibly lost Blocks" },
	{ "iIBk", "increase Indirectly lost Blocks" },
	{ "iDBk", "increase Definitely lost Blocks" },
	{ "dRB", "decrease Reachable Bytes" },
	{ "dPB", "decrease Possibly lost Bytes" },
	{ "dIB", "decrease Indirectly lost Bytes" },
	{ "dDB", "decrease Definitely lost Bytes" },
	{ "dDIB", "decrease Definitely Indirectly lost Bytes" },
	{ "dRBk", "decrease reachable Blocks" },
	{ "dPBk", "decrease Possibly lost Blocks" },
	{ "dIBk", "decrease Indirectly lost Blocks" },
	{ "dDBk", "decrease Definitely lost Blocks" },
};

_Static_assert((int)EVENTS <= (int)XTREE_EVENTS_MAX, "the writer has room for all events");

/* ---- values ------------------------------------------------------------------------------- */

/* The place of a figure, and those of its changes. */
static void set_figure(int64_t *value, int figure, uint64_t now, uint64_t before)
{
	value[figure] = (int64_t)now;
	if (now > before)
		value[FIGURES + figure] = (int64_t)(now - before);
	else
		value[2 * FIGURES + figure] = (int64_t)(before - now);
}

static void set_values(int64_t *value, const struct leak_record *r)
{
	/* In the order of enum mu_loss_kind. */
	static const int bytes_of[LEAK_RECORD_KINDS] = { 0, 1, 2, 3 };
	static const int blocks_of[LEAK_RECORD_KINDS] = { 5, 6, 7, 8 };
	enum { DEFINITELY_INDIRECT = 4 };
	const bool is_definite = r->kind == MU_LOSS_DEFINITE;
	const uint64_t more = is_definite ? r->indirect.bytes : 0;
	const uint64_t more_before = is_definite ? r->indirect_before.bytes : 0;

	set_figure(value, bytes_of[r->kind], r->own.bytes + more,
		   r->own_before.bytes + more_before);
	set_figure(value, blocks_of[r->kind], r->own.blocks, r->own_before.blocks);
	if (is_definite)
		set_figure(value, DEFINITELY_INDIRECT, more, more_before);
}

/* ---- rows --------------------------------------------------------------------------------- */

/* The frames that the report prints of a stack, without the allocating function. */
static struct filtered frames_of_site(const struct leak_report *r, uint32_t site, bool has_called)
{
	const struct profile *p = r->filter->profile;
	const uint32_t first = p->stack[p->sites.site[site].stack].frame;
	struct filtered stack = { .frame = first };
	const uint32_t most = r->o.callers - has_called;

	for (uint32_t frame = first; frame && stack.count < most; frame = p->frame[frame].parent) {
		if (filter_is_below_main(r->filter, p->frame[frame].location) &&
		    !r->o.show_below_main)
			break;
		stack.count++;
	}
	return stack;
}

static uint32_t collect_rows(struct xtree_row *row, int64_t *values, const struct leak_records *all,
			     const struct leak_report *r)
{
	uint32_t count = 0;
	uint64_t address;

	for (size_t i = leak_records_first_shown(all, r); i < all->count; i++) {
		const struct leak_record *record = &all->record[i];
		struct xtree_row *to = &row[count];

		if (!leak_records_is_shown(record, r))
			continue;
		*to = (struct xtree_row){ .order = count,
					  .value = &values[(size_t)count * EVENTS] };
		to->called = leak_line_allocating_function(r, record->site, &address);
		to->stack = frames_of_site(r, record->site, to->called != NULL);
		set_values(to->value, record);
		count++;
	}
	return count;
}

void leak_tree_write(FILE *out, const struct leak_report *r, const struct export *e, bool is_plain)
{
	const struct xtree_options o = { .is_plain = is_plain,
					 .show_below_main = r->o.show_below_main };
	struct xtree_rows rows = { .event = events, .events = EVENTS };
	struct leak_records all;
	int64_t *values;

	leak_records_make(&all, r);
	rows.row = xcalloc(all.count + 1, sizeof(*rows.row));
	values = xcalloc(all.count + 1, EVENTS * sizeof(*values));
	if (r->o.is_full && r->filter->profile->sites.count > 0)
		rows.count = collect_rows(rows.row, values, &all, r);
	xtree_write_rows(out, e, &o, &rows);
	free(values);
	free(rows.row);
	leak_records_free(&all);
}
