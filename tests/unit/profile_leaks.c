/* profile_leaks.c -- graphs of blocks whose kinds of loss are known, and of random ones against a
 * marking that is too simple to be wrong.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/graph/leak_heuristics.h"
#include "profile/graph/leak_losses.h"

#include <string.h>

#include "tests/lib/tap.h"

enum { BASE = 0x10000, MANY = 40, GRAPHS = 3000, SETS = 300, WORDS = 700 };

static struct block_set set;
static struct pointer_graph graph;
static struct leak_marks marks;

static uint32_t seed = 1;

static uint32_t next_random(uint32_t below)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % below;
}

static void add_block(uint64_t start, uint64_t size, uint32_t site, bool is_announced)
{
	const struct heap_block b = { .start = start, .size = size, .site = site,
				      .is_announced = is_announced };

	block_set_add(&set, &b);
}

static void begin_graph(void)
{
	block_set_finish(&set);
	pointer_graph_init(&graph, &set);
}

static void add_pointer(uint32_t from, uint64_t word)
{
	pointer_graph_scan(&graph, from, &word, 1);
}

static void add_root(uint64_t word)
{
	pointer_graph_scan_root(&graph, 7, 0x1000, &word, 1);
}

static void free_all(void)
{
	leak_marks_free(&marks);
	pointer_graph_free(&graph);
	block_set_free(&set);
}

/* ---- sets and the index ----------------------------------------------------------------- */

static void test_set(void)
{
	add_block(0x3000, 100, 3, false);
	add_block(0x1000, 64, 1, false);
	add_block(0x1010, 16, 2, true); /* within the one before */
	add_block(0x3000, 8, 4, false);	/* a second record of an address */
	block_set_finish(&set);
	EQ_U(set.count, 2);
	EQ_U(set.left_out, 1);
	EQ_U(set.block[0].start, 0x1010);
	EQ_U(set.block[1].site, 3);
	EQ_U(set.bytes, 116);
	block_set_free(&set);
}

static void test_index(void)
{
	struct block_index x;
	uint64_t offset = 0;

	add_block(0x400000, 24, 0, false);
	add_block(0x400020, 0, 0, false);
	add_block(0x400030, UINT64_C(5) << 20, 0, false); /* reaches over leaves without a start */
	add_block(UINT64_C(0x7fff00000000), 1, 0, false);
	block_set_finish(&set);
	block_index_init(&x, &set);
	EQ_U(block_index_find(&x, 0x3fffff, &offset), BLOCK_NONE);
	EQ_U(block_index_find(&x, 0x400000, &offset), 0);
	EQ_U(block_index_find(&x, 0x400017, &offset), 0);
	EQ_U(offset, 23);
	EQ_U(block_index_find(&x, 0x400018, &offset), BLOCK_NONE);
	EQ_U(block_index_find(&x, 0x400020, &offset), 1);
	EQ_U(block_index_find(&x, 0x400021, &offset), BLOCK_NONE);
	EQ_U(block_index_find(&x, 0x400030 + (UINT64_C(5) << 20) - 1, &offset), 2);
	EQ_U(block_index_find(&x, 0x400030 + (UINT64_C(5) << 20), &offset), BLOCK_NONE);
	EQ_U(block_index_find(&x, UINT64_C(0x7fff00000000), &offset), 3);
	EQ_U(block_index_find(&x, UINT64_C(0x7fff00000001), &offset), BLOCK_NONE);
	EQ_U(block_index_find(&x, ~UINT64_C(0), &offset), BLOCK_NONE);
	IS_FALSE(x.is_crowded);
	block_index_free(&x);
	block_set_free(&set);
	block_index_init(&x, &set);
	EQ_U(block_index_find(&x, 0x400000, &offset), BLOCK_NONE);
	block_index_free(&x);
}

/* Announced blocks may begin at any byte. */
static void test_crowded_index(void)
{
	struct block_index x;
	uint64_t offset;

	for (uint64_t i = 0; i < 100; i++)
		add_block(0x2001 + 3 * i, 2, (uint32_t)i, true);
	block_set_finish(&set);
	block_index_init(&x, &set);
	IS_TRUE(x.is_crowded);
	for (uint64_t i = 0; i < 100; i++) {
		EQ_U(block_index_find(&x, 0x2001 + 3 * i, &offset), i);
		EQ_U(block_index_find(&x, 0x2002 + 3 * i, &offset), i);
		EQ_U(block_index_find(&x, 0x2003 + 3 * i, &offset), BLOCK_NONE);
	}
	block_index_free(&x);
	block_set_free(&set);
}

