/* print_dhat.c -- profiles of DHAT as text: numbers as a browser writes them, which places matter by
 * each metric, and the tree from either end.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/dhat/dhat_text.h"

#include "memusageprint/dhat/dhat_metric.h"
#include "memusageprint/dhat/dhat_number.h"
#include "memusageprint/dhat/dhat_tree.h"
#include "tests/lib/tap.h"

static void test_numbers(void)
{
	char b[DHAT_NUMBER_LENGTH];

	EQ_S(dhat_number(b, 0), "0");
	EQ_S(dhat_number(b, 1234567), "1,234,567");
	EQ_S(dhat_number(b, 0.125), "0.13");
	EQ_S(dhat_number(b, 1.005), "1.01"); /* printf: 1.00 */
	EQ_S(dhat_number(b, 0.004), "0");
	EQ_S(dhat_number(b, 0.005), "0.01");
	EQ_S(dhat_number(b, 9.999), "10");
	EQ_S(dhat_number(b, 999.995), "1,000");
	EQ_S(dhat_number(b, 1234.5), "1,234.5");
	EQ_S(dhat_number(b, 1e21), "1,000,000,000,000,000,000,000");
	EQ_S(dhat_number(b, 1e-300), "0");
	EQ_S(dhat_number(b, 1.0 / 0.0), "\xe2\x88\x9e");
	EQ_U(strlen(dhat_number(b, 1.7976931348623157e308)), 309 + 102);
	EQ_S(dhat_percent(b, 1, 3), "33.33%");
	EQ_S(dhat_percent(b, 0, 0), "0%");
	EQ_S(dhat_percent(b, 1, 1), "100%");
	EQ_S(dhat_percent(b, 1, 100000), "0%");
	EQ_S(dhat_percent(b, 5, 100000), "0.01%");
}

static struct dhat d;

/* frames: innermost first, one letter each. */
static void point(uint64_t bytes, uint64_t blocks, const char *frames)
{
	uint32_t frame[16], count = 0;
	const struct dhat_point p = { .total_bytes = bytes, .total_blocks = blocks,
				      .lifetimes = blocks * 100, .max_bytes = bytes };

	for (; frames[count]; count++)
		frame[count] = dhat_frame(&d, (char[]){ frames[count], 0 });
	EQ_I(dhat_add(&d, &p, &(struct dhat_stack){ .frame = frame, .frames = count }, NULL), 0);
}

static char *text_of(struct settings *s)
{
	static char *text;
	size_t size;
	FILE *out;

	free(text);
	out = open_memstream(&text, &size);
	EQ_I(dhat_text_put(out, &d, s, "x"), 0);
	fclose(out);
	return text;
}

static void test_tree(void)
{
	struct settings s = { .sort = DHAT_TOTAL_BLOCKS, .threshold = 1 };
	struct dhat_tree t;

	dhat_init(&d, DHAT_HEAP);
	point(100, 10, "mab");
	point(1000, 990, "mac");
	point(7, 7, "m");
	point(5, 2, "mxyz");
	point(5, 3, "mxyw");
	dhat_tree_build(&t, &d, false, NULL);
	EQ_U(t.count, 8);
	EQ_U(t.node[0].to, 1);
	EQ_U(t.node[0].children, 3);
	EQ_U(t.node[0].sum.total_blocks, 1012);
	dhat_tree_weigh(&t, DHAT_TOTAL_BLOCKS, 1);
	EQ_U(t.node[t.node[0].child].sum.total_blocks, 1000);
	EQ_I(t.node[t.node[0].child].weight, DHAT_SELF);
	EQ_I(t.node[t.node[0].child + 1].weight, DHAT_NOT);
	dhat_tree_free(&t);
	HAS_S(text_of(&s), "[2 insignificant]");
	HAS_S(text_of(&s), "PP 1.1/2 (2 children) {");
	HAS_S(text_of(&s), "#2: a\n");
	HAS_S(text_of(&s), "^1: m\n");
	HAS_S(text_of(&s), "PP significance threshold: total >= 10.12 blocks (1%)\n");
	s.invert = true;
	s.threshold = 0;
	HAS_S(text_of(&s), "#1: c\n");
	s.grep = "x";
	HAS_S(text_of(&s), "Only 2 of 5 stacks, with \"x\" in a frame");
	s.grep = "nothing";
	HAS_S(text_of(&s), "0 bytes (0%, 0/Minstr) in 0 blocks");
	s.sort = DHAT_READS;
	EQ_I(dhat_text_put(stdout, &d, &s, "no error"), -1);
}

static void test_metrics(void)
{
	const struct dhat_point root = { .total_bytes = 1000, .total_blocks = 100,
					 .read_bytes = 100000, .written_bytes = 10 };
	struct dhat_point p = { .total_bytes = 100, .total_blocks = 10, .read_bytes = 99999,
				.written_bytes = 0, .lifetimes = 5000 };

	IS_TRUE(dhat_metric_matters(DHAT_TINY, &p, &root, &d, 1));
	IS_TRUE(dhat_metric_matters(DHAT_SHORT_LIVED, &p, &root, &d, 1));
	IS_TRUE(dhat_metric_matters(DHAT_UNUSED_BYTES, &p, &root, &d, 1));
	IS_FALSE(dhat_metric_matters(DHAT_LOW_BYTES, &p, &root, &d, 1));
	IS_FALSE(dhat_metric_matters(DHAT_HIGH_READS, &p, &root, &d, 1));
	p.read_bytes = 100000;
	IS_TRUE(dhat_metric_matters(DHAT_HIGH_READS, &p, &root, &d, 1));
	IS_FALSE(dhat_metric_matters(DHAT_HIGH_WRITES, &p, &root, &d, 1));
	p.written_bytes = 40;
	IS_TRUE(dhat_metric_matters(DHAT_LOW_BLOCKS, &p, &root, &d, 1));
	p.lifetimes = 5001;
	IS_FALSE(dhat_metric_matters(DHAT_SHORT_LIVED, &p, &root, &d, 1));
	p.total_bytes = 161;
	IS_FALSE(dhat_metric_matters(DHAT_TINY, &p, &root, &d, 1));
	IS_FALSE(dhat_metric_is_there(DHAT_READS, &d));
	IS_TRUE(dhat_metric_is_there(DHAT_GMAX, &d));
}

int main(void)
{
	test_numbers();
	test_tree();
	test_metrics();
	dhat_free(&d);
	return done_testing();
}
