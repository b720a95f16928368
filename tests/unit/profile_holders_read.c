/* profile_holders_read.c -- what held the blocks, as a recording has it: damaged tables are no moment,
 * and threads that hold alike are folded without losing a byte.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/model/holder_groups.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/tap.h"

enum { THREADS = 6, ROOTS = THREADS + 1, SETS = 3, NODES = 1 + 2 * THREADS + 1 + SETS, MANY = 9000 };

/* The text has the names "work" and "a.out". */
static const char text[] = "\0work\0a.out";

/* A result with room for more nodes, in the order of its tables. */
struct sample {
	struct mu_holders head;
	struct mu_holder_root root[ROOTS];
	struct mu_holder_node retained[NODES], via[1];
	struct mu_holder_type type[2];
	struct mu_holder_set set[SETS];
	struct mu_holder_link link[1];
	char text[sizeof(text)];
} __attribute__((packed, aligned(8)));

/* Threads 1 to 6 hold 100 to 600 bytes by a frame of "work", and root 6, a variable, 50. Set 0 is two
 * of the threads, the others are one thread each with the variable. */
static struct sample make_sample(void)
{
	struct sample s = {
		.head = { .bytes = offsetof(struct sample, text) + sizeof(text), .roots = ROOTS,
			  .sets = SETS, .retained = NODES, .via = 1, .types = 2,
			  .text = sizeof(text), .links = 1 },
		.root[THREADS] = { .kind = MU_HOLDER_GLOBAL, .name = 6 },
		.type = { { .site = 1 }, { .site = 2 } },
		.set = { { 2, { 0, 1 } }, { 2, { 2, 6 } }, { 2, { 3, 6 } } },
		.link = { { .kind = MU_HOLDER_ROOT, .from = 2, .pointers = 1 } },
	};
	uint32_t n = 1;

	for (uint32_t i = 0; i < THREADS; i++) {
		s.root[i] = (struct mu_holder_root){ .kind = MU_HOLDER_STACK, .name = 1,
						     .object = 6, .thread = i + 1 };
		s.retained[n++] = (struct mu_holder_node){ .kind = MU_HOLDER_ROOT, .what = i };
		s.retained[n] = (struct mu_holder_node){ .parent = n - 1, .kind = MU_HOLDER_SITE,
							 .what = 1, .bytes = 100 * (i + 1),
							 .blocks = 1 };
		n++;
	}
	s.retained[n++] = (struct mu_holder_node){ .kind = MU_HOLDER_ROOT, .what = THREADS,
						   .bytes = 50, .blocks = 1 };
	for (uint32_t i = 0; i < SETS; i++)
		s.retained[n++] = (struct mu_holder_node){ .kind = MU_HOLDER_SET, .what = i,
							   .bytes = 1000, .blocks = 1 };
	memcpy(s.text, text, sizeof(text));
	return s;
}

static const struct mu_holders *head_of(const struct sample *s)
{
	return (const void *)s;
}

/* Returns how many moments are read of one result. */
static uint32_t count_read(struct holder_moments *m, const struct mu_holders *h)
{
	const struct image im = { .holders = &h, .holder_count = 1 };

	holder_moments_read(m, &im);
	return m->count;
}

static bool is_read(const struct sample *s)
{
	struct holder_moments m;
	bool result;

	result = count_read(&m, head_of(s)) == 1;
	holder_moments_free(&m);
	return result;
}

#define REFUSED(what, change) do { \
	struct sample s = make_sample(); \
	change; \
	OK(!is_read(&s), "refused: " what); \
} while (0)