/* Looks at all blocks. */
static uint32_t find_simply(uint64_t word, uint64_t *offset)
{
	for (uint32_t i = 0; i < set.count; i++) {
		const struct heap_block *b = &set.block[i];

		*offset = word - b->start;
		if (word >= b->start && *offset < (b->size ? b->size : 1))
			return i;
	}
	return BLOCK_NONE;
}

/* Blocks of all sizes, next to each other or far apart; ALIGN is 1 for announced ones. */
static void make_random_blocks(uint32_t align)
{
	uint64_t at = (uint64_t)BASE + align * next_random(100);

	for (uint32_t i = 1 + next_random(MANY); i > 0; i--) {
		const uint64_t size = next_random(4) ? next_random(200) : next_random(8000000);
		const uint64_t gap = next_random(3) ? 0 : next_random(3) ? next_random(500) :
					       (uint64_t)next_random(100) << 30;

		add_block(at, size, i, align == 1);
		at += (size + gap + align) / align * align;
	}
	block_set_finish(&set);
}

static uint64_t random_word(void)
{
	const struct heap_block *b = &set.block[next_random(set.count)];

	switch (next_random(3)) {
	case 0:
		return b->start + next_random(20) - 10;
	case 1:
		return b->start + b->size + next_random(20) - 10;
	default:
		return b->start + (b->size ? next_random((uint32_t)b->size) : 0);
	}
}

static uint32_t count_wrong_lookups(const struct block_index *x)
{
	struct block_lookup look[WORDS];
	uint32_t count = 0, wrong = 0;

	for (int i = 0; i < WORDS; i++) {
		const uint64_t word = random_word();

		if (block_index_may_have(x, word))
			look[count++].word = word;
		else
			wrong += find_simply(word, &look[count].offset) != BLOCK_NONE;
	}
	block_index_find_each(x, look, count);
	for (uint32_t i = 0; i < count; i++) {
		uint64_t offset, alone;
		const uint32_t block = find_simply(look[i].word, &offset);

		wrong += look[i].block != block ||
			 block_index_find(x, look[i].word, &alone) != block;
		wrong += block != BLOCK_NONE && (look[i].offset != offset || alone != offset);
	}
	return wrong;
}

static void test_random_index(void)
{
	uint32_t wrong = 0, crowded = 0;

	for (uint32_t i = 0; i < SETS; i++) {
		struct block_index x;

		make_random_blocks(i % 3 ? 8 : 1);
		block_index_init(&x, &set);
		wrong += count_wrong_lookups(&x);
		crowded += x.is_crowded;
		block_index_free(&x);
		block_set_free(&set);
	}
	EQ_U(wrong, 0);
	OK(crowded > 0 && crowded < SETS, "both kinds of index (%u crowded)", crowded);
}

/* ---- kinds ------------------------------------------------------------------------------ */

static uint8_t explain_eight(void *data, uint32_t block, uint64_t offset)
{
	(*(unsigned int *)data)++;
	return offset == 8 ? LEAK_HEURISTIC_NEWARRAY : 0;
}

static void test_kinds(void)
{
	for (uint32_t i = 0; i < 9; i++)
		add_block(BASE + 0x100 * i, 0x40, i, false);
	begin_graph();
	add_pointer(0, BASE + 0x100);	   /* root -> 0 -> 1 */
	add_pointer(1, BASE + 0x204);	   /* ... -> the middle of 2 */
	add_pointer(2, BASE + 0x300);	   /* ... -> 3: possible like 2 */
	add_pointer(4, BASE + 0x500);	   /* lost 4 -> 5 -> 6 -> 5 */
	add_pointer(5, BASE + 0x600);
	add_pointer(6, BASE + 0x500);
	add_pointer(7, BASE + 0x800 + 63); /* a lost cycle: 7 is its leader */
	add_pointer(8, BASE + 0x700);
	pointer_graph_finish(&graph);
	add_root(BASE);
	add_root(BASE + 0x40); /* one past the end */
	EQ_U(graph.roots, 1);
	EQ_U(graph.root[0].root, 7);
	leak_marks_find(&marks, &graph, NULL, NULL);
	static const uint8_t want[] = { LEAK_REACHABLE, LEAK_REACHABLE, LEAK_POSSIBLE,
					LEAK_POSSIBLE,	LEAK_DEFINITE,	LEAK_INDIRECT,
					LEAK_INDIRECT,	LEAK_DEFINITE,	LEAK_INDIRECT };
	EQ_MEM(marks.kind, want, sizeof(want));
	EQ_U(marks.leader[6], 4);
	EQ_U(marks.leader[8], 7);
	free_all();
}

