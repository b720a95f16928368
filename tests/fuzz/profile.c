/* profile.c -- call stacks of a hostile recording become lists, trees and exports within bounds.
 *
 * The input is a recording of any kind. Nothing is looked up: modules are named only.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "formats/callgrind.h"
#include "formats/folded.h"
#include "formats/json.h"
#include "formats/page/page_image.h"
#include "formats/pprof/pprof.h"
#include "profile/model/massif_lines.h"
#include "profile/model/runtime_frames.h"
#include "profile/model/top.h"
#include "profile/read/segment.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ignore_line(const struct massif_line *line, void *data)
{
	*(size_t *)data += strlen(line->text);
}

static void make_tree(const struct filter *f, const struct weight *weight,
		      enum tree_grouping grouping)
{
	const struct tree_options o = { .grouping = grouping, .threshold = grouping ? 0 : 1,
					.nodes_max = 1 << 14 };
	const struct massif_lines_options lo = { .threshold = 1 };
	size_t bytes = 0;
	struct call_tree t;

	tree_build(&t, f, weight, &o);
	if (grouping == TREE_BY_ADDRESS)
		massif_lines(&t, f, &lo, ignore_line, &bytes);
	tree_free(&t);
}

static void make_lists(const struct filter *f, const struct weight *weight)
{
	struct program_stacks program;
	struct top t;

	program_stacks_init(&program, f, NULL);
	top_build(&t, &program.filter, weight, TOP_BY_FUNCTION, TOP_BY_BYTES);
	top_free(&t);
	top_build(&t, &program.filter, weight, TOP_FUNCTIONS, TOP_BY_BLOCKS);
	top_free(&t);
	program_stacks_free(&program);
}

static void export(const struct filter *f, const struct image *im, const struct weight *weight)
{
	const struct export e = { .filter = f, .image = im, .command = "a", .version = "b" };
	FILE *out = fopen("/dev/null", "w");

	folded_write(out, &e, weight, false);
	callgrind_write(out, &e);
	json_write(out, &e);
	pprof_write(out, &e);
	fclose(out);
}

static void make_page(const struct filter *f, const struct image *im, const struct segment *s)
{
	static struct result result;
	const struct export e = { .filter = f, .image = im, .command = "a", .version = "b" };
	const struct page_budget budget = { .nodes = 50, .name_bytes = 64, .values = 100,
					    .points = 20 };
	struct page_image page = { .export = &e, .segment = &s->head, .result = &result };
	struct page_json j = { .out = fopen("/dev/null", "w") };
	struct image copy = *im;

	result_take(&result, &copy);
	page_image_init(&page);
	page_image_fill(&j, &page, &budget);
	page_image_free(&page);
	fclose(j.out);
}

static void read_image(const struct image *im, const struct segment *s)
{
	struct weight *weight;
	struct profile p;
	struct filter f;

	profile_load(&p, im);
	filter_init(&f, &p, NULL);
	weight = calloc((size_t)p.sites.count + 1, sizeof(*weight));
	sites_lifetimes(&p.sites, im);
	for (int kind = METRIC_PEAK; kind <= METRIC_SNAPSHOT; kind++) {
		sites_weigh(&p.sites, im, (enum metric_kind)kind, 0, weight);
		make_tree(&f, weight, TREE_BY_ADDRESS);
		make_tree(&f, weight, TREE_BY_LINE);
	}
	make_lists(&f, weight);
	export(&f, im, weight);
	make_page(&f, im, s);
	free(weight);
	filter_free(&f);
	profile_free(&p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = aligned_alloc(64, (size + 63) & ~(size_t)63);
	struct segment s;
	struct image im;

	if (!copy)
		return 0;
	memcpy(copy, data, size);
	if (segment_view(&s, copy, size, NULL) == 0)
		for (uint32_t k = 0; k < s.head.slot_count && k < 4; k++)
			if (segment_image(&s, k, &im, NULL) == 0)
				read_image(&im, &s);
	free(copy);
	return 0;
}
