/* lost_watch.c -- Blocks that leak checks called lost, and what became of them: were they freed
 * after all?
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/graph/lost_watch.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"

/* ---- one piece of memory ---------------------------------------------------------------- */

static const struct lost_sum *sums_of(const struct lost_watch *w)
{
	return (const void *)(w + 1);
}

static const struct lost_block *blocks_of(const struct lost_watch *w)
{
	return (const void *)(sums_of(w) + w->sums);
}

bool lost_watch_is_valid(const struct lost_watch *w, uint64_t bytes)
{
	return bytes >= sizeof(*w) && w->bytes == bytes &&
	       w->sums <= (bytes - sizeof(*w)) / sizeof(struct lost_sum) &&
	       w->blocks <= LOST_WATCH_MOST &&
	       bytes == sizeof(*w) + w->sums * sizeof(struct lost_sum) +
				w->blocks * sizeof(struct lost_block);
}

/* ---- blocks that were called lost --------------------------------------------------------- */

/* Returns the number of the live block that a watched one still is, or the number of blocks. FROM
 * is where the search begins, and is moved on: both lists ascend. */
static uint32_t find_live(const struct block_set *blocks, const struct lost_block *watched,
			  uint32_t *from)
{
	const struct heap_block *b;

	while (*from < blocks->count && blocks->block[*from].start < watched->start)
		++*from;
	if (*from >= blocks->count)
		return blocks->count;
	b = &blocks->block[*from];
	return b->start == watched->start && b->size == watched->size &&
			       b->birth == watched->birth ? *from : blocks->count;
}

static bool is_lost(const struct leak_marks *m, uint32_t i)
{
	return m->kind[i] == LEAK_DEFINITE || m->kind[i] == LEAK_INDIRECT;
}

/* ---- sums --------------------------------------------------------------------------------- */

static int compare_sums(const void *a, const void *b)
{
	const struct lost_sum *x = a, *y = b;

	return (x->site > y->site) - (x->site < y->site);
}

/* Sums that are not added up yet: one for each block that is new, or gone, at most. */
struct sum_list {
	struct lost_sum *sum;
	size_t count;
};

static void add_called(struct sum_list *l, const struct lost_block *b)
{
	l->sum[l->count++] = (struct lost_sum){ .site = b->site, .called_bytes = b->size,
						.called_blocks = 1 };
}

static void add_freed(struct sum_list *l, const struct lost_block *b)
{
	l->sum[l->count++] = (struct lost_sum){ .site = b->site, .freed_bytes = b->size,
						.freed_blocks = 1 };
}

static void add_up_sums(struct sum_list *l)
{
	size_t kept = 0;

	qsort(l->sum, l->count, sizeof(*l->sum), compare_sums);
	for (size_t i = 0; i < l->count; i++) {
		const struct lost_sum s = l->sum[i];
		struct lost_sum *last = kept ? &l->sum[kept - 1] : NULL;

		if (!last || last->site != s.site) {
			l->sum[kept++] = s;
			continue;
		}
		last->called_bytes += s.called_bytes;
		last->called_blocks += s.called_blocks;
		last->freed_bytes += s.freed_bytes;
		last->freed_blocks += s.freed_blocks;
	}
	l->count = kept;
}

/* ---- the next check ----------------------------------------------------------------------- */

/* The result: the blocks of the next list, and the sums. */
struct next_watch {
	struct lost_block *block;
	size_t count;
	struct sum_list sums;
};

/* Keeps the watched blocks that are still there, and marks them in IS_WATCHED. */
static void keep_live(struct next_watch *n, const struct lost_watch *before,
		      const struct block_set *blocks, uint8_t *is_watched)
{
	const struct lost_block *watched = blocks_of(before);
	uint32_t from = 0;

	for (uint64_t i = 0; i < before->blocks; i++) {
		const uint32_t live = find_live(blocks, &watched[i], &from);

		if (live == blocks->count) {
			add_freed(&n->sums, &watched[i]);
			continue;
		}
		is_watched[live] = 1;
		n->block[n->count++] = watched[i];
	}
}

static void add_lost(struct next_watch *n, const struct block_set *blocks,
		     const struct leak_marks *m, const uint8_t *is_watched)
{
	for (uint32_t i = 0; i < blocks->count && n->count < LOST_WATCH_MOST; i++) {
		const struct heap_block *b = &blocks->block[i];
		const struct lost_block lost = { b->start, b->size, b->site, b->birth };

		if (!is_lost(m, i) || is_watched[i])
			continue;
		n->block[n->count++] = lost;
		add_called(&n->sums, &lost);
	}
}