/* A later leader takes over the group of an earlier one, and so on. */
static void test_groups(void)
{
	struct leak_losses l;

	for (uint32_t i = 0; i < 4; i++)
		add_block(BASE + 0x100 * i, 10 + i, i / 3, false);
	begin_graph();
	add_pointer(1, BASE);
	add_pointer(2, BASE + 0x100);
	add_pointer(3, BASE + 0x200);
	pointer_graph_finish(&graph);
	leak_marks_find(&marks, &graph, NULL, NULL);
	EQ_U(marks.kind[3], LEAK_DEFINITE);
	for (uint32_t i = 0; i < 3; i++) {
		EQ_U(marks.kind[i], LEAK_INDIRECT);
		EQ_U(marks.leader[i], 3);
	}
	leak_losses_add_up(&l, &set, &marks);
	EQ_U(l.count, 2);
	EQ_U(l.loss[0].kind, MU_LOSS_INDIRECT);
	EQ_U(l.loss[0].bytes, 33);
	EQ_U(l.loss[0].blocks, 3);
	EQ_U(l.loss[1].kind, MU_LOSS_DEFINITE);
	EQ_U(l.loss[1].bytes, 13);
	EQ_U(l.loss[1].indirect_bytes, 33);
	EQ_U(l.loss[1].indirect_blocks, 3);
	leak_losses_free(&l);
	free_all();
}

static void test_explained(void)
{
	unsigned int asked = 0;

	for (uint32_t i = 0; i < 5; i++)
		add_block(BASE + 0x100 * i, 0x40, i, false);
	begin_graph();
	add_pointer(0, BASE + 0x108); /* explained */
	add_pointer(1, BASE + 0x208); /* explained, but 3 has a plain pointer to it */
	add_pointer(1, BASE + 0x310); /* not explained */
	add_pointer(1, BASE + 0x400);
	add_pointer(4, BASE + 0x200);
	pointer_graph_finish(&graph);
	add_root(BASE);
	leak_marks_find(&marks, &graph, explain_eight, &asked);
	EQ_U(asked, 3);
	EQ_U(marks.kind[1], LEAK_REACHABLE);
	EQ_U(marks.heuristic[1], LEAK_HEURISTIC_NEWARRAY);
	EQ_U(marks.kind[2], LEAK_REACHABLE);
	EQ_U(marks.heuristic[2], 0);
	EQ_U(marks.kind[3], LEAK_POSSIBLE);
	EQ_U(marks.kind[4], LEAK_REACHABLE);
	free_all();
}

/* ---- heuristics ------------------------------------------------------------------------- */

/* Memory of the process: words at 0x1000 and on, code from 0x100000 on, files from 0x8000 on. */
static uint64_t memory_word[0x2000];

static unsigned int read_word(void *data, uint64_t address, uint64_t *word, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		word[i] = memory_word[(address - 0x1000) / 8 + i];
	return count;
}

static bool is_code(void *data, uint64_t address)
{
	return address >= 0x100000;
}

static bool is_file(void *data, uint64_t address)
{
	return address >= 0x8000 && address < 0x10000;
}

static enum leak_heuristic explain(unsigned int set_of, uint64_t size, uint64_t offset)
{
	const struct leak_memory memory = { .read = read_word, .is_code = is_code,
					    .is_file = is_file };
	const struct heap_block b = { .start = 0x2000, .size = size };

	return leak_heuristics_explain(&memory, set_of, &b, offset);
}

static void test_heuristics(void)
{
	uint64_t *block = &memory_word[0x1000 / 8], *table = &memory_word[0x7000 / 8];
	const unsigned int all = LEAK_HEURISTICS_ALL;

	EQ_U(all, 15);
	block[0] = 5; /* length, capacity: a string */
	block[1] = 10;
	EQ_U(explain(all, 35, 24), LEAK_HEURISTIC_STDSTRING);
	EQ_U(explain(all, 36, 24), 0);
	EQ_U(explain(all & ~1u, 35, 24), 0);
	block[0] = 11;
	EQ_U(explain(all, 35, 24), 0);
	block[0] = 40;
	EQ_U(explain(all, 48, 8), LEAK_HEURISTIC_LENGTH64);
	EQ_U(explain(all & ~2u, 48, 8), LEAK_HEURISTIC_NEWARRAY);
	EQ_U(explain(all, 88, 8), LEAK_HEURISTIC_NEWARRAY);
	EQ_U(explain(all, 89, 8), 0);
	EQ_U(explain(all, 88, 16), 0);
	block[0] = 0;
	EQ_U(explain(all, 88, 8), 0);
	block[0] = 0x8000; /* two tables of virtual functions */
	block[2] = 0x8020;
	table[0] = 0x100000;
	table[2] = 0x100020;
	table[4] = 0x100000;
	table[5] = 0x100020;
	EQ_U(explain(all, 64, 16), LEAK_HEURISTIC_MULTIPLE_INHERITANCE);
	EQ_U(explain(all & ~8u, 64, 16), 0);
	EQ_U(explain(all, 64, 17), 0);
	table[1] = 0x4000; /* no code */
	EQ_U(explain(all, 64, 16), 0);
}