static void test_damage(void)
{
	const struct sample good = make_sample();

	OK(is_read(&good), "a sound result is read");
	REFUSED("a kind of root", s.root[0].kind = MU_HOLDER_ROOT_KINDS);
	REFUSED("a name behind the text", s.root[0].name = sizeof(text));
	REFUSED("an object behind the text", s.root[0].object = UINT32_MAX);
	REFUSED("a text without an end", s.text[sizeof(text) - 1] = 'x');
	REFUSED("a parent that comes later", s.retained[2].parent = 3);
	REFUSED("a parent that is itself", s.retained[2].parent = 2);
	REFUSED("a root that is not there", s.retained[1].what = ROOTS);
	REFUSED("a root below a root", s.retained[3].parent = 1);
	REFUSED("a set that is not there", s.retained[NODES - 1].what = SETS);
	REFUSED("a site at the top", s.retained[2].parent = 0);
	REFUSED("something below the rest", s.retained[1].kind = MU_HOLDER_REST);
	REFUSED("a kind of node", s.retained[1].kind = MU_HOLDER_REST + 1);
	REFUSED("no node at all", s.head.via = 0);
	REFUSED("a set of none", s.set[0].count = 0);
	REFUSED("a set of too many", s.set[0].count = MU_HOLDER_SET_MOST + 2);
	REFUSED("a set of roots that are not there", s.set[0].root[1] = ROOTS);
	REFUSED("types out of order", s.type[1].site = 1);
	REFUSED("a link from a root that is not there", s.link[0].from = ROOTS);
	REFUSED("tables that are longer than the result", s.head.links = UINT32_MAX);
	REFUSED("counts that overflow", s.head.retained = s.head.via = UINT32_MAX);
}

/* Reports take time by the square of the nodes below one parent. */
static void test_many_nodes(void)
{
	const size_t nodes = (size_t)(MANY + 1) * sizeof(struct mu_holder_node);
	const size_t bytes = sizeof(struct mu_holders) + nodes + 1;
	struct mu_holders *h = calloc(1, bytes);
	struct mu_holder_node *node = (void *)(h + 1);
	struct holder_moments m;

	*h = (struct mu_holders){ .bytes = bytes, .retained = MANY, .via = 1, .text = 1 };
	for (uint32_t i = 1; i < MANY; i++)
		node[i] = (struct mu_holder_node){ .kind = MU_HOLDER_REST, .bytes = i };
	OK(count_read(&m, h) == 0, "refused: more nodes than any recorder writes");
	holder_moments_free(&m);
	h->retained = 2 * MU_HOLDER_NODES_MOST;
	h->bytes -= (MANY - h->retained) * sizeof(*node);
	memset(&node[h->retained], 0, (MANY + 1 - h->retained) * sizeof(*node));
	OK(count_read(&m, h) == 1, "... and as many as it may write are read");
	holder_moments_free(&m);
	free(h);
}

static void test_groups(void)
{
	const struct sample s = make_sample();
	struct mu_holder_node folded[NODES];
	struct holder_line line[ROOTS + 3] = { { .line = 0 } };
	char *names[ROOTS + 3];
	uint32_t first[] = { 1, ROOTS + 1 }, count;
	struct holder_names n = { .text = names, .count = ROOTS + 1, .first = first, .line = line };
	struct holder_moments m;
	const struct holder_group *all;
	struct holder_groups g;
	uint64_t bytes = 0;

	OK(count_read(&m, head_of(&s)) == 1, "six threads");
	for (uint32_t i = 0; i < ROOTS; i++)
		names[i + 1] = (char *)(uintptr_t)holders_text(&m.at[0], m.at[0].root[i].name);
	holder_groups_find(&g, m.at, m.count, &n);
	all = holder_groups_of_root(&g, 0, 0);
	OK(holder_groups_of_root(&g, 0, 5)->first == 0 && all->threads == 6 && all->least == 100 &&
	   all->most == 600, "... are one group, of which each has 100 to 600 bytes");
	OK(holder_groups_of_root(&g, 0, 6)->number == 0, "the variable is in none");
	OK(holder_groups_of_set(&g, 0, 0)->is_inner, "two of them are within the group");
	OK(holder_groups_of_set(&g, 0, 1)->sets == 2 && !holder_groups_of_set(&g, 0, 1)->is_inner &&
	   holder_groups_of_set(&g, 0, 2)->first == 1, "sets that differ in the thread are one");
	count = holder_groups_fold(&g, 0, m.at[0].retained, NODES, folded);
	OK(count == 5, "the tree has the heap, the group, its blocks, the variable, and one set");
	for (uint32_t i = 0; i < count; i++)
		bytes += folded[i].bytes;
	OK(bytes == 2100 + 50 + 3000, "... and all bytes");
	OK(folded[1].bytes == 1000 && folded[2].bytes == 2100 && folded[2].parent == 1,
	   "... where they belong");
	holder_groups_free(&g);
	holder_moments_free(&m);
}

int main(void)
{
	test_damage();
	test_many_nodes();
	test_groups();
	return done_testing();
}
