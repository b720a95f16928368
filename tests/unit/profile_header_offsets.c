/* profile_header_offsets.c -- which sites have headers: by how many blocks, what share of them, and at
 * which offsets.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/graph/header_offsets.h"

#include <stdlib.h>
#include <string.h>

#include "profile/graph/leak_marks.h"
#include "tests/lib/tap.h"

enum { BASE = 0x10000, STEP = 0x100 };

static struct block_set set;
static struct pointer_graph graph;
static struct header_offsets headers;

/* COUNT blocks of a site, and for the first WITH of them a pointer at OFFSET. */
static void add_site(uint32_t site, uint32_t count, uint64_t *word, uint32_t with, uint64_t offset)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct heap_block b = { .start = BASE + (uint64_t)STEP * set.count,
					      .size = 200, .site = site };

		word[i] = i < with ? b.start + offset : 0;
		block_set_add(&set, &b);
	}
}

/* Tells whether a site is found to have headers of OFFSET bytes. */
static bool is_found(uint32_t count, uint32_t with, uint64_t offset, uint8_t kind)
{
	uint64_t word[100], other[10];
	uint8_t kinds[110];
	bool result;

	add_site(3, 10, other, 10, 24);
	add_site(7, count, word, with, offset);
	memset(kinds, kind, sizeof(kinds));
	block_set_finish(&set);
	pointer_graph_init(&graph, &set);
	pointer_graph_scan(&graph, 0, other, 10);
	pointer_graph_finish(&graph);
	pointer_graph_scan_root(&graph, 0, 0x1000, word, count);
	header_offsets_find(&headers, &graph, kinds);
	result = header_offsets_has(&headers, 7, offset);
	IS_FALSE(header_offsets_has(&headers, 7, offset + 1));
	IS_FALSE(header_offsets_has(&headers, 6, offset));
	EQ_U(header_offsets_has(&headers, 3, 24), kind == LEAK_POSSIBLE);
	header_offsets_free(&headers);
	pointer_graph_free(&graph);
	block_set_free(&set);
	return result;
}

int main(void)
{
	IS_TRUE(is_found(8, 8, 16, LEAK_POSSIBLE));
	IS_FALSE(is_found(7, 7, 16, LEAK_POSSIBLE));
	IS_TRUE(is_found(20, 18, 16, LEAK_POSSIBLE));
	IS_FALSE(is_found(20, 17, 16, LEAK_POSSIBLE));
	IS_TRUE(is_found(20, 20, 63, LEAK_POSSIBLE));
	IS_FALSE(is_found(20, 20, 64, LEAK_POSSIBLE));
	IS_FALSE(is_found(20, 20, 0, LEAK_POSSIBLE));
	IS_FALSE(is_found(20, 20, 16, LEAK_REACHABLE));
	return done_testing();
}
