/* profile_tree.c -- sites, filters and trees: the sums, the order, the thresholds of Massif.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/model/tree.h"

#include <stdlib.h>

#include "tests/lib/fake_profile.h"
#include "tests/lib/scratch.h"
#include "tests/lib/tap.h"

#define SLOT UINT64_C(4194304)

static struct fake f;
static struct image im;
static struct profile p;

static void begin(void)
{
	fake_segment(&f, MU_KIND_FILE, 1, SLOT);
	fake_image(&f, 0)->process.pid = 1; /* 0 is a merge */
	fake_stacks(&f);
}

static void load(void)
{
	fake_profile(&f, &im, &p);
}

static void end(void)
{
	profile_free(&p);
	free(f.base);
}

/* A tree as text: "root 100 (main 100 (parse 60) ...)". */
static char *show(const struct call_tree *t, char *text, size_t size)
{
	size_t used = 0;
	uint32_t open = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < t->count; i++) {
		const struct tree_node *n = &t->node[i];
		uint32_t count;
		const struct symbols_level *level = profile_levels(&p, n->location, &count);
		const char *name = count ? symbols_text(&p.symbols, level[n->level].full) : "???";
		char merged[16];

		for (; open > n->depth; open--)
			used += (size_t)snprintf(text + used, size - used, ")");
		if (n->depth > 0)
			used += (size_t)snprintf(text + used, size - used,
						 t->node[i - 1].depth < n->depth ? " (" : " ");
		open = n->depth;
		snprintf(merged, sizeof(merged), "%" PRIu32 " more", n->merged);
		used += (size_t)snprintf(text + used, size - used, "%s%s %" PRId64,
					 n->depth == 0 ? "root" :
					 n->flags & TREE_MERGED ? merged : name,
					 n->flags & TREE_RECURSIVE ? "*" : "", n->bytes);
	}
	for (; open > 0; open--)
		used += (size_t)snprintf(text + used, size - used, ")");
	return text;
}

static const char *tree_text(const struct filter_options *fo, const struct tree_options *o)
{
	static char text[4096];
	struct weight weight[FAKE_ENTRIES];
	struct filter filter;
	struct call_tree t;

	EQ_I(sites_weigh(&p.sites, &im, METRIC_LIVE, 0, weight), 0);
	filter_init(&filter, &p, fo);
	tree_build(&t, &filter, weight, o);
	EQ_U(t.node[0].size, t.count);
	show(&t, text, sizeof(text));
	tree_free(&t);
	filter_free(&filter);
	return text;
}

static void orders_and_merges(void)
{
	static const struct tree_options all = { .threshold = 0 };
	static const struct tree_options tenth = { .threshold = 10 };
	static const struct tree_options other = { .threshold = 10, .other = 1000 };
	static const struct tree_options shallow = { .threshold = 0, .depth = 1 };

	begin();
	fake_site(&f, "main>a>x", 60, 1);
	fake_site(&f, "main>b>x", 30, 1);
	fake_site(&f, "main>c>x", 5, 1);
	fake_site(&f, "main>d>x", 5, 1);
	fake_site(&f, "main>y", 9, 1);
	fake_site(&f, "main>z", 0, 0)->total_blocks = 1;
	fake_site(&f, "x", 7, 1);
	load();
	EQ_S(tree_text(NULL, &all),
	     "root 116 (x 107 (a 60 (main 60) b 30 (main 30) c 5 (main 5) d 5 (main 5)) "
	     "y 9 (main 9) z 0 (main 0))");
	EQ_S(tree_text(NULL, &tenth),
	     "root 116 (x 107 (a 60 (main 60) b 30 (main 30) 2 more 10) 2 more 9)");
	EQ_S(tree_text(NULL, &other), "root 116 (3 more 116)");
	EQ_S(tree_text(NULL, &shallow), "root 116 (x 107 y 9 z 0)");
	end();
}

