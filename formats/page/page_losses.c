/* page_losses.c -- The leak checks of a process, for a page: the member "leaks".
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/page/page_losses.h"

#include <stdlib.h>

#include "cli/xmalloc.h"
#include "profile/read/leak_checks.h"

enum { KINDS = MU_LOSS_FOUND + 1 };

/* The losses of one node and kind. with_bytes: those that are lost with these blocks. */
struct node_loss {
	uint64_t bytes, blocks, with_bytes, with_blocks;
};

struct losses_writer {
	struct page_json *j;
	const struct page_cut *cut;
	uint32_t sites;
	struct node_loss *loss; /* of each node and kind: node * KINDS + kind */
};

static void add_losses(const struct losses_writer *w, const struct mu_loss *loss, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		const struct mu_loss *l = &loss[i];
		const uint32_t node = l->site < w->sites ? w->cut->of_site[l->site] : 0;
		struct node_loss *to = &w->loss[(size_t)node * KINDS + l->kind];

		to->bytes += l->bytes;
		to->blocks += l->blocks;
		to->with_bytes += l->indirect_bytes;
		to->with_blocks += l->indirect_blocks;
	}
}

static uint64_t value_of_column(const struct losses_writer *w, size_t at, unsigned int column)
{
	switch (column) {
	case 0: return at / KINDS;
	case 1: return at % KINDS;
	case 2: return w->loss[at].bytes;
	case 3: return w->loss[at].blocks;
	case 4: return w->loss[at].with_bytes;
	default: return w->loss[at].with_blocks;
	}
}

static void put_columns(const struct losses_writer *w)
{
	static const char *const name[] = { "node", "kind", "bytes", "blocks", "with_bytes",
					    "with_blocks" };
	const size_t count = (size_t)w->cut->count * KINDS;

	for (unsigned int column = 0; column < sizeof(name) / sizeof(*name); column++) {
		page_json_open(w->j, name[column], '[');
		for (size_t i = 0; i < count; i++) {
			if (w->loss[i].blocks > 0)
				page_json_uint(w->j, NULL, value_of_column(w, i, column));
		}
		page_json_close(w->j, ']');
	}
}

static void put_check(struct losses_writer *w, const struct leak_check *c, uint64_t start_ns)
{
	w->loss = xcalloc(((size_t)w->cut->count + 1) * KINDS, sizeof(*w->loss));
	add_losses(w, c->loss, c->head.count);
	add_losses(w, c->earlier, c->earlier_count);
	page_json_open(w->j, NULL, '{');
	page_json_uint(w->j, "t", c->head.mono_ns > start_ns ? c->head.mono_ns - start_ns : 0);
	page_json_uint(w->j, "pause", c->head.pause_ns);
	page_json_bool(w->j, "at_end", c->head.flags & MU_LEAK_CHECK_AT_END);
	page_json_bool(w->j, "is_incomplete", c->head.flags & MU_LEAK_CHECK_CUT);
	put_columns(w);
	page_json_close(w->j, '}');
	free(w->loss);
	w->loss = NULL;
}

/* Moves the checks to the front that are some: a list of blocks or pointers is none. */
static size_t drop_lists(struct leak_checks *all)
{
	size_t kept = 0;

	for (size_t i = 0; i < all->count; i++) {
		const struct leak_check check = all->check[i];

		if (check.list)
			continue;
		all->check[i] = all->check[kept];
		all->check[kept++] = check;
	}
	return kept;
}

void page_losses_put(struct page_json *j, const struct export *e, const struct page_cut *c)
{
	struct losses_writer w = { .j = j, .cut = c, .sites = e->filter->profile->sites.count };
	struct leak_checks all;
	size_t count;

	leak_checks_read(&all, e->image);
	count = drop_lists(&all);
	if (count > 0) {
		page_json_open(j, "leaks", '{');
		page_json_open(j, "checks", '[');
		if (count > 1)
			put_check(&w, &all.check[0], e->image->head.process.start_mono_ns);
		put_check(&w, &all.check[count - 1], e->image->head.process.start_mono_ns);
		page_json_close(j, ']');
		page_json_close(j, '}');
	}
	leak_checks_free(&all);
}