/* ---- random graphs ---------------------------------------------------------------------- */

/* Edges as a matrix: 1 interior, 2 start. */
static uint8_t edge[MANY + 1][MANY];

/* Raises kinds until nothing changes. Row MANY is the roots. */
static void mark_simply(uint8_t *kind, uint32_t n)
{
	bool has_changed = true;

	memset(kind, LEAK_DEFINITE, n);
	while (has_changed) {
		has_changed = false;
		for (uint32_t from = 0; from <= MANY; from++)
			for (uint32_t to = 0; to < n; to++) {
				uint8_t k = from == MANY || (from < n && kind[from] == 0) ? 0 :
					    from < n ? kind[from] : LEAK_DEFINITE;

				if (!edge[from][to] || k == LEAK_DEFINITE)
					continue;
				k = k == 0 && edge[from][to] == 2 ? LEAK_REACHABLE : LEAK_POSSIBLE;
				has_changed |= k < kind[to];
				kind[to] = k < kind[to] ? k : kind[to];
			}
	}
}

static bool leads_to(uint32_t n, const uint8_t *kind, uint32_t from, uint32_t to)
{
	bool is_led[MANY] = { false };
	bool has_changed = true;

	for (uint32_t i = 0; i < n; i++)
		is_led[i] = edge[from][i] && kind[i] >= LEAK_INDIRECT;
	while (has_changed) {
		has_changed = false;
		for (uint32_t a = 0; a < n; a++)
			for (uint32_t b = 0; b < n; b++)
				if (is_led[a] && !is_led[b] && edge[a][b] &&
				    kind[b] >= LEAK_INDIRECT)
					has_changed = is_led[b] = true;
	}
	return is_led[to];
}

static unsigned int count_wrong_groups(uint32_t n)
{
	unsigned int wrong = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (marks.kind[i] == LEAK_INDIRECT)
			wrong += marks.kind[marks.leader[i]] != LEAK_DEFINITE ||
				 !leads_to(n, marks.kind, marks.leader[i], i);
	}
	return wrong;
}

static void make_random_graph(uint32_t n)
{
	memset(edge, 0, sizeof(edge));
	for (uint32_t i = 0; i < n; i++)
		add_block(BASE + 0x100 * i, 0x80, i, false);
	begin_graph();
	for (uint32_t from = 0; from < n; from++)
		for (uint32_t k = next_random(4); k > 0; k--) {
			uint32_t to = next_random(n), inside = next_random(3) == 0;

			edge[from][to] |= inside ? 1 : 2;
			edge[from][to] = edge[from][to] & 2 ? 2 : 1;
			add_pointer(from, BASE + 0x100 * to + (inside ? 16 : 0));
		}
	pointer_graph_finish(&graph);
	for (uint32_t k = next_random(4); k > 0; k--) {
		uint32_t to = next_random(n);

		edge[MANY][to] = 2;
		add_root(BASE + 0x100 * to);
	}
}

static void test_random(void)
{
	unsigned int wrong = 0, lost = 0;

	for (int i = 0; i < GRAPHS; i++) {
		uint32_t n = 1 + next_random(MANY);
		uint8_t kind[MANY];

		make_random_graph(n);
		leak_marks_find(&marks, &graph, NULL, NULL);
		mark_simply(kind, n);
		for (uint32_t k = 0; k < n; k++) {
			uint8_t got = marks.kind[k] == LEAK_INDIRECT ? LEAK_DEFINITE : marks.kind[k];

			wrong += got != kind[k];
			lost += got == LEAK_DEFINITE;
		}
		wrong += count_wrong_groups(n);
		free_all();
	}
	EQ_U(wrong, 0);
	OK(lost > GRAPHS, "%u blocks are lost", lost);
}

int main(void)
{
	test_set();
	test_index();
	test_crowded_index();
	test_random_index();
	test_kinds();
	test_groups();
	test_explained();
	test_heuristics();
	test_random();
	return done_testing();
}