static void filters(void)
{
	static const struct tree_options all = { .threshold = 0 };
	static const char *const ab[] = { "a", "b" };
	static const char *const main_too[] = { "a", "b", "main" };
	struct filter_options o = { .depth = 3 };

	begin();
	fake_site(&f, "_start>__libc_start_main>main>c>b>a", 10, 1);
	fake_site(&f, "_start>__libc_start_main>main>main>c", 3, 1);
	fake_site(&f, "clone>start_thread>w", 4, 1);
	fake_site(&f, "_start>__libc_start_main>init", 2, 1);
	fake_site(&f, "_start>main>operator new(unsigned long)", 1, 1);
	load();
	EQ_S(tree_text(NULL, &all),
	     "root 20 (a 10 (b 10 (c 10 (main 10))) w 4 (start_thread 4 (clone 4)) "
	     "c 3 (main 3 (main 3)) init 2 (__libc_start_main 2) main 1)");
	EQ_S(tree_text(&o, &all),
	     "root 20 (a 10 (b 10 (c 10)) w 4 (start_thread 4 (clone 4)) "
	     "c 3 (main 3 (main 3)) init 2 (__libc_start_main 2) main 1)");
	o = (struct filter_options){ .show_below_main = true, .alloc_fn = ab, .alloc_fns = 2 };
	EQ_S(tree_text(&o, &all),
	     "root 20 (c 13 (main 13 (__libc_start_main 10 (_start 10) "
	     "main 3 (__libc_start_main 3 (_start 3)))) w 4 (start_thread 4 (clone 4)) "
	     "init 2 (__libc_start_main 2 (_start 2)) main 1 (_start 1))");
	o = (struct filter_options){ .alloc_fn = main_too, .alloc_fns = 3 };
	EQ_S(tree_text(&o, &all),
	     "root 20 (c 13 (main 13 (main 3)) w 4 (start_thread 4 (clone 4)) "
	     "init 2 (__libc_start_main 2) _start 1)");
	o = (struct filter_options){ .ignore_fn = ab, .ignore_fns = 1 };
	EQ_S(tree_text(&o, &all),
	     "root 10 (w 4 (start_thread 4 (clone 4)) c 3 (main 3 (main 3)) "
	     "init 2 (__libc_start_main 2) main 1)");
	end();
}

/* The first frame outward that has a name decides what is ignored. */
static void nameless(void)
{
	static const struct tree_options all = { .threshold = 0 };
	static const char *const a[] = { "a" };
	struct filter_options o = { .ignore_fn = a, .ignore_fns = 1 };

	begin();
	fake_site(&f, "main>a>?1", 5, 1);
	fake_site(&f, "main>b>?1", 6, 1);
	fake_site(&f, "?2>?3", 7, 1);
	load();
	EQ_S(tree_text(&o, &all), "root 13 (??" "? 7 (??" "? 7) ??" "? 6 (b 6 (main 6)))");
	end();
}

static void recursion(void)
{
	static const struct tree_options lines = { .grouping = TREE_BY_LINE };
	static const struct tree_options addresses = { .grouping = TREE_BY_ADDRESS };

	begin();
	fake_site(&f, "main>f>f>f>x", 1, 1);
	fake_site(&f, "main>f>x", 2, 1);
	fake_site(&f, "main>p>q>r>p>q>r>p>q>r>y", 10, 1);
	load();
	EQ_S(tree_text(NULL, &addresses),
	     "root 13 (y 10 (r 10 (q 10 (p 10 (r 10 (q 10 (p 10 (r 10 (q 10 (p 10 (main 10))))))))))"
	     " x 3 (f 3 (main 2 f 1 (f 1 (main 1)))))");
	EQ_S(tree_text(NULL, &lines),
	     "root 13 (y 10 (r 10 (q 10 (p* 10 (main 10)))) x 3 (f* 3 (main 3)))");
	end();
}

