/* nested_roots.c -- Pointers of a root to what another root that is around it leads to already.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/graph/nested_roots.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"

enum { STEPS_PER_BLOCK = 64, STEPS_LEAST = 1 << 20 };

/* A pointer of a nested root. */
struct nested_pointer {
	uint64_t pointer;
	uint32_t nest, depth, root;
};

struct search {
	const struct pointer_graph *p;
	const uint8_t *rank;
	uint32_t *seen;	   /* by block: the last nest that leads to it */
	uint32_t *waiting; /* blocks whose pointers are still to be followed */
	uint32_t count;
	uint64_t steps;	   /* that may still be made */
	uint8_t rank_of_nest;
};

static uint64_t list_pointers(struct nested_pointer *to, const struct pointer_graph *p,
			      const struct holding_roots *roots)
{
	uint64_t count = 0;

	for (uint64_t i = 0; i < p->roots; i++) {
		const uint32_t root = roots->of_pointer[i];

		if (root < roots->count && roots->nest[root].number)
			to[count++] = (struct nested_pointer){ i, roots->nest[root].number,
							       roots->nest[root].depth, root };
	}
	return count;
}

/* The outermost root of a nest first. */
static int compare_pointers(const void *a, const void *b)
{
	const struct nested_pointer *x = a, *y = b;

	if (x->nest != y->nest)
		return x->nest < y->nest ? -1 : 1;
	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	if (x->root != y->root)
		return x->root < y->root ? -1 : 1;
	return x->pointer < y->pointer ? -1 : x->pointer > y->pointer;
}

static void reach_block(struct search *s, uint32_t block, uint32_t nest)
{
	if (s->seen[block] == nest || s->rank[block] != s->rank_of_nest)
		return;
	s->seen[block] = nest;
	s->waiting[s->count++] = block;
}

static void follow_waiting(struct search *s, uint32_t nest)
{
	const struct pointer_graph *p = s->p;

	while (s->count > 0) {
		const uint32_t from = s->waiting[--s->count];
		const uint64_t pointers = p->first[from + 1] - p->first[from];

		if (s->steps <= pointers) {
			s->steps = s->count = 0;
			return;
		}
		s->steps -= pointers + 1;
		for (uint64_t i = p->first[from]; i < p->first[from + 1]; i++)
			reach_block(s, POINTER_TARGET(p->to[i]), nest);
	}
}

/* Drops what roots further out lead to, and follows the rest. PTR are all of one root. */
static void do_root(struct search *s, const struct nested_pointer *ptr, uint64_t count,
		    uint32_t *of_pointer)
{
	for (uint64_t i = 0; i < count; i++) {
		if (s->seen[POINTER_TARGET(s->p->root[ptr[i].pointer].to)] == ptr[i].nest)
			of_pointer[ptr[i].pointer] = HOLDING_NO_ROOT;
	}
	for (uint64_t i = 0; i < count && s->steps > 0; i++)
		reach_block(s, POINTER_TARGET(s->p->root[ptr[i].pointer].to), ptr[i].nest);
	follow_waiting(s, ptr->nest);
}

static void do_all(struct search *s, const struct nested_pointer *ptr, uint64_t count,
		   const struct holding_roots *roots, uint32_t *of_pointer)
{
	uint64_t end;

	for (uint64_t i = 0; i < count && s->steps > 0; i = end) {
		for (end = i + 1; end < count && ptr[end].root == ptr[i].root; end++)
			;
		s->rank_of_nest = roots->rank[ptr[i].root];
		do_root(s, &ptr[i], end - i, of_pointer);
	}
}

uint32_t *nested_roots_drop(const struct pointer_graph *p, const struct holding_roots *roots,
			    const uint8_t *rank)
{
	const size_t blocks = (size_t)p->blocks->count + 1;
	struct search s = { .p = p, .rank = rank,
			    .steps = STEPS_LEAST + STEPS_PER_BLOCK * (uint64_t)blocks };
	struct nested_pointer *ptr;
	uint32_t *of_pointer;
	uint64_t count;

	if (!roots->nest)
		return NULL;
	ptr = xcalloc(p->roots + 1, sizeof(*ptr));
	count = list_pointers(ptr, p, roots);
	qsort(ptr, count, sizeof(*ptr), compare_pointers);
	s.seen = xcalloc(blocks, sizeof(*s.seen));
	s.waiting = xmalloc(blocks * sizeof(*s.waiting));
	of_pointer = xmalloc((p->roots + 1) * sizeof(*of_pointer));
	memcpy(of_pointer, roots->of_pointer, p->roots * sizeof(*of_pointer));
	do_all(&s, ptr, count, roots, of_pointer);
	free(ptr);
	free(s.seen);
	free(s.waiting);
	return of_pointer;
}