static int compare_starts(const void *a, const void *b)
{
	const struct lost_block *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

static struct lost_watch *join_pieces(const struct next_watch *n)
{
	const uint64_t sums = n->sums.count * sizeof(*n->sums.sum);
	const uint64_t blocks = n->count * sizeof(*n->block);
	struct lost_watch *w = xmalloc(sizeof(*w) + sums + blocks);

	*w = (struct lost_watch){ .bytes = sizeof(*w) + sums + blocks, .sums = n->sums.count,
				  .blocks = n->count };
	memcpy(w + 1, n->sums.sum, sums);
	memcpy((char *)(w + 1) + sums, n->block, blocks);
	return w;
}

static size_t count_lost(const struct block_set *blocks, const struct leak_marks *m)
{
	size_t count = 0;

	for (uint32_t i = 0; i < blocks->count && count < LOST_WATCH_MOST; i++)
		count += is_lost(m, i);
	return count;
}

struct lost_watch *lost_watch_next(const struct lost_watch *before, const struct block_set *blocks,
				   const struct leak_marks *m)
{
	static const struct lost_watch none = { .bytes = sizeof(none) };
	const struct lost_watch *old = before ? before : &none;
	const size_t most = old->blocks + count_lost(blocks, m) + 1;
	uint8_t *is_watched = xcalloc((size_t)blocks->count + 1, 1);
	struct next_watch n = {
		.block = xcalloc(most, sizeof(*n.block)),
		.sums = { .sum = xcalloc(old->sums + most, sizeof(*n.sums.sum)) },
	};
	struct lost_watch *w;

	memcpy(n.sums.sum, sums_of(old), old->sums * sizeof(*n.sums.sum));
	n.sums.count = old->sums;
	keep_live(&n, old, blocks, is_watched);
	add_lost(&n, blocks, m, is_watched);
	add_up_sums(&n.sums);
	qsort(n.block, n.count, sizeof(*n.block), compare_starts);
	w = join_pieces(&n);
	free(n.sums.sum);
	free(n.block);
	free(is_watched);
	return w;
}

/* ---- what became of them ------------------------------------------------------------------ */

/* The sum of a site; NULL: none of its blocks was called lost. */
static const struct lost_sum *find_sum(const struct lost_watch *w, uint32_t site)
{
	const struct lost_sum key = { .site = site };

	return bsearch(&key, sums_of(w), w->sums, sizeof(key), compare_sums);
}

/* Adds up in SUM, one for each of BEFORE, what is still there and not lost any more: as called. */
static void add_found(struct lost_sum *sum, const struct lost_watch *before,
		      const struct block_set *blocks, const struct leak_marks *m)
{
	const struct lost_block *watched = blocks_of(before);
	const struct lost_sum *first = sums_of(before), *of;
	uint32_t from = 0;

	for (uint64_t i = 0; i < before->blocks; i++) {
		const uint32_t live = find_live(blocks, &watched[i], &from);

		if (live == blocks->count || is_lost(m, live))
			continue;
		of = find_sum(before, watched[i].site);
		if (!of)
			continue;
		sum[of - first].called_bytes += watched[i].size;
		sum[of - first].called_blocks++;
	}
}

static size_t put_loss(struct mu_loss *loss, uint32_t site, uint16_t kind, uint64_t bytes,
		       uint64_t blocks)
{
	if (blocks == 0)
		return 0;
	*loss = (struct mu_loss){ .site = site, .kind = kind, .bytes = bytes, .blocks = blocks };
	return 1;
}

size_t lost_watch_tell(struct mu_loss *loss, const struct lost_watch *before,
		       const struct lost_watch *now, const struct block_set *blocks,
		       const struct leak_marks *m)
{
	struct lost_sum *found = xcalloc(before->sums + 1, sizeof(*found));
	const struct lost_sum *called = sums_of(before);
	size_t count = 0;

	add_found(found, before, blocks, m);
	for (uint64_t i = 0; i < before->sums; i++) {
		const struct lost_sum *after = find_sum(now, called[i].site);
		const uint32_t site = called[i].site;

		count += put_loss(&loss[count], site, MU_LOSS_CALLED, called[i].called_bytes,
				  called[i].called_blocks);
		if (after)
			count += put_loss(&loss[count], site, MU_LOSS_FREED, after->freed_bytes,
					  after->freed_blocks);
		count += put_loss(&loss[count], site, MU_LOSS_FOUND, found[i].called_bytes,
				  found[i].called_blocks);
	}
	free(found);
	return count;
}