/* Cells of several threads, some freed elsewhere; the rule of the peak. */
static void sums(void)
{
	struct weight weight[FAKE_ENTRIES];
	struct sites_classes *classes;
	struct mu_cell *cell;

	begin();
	cell = fake_site(&f, "main>a", 100, 2);
	cell->epoch = 3;
	cell->peak_bytes = 400;
	cell->peak_blocks = 7;
	cell->temporary = 1;
	cell->size_class[2] = 5;
	cell = fake_append(&f, MU_SEC_CELLS);
	*cell = (struct mu_cell){ .site = 1, .live_bytes = -60, .live_blocks = -1, .epoch = 2,
				  .peak_bytes = 999, .size_class = { 0, 0, 4 } };
	fake_at(&f, 0)->heap = (struct mu_heap){ .now = 40, .peak = 50, .epoch = 3 };
	load();
	EQ_U(p.sites.count, 2);
	EQ_I(p.sites.site[1].live_bytes, 40);
	EQ_I(p.sites.site[1].live_blocks, 1);
	EQ_I(p.sites.site[1].peak_bytes, 400 - 60);
	EQ_I(p.sites.site[1].peak_blocks, 7 - 1);
	classes = sites_classes(&p.sites, &im);
	EQ_U(classes[1].blocks[2], 9);
	free(classes);
	EQ_I(sites_weigh(&p.sites, &im, METRIC_TEMPORARY, 0, weight), 0);
	EQ_I(weight[1].blocks, 1);
	EQ_I(sites_weigh(&p.sites, &im, METRIC_SNAPSHOT, 0, weight), -1);
	profile_free(&p);
	/* A heap above the old peak is the peak. */
	fake_at(&f, 0)->heap.now = 51;
	load();
	EQ_I(p.sites.site[1].peak_bytes, 40);
	profile_free(&p);
	/* But that of a merge is the sum of all ends. */
	fake_at(&f, 0)->process.pid = 0;
	load();
	EQ_I(p.sites.site[1].peak_bytes, 400 - 60);
	end();
}

static void snapshots(void)
{
	static const struct mu_site_value value[] = { { 1, 0, 50, 1 }, { 3, 0, 20, 1 },
						      { 99, 0, 1, 1 } };
	struct weight weight[FAKE_ENTRIES];
	struct mu_snapshot *shot;

	begin();
	for (int i = 0; i < 4; i++)
		fake_site(&f, "main>a", 1, 1);
	shot = fake_append(&f, MU_SEC_SNAPSHOTS);
	shot->values = fake_alloc(&f, 0, sizeof(value));
	shot->value_count = 3;
	shot->sites = 4;
	shot->sites = 4;
	memcpy(fake_pointer(&f, 0, shot->values), value, sizeof(value));
	load();
	EQ_I(sites_weigh(&p.sites, &im, METRIC_SNAPSHOT, 0, weight), 0);
	EQ_I(weight[1].bytes, 50);
	EQ_I(weight[2].bytes, 0);
	IS_TRUE(weight[2].is_there);
	EQ_I(weight[3].bytes, 20);
	IS_FALSE(weight[4].is_there);
	EQ_I(sites_weigh(&p.sites, &im, METRIC_SNAPSHOT, 1, weight), -1);
	shot->values = 0;
	shot->heap = 70;
	EQ_I(sites_weigh(&p.sites, &im, METRIC_SNAPSHOT, 0, weight), -1);
	end();
}

/* A recording that lies: cycles, wild indices, sums beyond all bounds. */
static void hostile(void)
{
	static const struct tree_options all = { .threshold = 0 };
	struct mu_cell *cell;

	begin();
	fake_site(&f, "main>a>b", INT64_MAX, INT64_MAX);
	fake_site(&f, "main>c>d", INT64_MAX, INT64_MAX);
	cell = fake_append(&f, MU_SEC_CELLS);
	*cell = (struct mu_cell){ .site = 1, .live_bytes = 1, .max_bytes = INT64_MAX };
	fake_append(&f, MU_SEC_CELLS);
	cell[1] = (struct mu_cell){ .site = 1u << 31, .live_bytes = 1 };
	((struct mu_frame *)fake_entry(&f, MU_SEC_FRAMES, 2))->parent = 3;
	((struct mu_stack *)fake_entry(&f, MU_SEC_STACKS, 1))->frame = UINT32_MAX;
	((struct mu_site *)fake_entry(&f, MU_SEC_SITES, 2))->stack = UINT32_MAX;
	load();
	HAS_S(tree_text(NULL, &all), "root ");
	end();
}

int main(void)
{
	scratch();
	orders_and_merges();
	filters();
	nameless();
	recursion();
	sums();
	snapshots();
	hostile();
	return done_testing();
}
