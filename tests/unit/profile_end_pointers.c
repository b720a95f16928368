/* profile_end_pointers.c -- pointers to the end of a block do not hold the next one, unless nothing
 * else does.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/graph/end_pointers.h"

#include "tests/lib/tap.h"

/* Blocks: an owner, then A, B and C next to each other. */
enum { OWNER, A, B, C, BLOCKS, SIZE = 80, ROOTS = 3, MOMENT = 2 };

static struct block_set set;
static struct pointer_graph graph;
static uint32_t of_pointer[16];

static uint64_t address_of(uint32_t block)
{
	return block == OWNER ? 0x1000 : 0x20000 + (uint64_t)(block - A) * SIZE;
}

static void begin(uint64_t size)
{
	for (uint32_t i = 0; i < BLOCKS; i++)
		block_set_add(&set, &(struct heap_block){ .start = address_of(i), .size = size });
	block_set_finish(&set);
	pointer_graph_init(&graph, &set);
}

static void add_owner(uint64_t first, uint64_t second, uint64_t third)
{
	const uint64_t word[] = { first, second, third };

	pointer_graph_scan(&graph, OWNER, word, 3);
}

static void add_root(uint32_t root, uint64_t word)
{
	pointer_graph_scan_root(&graph, root, 0, &word, 1);
}

static uint64_t drop(void)
{
	static const uint8_t rank[ROOTS] = { [MOMENT] = 1 };
	const struct holding_roots roots = { .of_pointer = of_pointer, .rank = rank,
					     .count = ROOTS };

	pointer_graph_finish(&graph);
	for (uint64_t i = 0; i < graph.roots; i++)
		of_pointer[i] = graph.root[i].root;
	return end_pointers_drop(&graph, &roots, of_pointer);
}

static void end(void)
{
	pointer_graph_free(&graph);
	block_set_free(&set);
}

/* Root 0 leads to the owner of three words, and ROOT to B. */
static uint64_t drop_of_owner(const uint64_t word[3], uint32_t root)
{
	uint64_t dropped;

	begin(SIZE);
	add_owner(word[0], word[1], word[2]);
	add_root(0, address_of(OWNER));
	if (root < ROOTS)
		add_root(root, address_of(B));
	dropped = drop();
	return dropped;
}

static void test_vectors(void)
{
	const uint64_t a = address_of(A), b = address_of(B), c = address_of(C);

	EQ_U(drop_of_owner((uint64_t[]){ a, b, b }, 1), 2); /* full */
	EQ_U(POINTER_TARGET(graph.to[0]), A);
	EQ_U(graph.to[1], OWNER);
	EQ_U(graph.to[2], OWNER);
	end();
	EQ_U(drop_of_owner((uint64_t[]){ a, a + 24, b }, 1), 1); /* not full */
	EQ_U(graph.to[2], OWNER);
	end();
	EQ_U(drop_of_owner((uint64_t[]){ a, a, b }, 1), 1); /* empty */
	end();
	EQ_U(drop_of_owner((uint64_t[]){ a, b, c }, 1), 0); /* pointers to three blocks */
	end();
	EQ_U(drop_of_owner((uint64_t[]){ a, a, b + 8 }, 1), 0); /* into the next one */
	end();
	EQ_U(drop_of_owner((uint64_t[]){ c, a, b }, 1), 0);
	end();
}

static void test_last_ways(void)
{
	const uint64_t word[] = { address_of(A), address_of(B), address_of(B) };

	EQ_U(drop_of_owner(word, ROOTS), 0); /* nothing else leads to B */
	EQ_U(graph.to[2], B);
	end();
	EQ_U(drop_of_owner(word, MOMENT), 0); /* a stack does */
	end();
}

static void test_roots(void)
{
	begin(SIZE);
	add_owner(address_of(B), 0, 0);
	add_root(0, address_of(A));
	add_root(0, address_of(B));
	add_root(0, address_of(B));
	add_root(1, address_of(OWNER));
	EQ_U(drop(), 2);
	EQ_U(of_pointer[0], 0);
	EQ_U(of_pointer[1], HOLDING_NO_ROOT);
	EQ_U(of_pointer[2], HOLDING_NO_ROOT);
	EQ_U(of_pointer[3], 1);
	end();
	begin(SIZE);
	add_owner(address_of(B), 0, 0);
	add_root(0, address_of(A));
	add_root(1, address_of(B)); /* of another variable */
	add_root(1, address_of(B));
	add_root(1, address_of(OWNER));
	EQ_U(drop(), 0);
	end();
}

/* As malloc of glibc puts them. */
static void test_gaps(void)
{
	begin(SIZE - 8);
	add_owner(address_of(A), address_of(B), address_of(B));
	add_root(0, address_of(OWNER));
	add_root(1, address_of(B));
	EQ_U(drop(), 0);
	end();
}

int main(void)
{
	test_vectors();
	test_last_ways();
	test_roots();
	test_gaps();
	return done_testing();
}
