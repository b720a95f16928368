/* leak_input.c -- The leak checks of an image, ready to be reported on.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/job/leak_input.h"

#include <stdlib.h>

#include "cli/xmalloc.h"
#include "profile/read/counters.h"
#include "profile/read/image_end.h"
#include "profile/read/result.h"

enum { CALLERS_DEFAULT = 12 }; /* Valgrind's --num-callers */

/* Calls that made a block: those that failed did not, nor did a realloc that freed one. */
static uint64_t allocations(const struct counters *c)
{
	static const int makers[] = { MU_FN_MALLOC, MU_FN_CALLOC, MU_FN_REALLOC, MU_FN_MEMALIGN };
	uint64_t sum = 0;

	for (size_t i = 0; i < sizeof(makers) / sizeof(*makers); i++)
		sum += c->calls[makers[i]] - c->failed[makers[i]];
	return sum - c->realloc_free;
}

/* The heap as Memcheck counts it: a realloc allocates and frees. Blocks from before an attach have
 * been allocated, too. */
static struct leak_heap heap_of_run(const struct report_subject *s)
{
	struct result *result = xmalloc(sizeof(*result));
	struct image im = s->image;
	struct leak_heap heap;

	result_take(result, &im);
	heap = (struct leak_heap){
		.allocs = allocations(&result->counters) + result->recorded.before_blocks,
		.frees = 0,
		.bytes = 0,
		.is_detached = image_end_of(&s->image.head).how == MU_END_RUNNING,
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

void leak_input_read(struct leak_input *in, struct report_subject *s,
		     const struct settings *settings)
{
	*in = (struct leak_input){ .report = {
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
	} };
	in->heap = heap_of_run(s);
	in->is_full = settings->leak_check == LEAK_CHECK_FULL;
	leak_checks_read(&in->all, &s->image);
}

/* Which records the program wanted to see. */
static enum leak_delta delta_of(const struct leak_check *c)
{
	return c->head.flags & MU_LEAK_CHECK_NEW       ? LEAK_NEW :
	       c->head.flags & MU_LEAK_CHECK_INCREASED ? LEAK_INCREASED :
	       c->head.flags & MU_LEAK_CHECK_CHANGED   ? LEAK_CHANGED :
							 LEAK_ANY;
}

void leak_input_select(struct leak_input *in, size_t i)
{
	static const struct leak_check none;
	struct leak_report *r = &in->report;
	const size_t k = in->all.check[i].list && i > 0 ? i - 1 : i;
	uint64_t live;

	r->check = &in->all.check[k];
	r->o.is_full = in->is_full && !(r->check->head.flags & MU_LEAK_CHECK_SUMMARY);
	r->o.delta = delta_of(r->check);
	r->o.limit = r->check->head.limit;
	r->o.is_asked = r->check->head.flags & MU_LEAK_CHECK_ASKED;
	r->before = k > 0 ? &in->all.check[k - 1] : &none;
	r->heap = r->check->head.flags & MU_LEAK_CHECK_AT_END ? &in->heap : NULL;
	live = live_blocks(r->check);
	/* How many blocks there were before an attach may not be known. */
	in->heap.frees = in->heap.allocs > live ? in->heap.allocs - live : 0;
}

bool leak_input_has_tree(const struct leak_input *in)
{
	const struct leak_check *c = in->report.check;

	return c && c == &in->all.check[in->all.count - 1] && c->head.count > 0 && !c->list &&
	       c->head.flags & (MU_LEAK_CHECK_AT_END | MU_LEAK_CHECK_ASKED);
}

void leak_input_free(struct leak_input *in)
{
	leak_checks_free(&in->all);
}
