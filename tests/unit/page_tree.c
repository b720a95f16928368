/* page_tree.c -- the tree of a report page is cut to its budget without losing a byte, and its JSON
 * cannot end the element it stands in.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/page/page_tree.h"

#include <stdlib.h>
#include <string.h>

#include "formats/page/page.h"
#include "tests/lib/tap.h"

enum { SITES = 5000 };

static struct page_tree tree;
static uint32_t node[SITES];
static int64_t total[SITES], peak[SITES];

static int64_t value(const void *data, uint32_t site, enum page_metric metric)
{
	(void)data;
	return metric == PAGE_TOTAL_BYTES ? total[site] : metric == PAGE_PEAK_BYTES ? peak[site] : 0;
}

static const struct page_sites sites = {
	.count = SITES, .node = node, .value = value,
	.metrics = 1u << PAGE_TOTAL_BYTES | 1u << PAGE_PEAK_BYTES,
};

/* Stacks of up to 30 frames over 60 functions; a few weigh much. */
static void grow(void)
{
	srand(7);
	page_tree_init(&tree);
	for (int i = 0; i < SITES; i++) {
		uint32_t at = 0;

		for (int depth = 1 + rand() % 30; depth > 0; depth--) {
			char name[16];
			struct page_place p = { .line = 1 + (uint32_t)(rand() % 2) };

			snprintf(name, sizeof(name), "f%d", rand() % 60);
			p.function = page_tree_text(&tree, name);
			at = page_tree_child(&tree, at, page_tree_place(&tree, &p));
		}
		node[i] = at;
		total[i] = rand() % 50 == 0 ? 100000 + rand() % 1000000 : rand() % 100;
		peak[i] = i == 17 ? 1000000000 : rand() % 10;
	}
}

static void check_cut(uint32_t nodes)
{
	struct page_cut c;
	int64_t *sum, all = 0, shown = 0;
	bool is_ordered = true, is_far = false;

	page_cut(&c, &tree, &sites, nodes);
	OK(c.count <= nodes * 5 / 2, "%u nodes for a budget of %u", c.count, nodes);
	sum = calloc(c.count, sizeof(*sum));
	for (uint32_t i = 0; i < SITES; i++) {
		is_far |= c.of_site[i] >= c.count;
		if (!is_far)
			sum[c.of_site[i]] += total[i];
		all += total[i];
	}
	OK(!is_far, "every site has a node");
	for (uint32_t i = 0; i < c.count; i++) {
		is_ordered &= i == 0 || c.node[i].parent < i;
		shown += sum[i];
	}
	OK(is_ordered, "parents come first");
	EQ_I(shown, all);
	/* The site that is everything at the peak is there with its whole stack. */
	uint32_t depth = 0, full = 0;

	for (uint32_t at = c.of_site[17]; at; at = c.node[at].parent)
		depth++;
	for (uint32_t at = node[17]; at; at = tree.node[at].parent)
		full++;
	EQ_U(depth, full);
	EQ_U(c.left_out > 0, nodes < tree.node_count);
	free(sum);
	page_cut_free(&c);
}

/* All nodes score alike. */
static void check_chain(void)
{
	struct page_tree chain;
	struct page_cut c;
	uint32_t at = 0;
	int64_t one = 1;
	struct page_sites s = { .count = 1, .node = &at, .value = value, .data = &one,
				.metrics = 1u << PAGE_TOTAL_BYTES };

	page_tree_init(&chain);
	total[0] = 1;
	for (uint32_t i = 1; i <= 3000; i++) {
		struct page_place p = { .line = i };

		at = page_tree_child(&chain, at, page_tree_place(&chain, &p));
	}
	page_cut(&c, &chain, &s, 100);
	OK(c.count <= 250, "a chain is cut too: %u", c.count);
	EQ_U(c.flags[c.of_site[0]] & PAGE_SKIPPED, PAGE_SKIPPED);
	page_cut_free(&c);
	page_tree_free(&chain);
}

static void check_json(const char *text, size_t max, const char *want)
{
	char *got = NULL;
	size_t size;
	struct page_json j = { .out = open_memstream(&got, &size) };

	page_json_open(&j, NULL, '{');
	page_json_text_cut(&j, "a", text, max);
	page_json_int(&j, "b", -1);
	page_json_close(&j, '}');
	fclose(j.out);
	EQ_S(got, want);
	free(got);
}

int main(void)
{
	grow();
	check_cut(100);
	check_cut(1000);
	check_cut(tree.node_count);
	check_chain();
	page_tree_free(&tree);
	check_json("</script><!--&\xe2\x80\xa8\xff\"\\\n", 100,
		   "{\"a\":\"\\u003c/script\\u003e\\u003c!--\\u0026\\u2028\\ufffd\\\"\\\\\\u000a\",\"b\":-1}");
	check_json("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\xc3\xa4zzzzz", 18,
		   "{\"a\":\"aaaaaaaaaaaa\xe2\x80\xa6[28 bytes left out]\xe2\x80\xa6\xc3\xa4zzzzz\",\"b\":-1}");
	check_json(NULL, 18, "{\"a\":null,\"b\":-1}");
	return done_testing();
}
