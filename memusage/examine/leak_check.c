/* leak_check.c -- Examines a process: which of its blocks are lost.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/examine/leak_check.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "memusage/common/asked_checks.h"
#include "memusage/common/clock.h"
#include "memusage/examine/block_owners.h"
#include "memusage/examine/examination.h"
#include "memusage/examine/heap_graph.h"
#include "memusage/examine/snapshot_memory.h"
#include "profile/graph/header_offsets.h"
#include "profile/graph/leak_heuristics.h"
#include "profile/graph/leak_losses.h"

/* ---- interior pointers ------------------------------------------------------------------ */

struct explainer {
	const struct snapshot *s;
	const struct pointer_graph *pointers;
	const struct leak_marks *marks;
	struct leak_memory memory;
	struct header_offsets headers;
	unsigned int heuristics;
	bool has_headers; /* they have been looked for */
};

/* The first pointer that is to be explained is asked about when all kinds are known without. */
static bool is_behind_header(struct explainer *e, const struct heap_block *b, uint64_t offset)
{
	if (!(e->heuristics & LEAK_HEURISTIC_BIT(LEAK_HEURISTIC_HEADER)))
		return false;
	if (!e->has_headers)
		header_offsets_find(&e->headers, e->pointers, e->marks->kind);
	e->has_headers = true;
	return header_offsets_has(&e->headers, b->site, offset);
}

/* The dynamic linker keeps no pointers but interior ones to some of its tables. */
static bool is_linkers_block(const struct snapshot *s, const struct heap_block *b)
{
	const char *base = block_owners_file(s, b);

	return base && (strncmp(base, "/ld-", 4) == 0 || strncmp(base, "/ld.so", 6) == 0);
}

static uint8_t explain_pointer(void *data, uint32_t block, uint64_t offset)
{
	struct explainer *e = data;
	const struct heap_block *b = &e->s->blocks.block[block];
	/* Before any pointer is explained, which would make others reachable. */
	const bool has_header = is_behind_header(e, b, offset);
	uint8_t found = 0;

	if (is_linkers_block(e->s, b))
		return LEAK_EXPLAINED;
	if (e->heuristics)
		found = (uint8_t)leak_heuristics_explain(&e->memory, e->heuristics, b, offset);
	return found || !has_header ? found : LEAK_HEURISTIC_HEADER;
}

/* ---- the check -------------------------------------------------------------------------- */

static void fill_head(struct mu_leak_check *c, const struct snapshot *s, bool is_incomplete)
{
	*c = (struct mu_leak_check){
		.mono_ns = s->mono_ns,
		/* One that is no copy is stopped until now. */
		.pause_ns = s->is_stopped ? clock_now(CLOCK_MONOTONIC) - s->mono_ns : s->pause_ns,
		.flags = (s->tracee.copy > 0 ? 0u : MU_LEAK_CHECK_STOPPED) |
			 (is_incomplete ? MU_LEAK_CHECK_CUT : 0u),
	};
}

static struct mu_leak_check *pack_losses(const struct snapshot *s, const struct leak_marks *marks,
					 bool is_incomplete)
{
	struct mu_leak_check *c;
	struct leak_losses l;

	leak_losses_add_up(&l, &s->blocks, marks);
	c = xmalloc(sizeof(*c) + l.count * sizeof(*c->loss));
	fill_head(c, s, is_incomplete);
	c->count = l.count;
	if (l.count > 0)
		memcpy(c->loss, l.loss, l.count * sizeof(*c->loss));
	leak_losses_free(&l);
	return c;
}

/* Adds what became of blocks that earlier checks called lost, and behind the losses what the next
 * check needs for that. Returns the result in the place of C. */
static struct mu_leak_check *append_watch(struct mu_leak_check *c, const struct snapshot *s,
					  const struct leak_marks *marks,
					  const struct lost_watch *before)
{
	struct lost_watch *now = lost_watch_next(before, &s->blocks, marks);
	const uint64_t most = c->count + (before ? before->sums * MU_LOSS_EARLIER_KINDS : 0);

	c = xreallocarray(c, 1, sizeof(*c) + most * sizeof(*c->loss) + now->bytes);
	if (before)
		c->count += lost_watch_tell(&c->loss[c->count], before, now, &s->blocks, marks);
	if (now->sums > 0) {
		memcpy(&c->loss[c->count], now, now->bytes);
		c->flags |= MU_LEAK_CHECK_WATCH;
	}
	free(now);
	return c;
}

static struct mu_leak_check *pack_blocks(const struct snapshot *s, const struct leak_marks *m,
					 bool is_incomplete)
{
	const uint64_t count = s->blocks.count;
	const uint64_t bytes = sizeof(struct mu_leak_list) + count * sizeof(struct mu_leak_block);
	struct mu_leak_check *c = xmalloc(sizeof(*c) + bytes);
	struct mu_leak_list *list = (void *)c->loss;
	struct mu_leak_block *to = (void *)(list + 1);

	fill_head(c, s, is_incomplete);
	c->flags |= MU_LEAK_CHECK_LIST;
	*list = (struct mu_leak_list){ .bytes = bytes, .kind = MU_LEAK_LIST_BLOCKS,
				       .count = count };
	for (uint64_t i = 0; i < count; i++) {
		const struct heap_block *b = &s->blocks.block[i];
		const bool has_name = m->heuristic[i] != LEAK_EXPLAINED;

		to[i] = (struct mu_leak_block){
			.start = b->start, .size = b->size, .site = b->site, .group = m->group[i],
			.kind = m->kind[i], .heuristic = has_name ? m->heuristic[i] : 0,
		};
	}
	return c;
}

static void *find_losses(struct snapshot *s, const void *options, struct mu_error *err)
{
	const struct leak_check_options *o = options;
	struct mu_leak_check *result;
	struct leak_marks marks;
	struct heap_graph g;
	struct explainer e = { .s = s, .pointers = &g.pointers, .marks = &marks,
			       .heuristics = o->heuristics, .memory = snapshot_memory(s) };

	(void)err;
	heap_graph_build(&g, s);
	block_owners_hold(&g.pointers, s);
	leak_marks_find(&marks, &g.pointers, explain_pointer, &e);
	result = o->lists_blocks ? pack_blocks(s, &marks, g.is_incomplete) :
				   pack_losses(s, &marks, g.is_incomplete);
	/* A block that could not be read is not freed. */
	if (!o->lists_blocks && !s->is_incomplete)
		result = append_watch(result, s, &marks, o->watch);
	header_offsets_free(&e.headers);
	leak_marks_free(&marks);
	heap_graph_free(&g);
	return result;
}

static uint64_t count_bytes(const void *result)
{
	return asked_checks_bytes(result);
}

const struct examination leak_check = {
	.file_name = "memusage-leaks",
	.unfinished = "the check did not come to its end",
	.least = sizeof(struct mu_leak_check),
	.most = UINT64_C(1) << 30,
	.examine = find_losses,
	.count_bytes = count_bytes,
};
