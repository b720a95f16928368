/* print_lists.c -- the list and the tree for people say who holds the memory, and nothing that
 * drives a terminal.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cli/layout.h"
#include "cli/terminal.h"
#include "memusageprint/text/calltree.h"
#include "memusageprint/text/frame_text.h"
#include "memusageprint/text/toplist.h"
#include "profile/model/runtime_frames.h"

#include "tests/lib/fake_profile.h"
#include "tests/lib/scratch.h"
#include "tests/lib/tap.h"

#define SLOT UINT64_C(4194304)

static struct fake f;
static struct image im;
static struct profile p;
static struct filter complete;
static struct program_stacks program;
static const struct filter *filter;	/* of the stacks that are shown */
static struct weight weight[FAKE_ENTRIES];
static struct layout_style style;

static void begin(void)
{
	fake_segment(&f, MU_KIND_FILE, 1, SLOT);
	fake_image(&f, 0);
	fake_stacks(&f);
}

static void load(void)
{
	fake_profile(&f, &im, &p);
	filter_init(&complete, &p, NULL);
	program_stacks_init(&program, &complete, NULL);
	filter = &program.filter;
}

static void end(void)
{
	program_stacks_free(&program);
	filter_free(&complete);
	profile_free(&p);
	free(f.base);
}

static const char *list_text(enum metric_kind kind, unsigned int count)
{
	static char *text;
	const struct toplist list = { .filter = filter, .weight = weight, .kind = kind,
				      .count = count, .group = TOP_BY_FUNCTION };
	size_t length;
	FILE *out, *page;

	free(text);
	out = open_memstream(&text, &length);
	EQ_I(sites_weigh(&p.sites, &im, kind, 0, weight), 0);
	page = layout_open(out, style);
	toplist_print(page, &list);
	fclose(page);
	fclose(out);
	return text;
}

static const char *tree_text(enum metric_kind kind, double threshold)
{
	static char *text;
	const struct calltree tree = { .filter = filter, .weight = weight, .kind = kind,
				       .threshold = threshold };
	size_t length;
	FILE *out, *page;

	free(text);
	out = open_memstream(&text, &length);
	EQ_I(sites_weigh(&p.sites, &im, kind, 0, weight), 0);
	page = layout_open(out, style);
	calltree_print(page, &tree);
	fclose(page);
	fclose(out);
	return text;
}

static void lists(void)
{
	const char *text;

	begin();
	fake_site(&f, "main>load>read_line>std::deque::push_back(int)", 3072, 3);
	fake_site(&f, "main>load>read_line>std::string::reserve()", 1024, 1);
	fake_site(&f, "main>walk>walk>walk>walk>node", 700, 7)->temporary = 2;
	fake_site(&f, "main>a", 200, 2)->temporary = 6;
	fake_site(&f, "main>b", 100, 1);
	fake_site(&f, "", 24, 1);
	load();
	text = list_text(METRIC_LIVE, 3);
	EQ_MEM(text, "read_line allocated 80.0% of the 5.00 KiB live at the end\n", 58);
	HAS_S(text, "   4.00 KiB  80.0%             4  read_line\n");
	HAS_S(text, "called by load, main\n");
	HAS_S(text, "      700 B  13.7%             7  node\n");
	HAS_S(text, "called by walk, main\n");
	HAS_S(text, "      124 B   2.4%             2  2 other places\n");
	HAS_S(text, "   4.98 KiB  99.5%            14  main\n");
	HAS_S(text, "Not all of this need be a leak");
	HAS_S(list_text(METRIC_LIVE, 10), "       24 B   0.5%             1  [unknown]\n");
	text = list_text(METRIC_TEMPORARY, 10);
	EQ_MEM(text, "a allocated 75.0% of the 8 blocks that were temporary\n", 54);
	HAS_S(text, "          2  25.0%         700 B  node\n");
	end();
}

/* The bounds are below the figures, beside the callers if there are some. */
static void estimates(void)
{
	const struct sampled_error many = { .samples = 25, .variance = 1e6, .block_variance = 1,
					    .is_sampled = true };
	struct toplist list = { .kind = METRIC_LIVE, .count = 9, .group = TOP_BY_FUNCTION,
				.distance = 1024, .unseen = 3777 };
	struct calltree tree = { .kind = METRIC_LIVE, .distance = 1024, .unseen = 3777 };
	char *text;
	size_t length;
	FILE *out, *page;

	begin();
	fake_site(&f, "main>load>read_line", 30720, 30);
	fake_site(&f, "main", 10240, 10);
	load();
	EQ_I(sites_weigh(&p.sites, &im, METRIC_LIVE, 0, weight), 0);
	weight[1].error = weight[2].error = &many;
	list.filter = tree.filter = filter;
	list.weight = tree.weight = weight;
	out = open_memstream(&text, &length);
	page = layout_open(out, style);
	toplist_print(page, &list);
	calltree_print(page, &tree);
	fclose(page);
	fclose(out);
	HAS_S(text, "allocated 75.0% of the 40.0 KiB +- 2.8 live at the end\n");
	HAS_S(text, "   30.0 KiB  75.0%            30  read_line\n"
		    "     +- 2.0                 +- 2   called by load, main\n");
	HAS_S(text, "   10.0 KiB  25.0%            10  main\n"
		    "     +- 2.0                 +- 2\n");
	HAS_S(text, "   40.0 KiB 100.0%            40  main\n"
		    "     +- 2.8                 +- 3\n");
	HAS_S(text, "it has at most 3.69 KiB (97.5 %)");
	HAS_S(text, "40.0 KiB +- 2.8 in 40 +- 3 blocks, live at the end");
	HAS_S(text, "   30.0 KiB +- 2.0       75.0%  read_line");
	free(text);
	end();
}

static void nothing(void)
{
	begin();
	load();
	EQ_S(list_text(METRIC_PEAK, 5), "nothing was live when the heap was largest\n");
	HAS_S(tree_text(METRIC_TOTAL, 1), "0 B in 0 blocks, allocated in all\n");
	end();
}

static void trees(void)
{
	begin();
	fake_site(&f, "main>load>read_line", 1024, 3);
	fake_site(&f, "main>reload>read_line", 512, 1);
	fake_site(&f, "main>f>f>f>node", 500, 7);
	fake_site(&f, "main>a", 6, 2);
	fake_site(&f, "main>b", 6, 1);
	load();
	EQ_S(tree_text(METRIC_LIVE, 1),
	     "2.00 KiB in 14 blocks, live at the end: 75.0% by read_line\n"
	     "\n"
	     "      bytes      %  allocated by, called by\n"
	     "   1.50 KiB  75.0%  read_line\n"
	     "   1.00 KiB  50.0%  |- load\n"
	     "                    |  main\n"
	     "      512 B  25.0%  `- reload\n"
	     "                       main\n"
	     "      500 B  24.4%  node\n"
	     "                    f (recursive)\n"
	     "                    main\n"
	     "       12 B   0.6%  2 places, each below 1%\n");
	end();
}

/* What is hidden changes neither totals nor what is ignored. */
static void runtimes(void)
{
	const char *text;

	begin();
	fake_site(&f, "clone3>start_thread>std::thread::_M_run()>work>std::deque::push_back(int)",
		  3072, 3);
	fake_site(&f, "_start>__libc_start_main>main>read>xmalloc", 512, 1);
	fake_site(&f, "_start>std::ios_base::Init::Init()>operator new(unsigned long)", 100, 1);
	fake_site(&f, "_start>xcalloc>std::string::reserve()", 10, 1);
	load();
	text = list_text(METRIC_LIVE, 10);
	EQ_MEM(text, "work allocated 83.2% of the 3.61 KiB live at the end\n", 52);
	HAS_S(text, "      512 B  13.9%             1  read\n");
	HAS_S(text, "      100 B   2.7%             1  std::ios_base::Init::Init\n");
	HAS_S(text, "       10 B   0.3%             1  xcalloc\n");
	HAS_S(text, "called by main\n");
	IS_TRUE(!strstr(text, "start_thread"));
	HAS_S(tree_text(METRIC_LIVE, 0), "3.61 KiB in 6 blocks, live at the end: 83.2% by work\n");
	IS_TRUE(!strstr(tree_text(METRIC_LIVE, 0), "deque"));
	filter = &complete;
	text = list_text(METRIC_LIVE, 10);
	EQ_MEM(text, "std::deque::push_back allocated 83.2% of the 3.61 KiB live at the end\n", 68);
	HAS_S(text, "start_thread\n");
	HAS_S(tree_text(METRIC_LIVE, 0), "live at the end: 83.2% by std::deque::push_back\n");
	end();
}

/* What --ignore-fn and --alloc-fn leave out does not depend on what is hidden. */
static void ignored(void)
{
	const char *const name[] = { "std::deque::push_back(int)", "take" };
	const struct filter_options o = { .ignore_fn = name, .ignore_fns = 1, .alloc_fn = name + 1,
					  .alloc_fns = 1 };

	begin();
	fake_site(&f, "main>work>std::deque::push_back(int)", 3072, 3);
	fake_site(&f, "main>work>take", 512, 1);
	fake_site(&f, "main>std::string::append()", 100, 1);
	load();
	program_stacks_free(&program);
	filter_free(&complete);
	filter_init(&complete, &p, &o);
	program_stacks_init(&program, &complete, &o);
	HAS_S(list_text(METRIC_LIVE, 10), "work allocated 83.7% of the 612 B live at the end\n");
	HAS_S(list_text(METRIC_LIVE, 10), "      100 B  16.3%             1  main\n");
	filter = &complete;
	HAS_S(list_text(METRIC_LIVE, 10), "work allocated 83.7% of the 612 B live at the end\n");
	end();
}

/* V8's own code may lack a name: below a function of a script it is a part of V8. */
static void scripts(void)
{
	begin();
	fake_site(&f, "main>JS:*fill /srv/app.js:3:14>?", 3072, 3);
	fake_site(&f, "main>JS:~fill /srv/app.js:3:14>JS:~compile node:internal/modules:1:1", 512, 1);
	load();
	HAS_S(list_text(METRIC_LIVE, 10), "JS:fill (app.js:3) allocated 100.0% of the 3.50 KiB");
	end();
	begin();
	fake_site(&f, "main>fill>?", 3072, 3);
	load();
	HAS_S(list_text(METRIC_LIVE, 10), "functions without a name, made at run time");
	end();
}

static void harmless(void)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "plain", "plain" },
		{ "a\033[31mb\n\t\177", "a?[31mb???" },
		{ "gr\303\274n \342\202\254 \360\237\222\251", "gr\303\274n \342\202\254 \360\237\222\251" },
		{ "\302\233x\302\240", "?x\302\240" },
		{ "\200\377\303", "???" },
		{ "a\342\200\256b", "a?b" },
		{ "\355\240", "??" },
	};
	char text[64];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		FILE *out = fmemopen(text, sizeof(text), "w");

		terminal_put(out, cases[i].text);
		fclose(out);
		EQ_S(text, cases[i].want);
	}
}

int main(void)
{
	scratch();
	lists();
	estimates();
	nothing();
	trees();
	runtimes();
	ignored();
	scripts();
	harmless();
	return done_testing();
}
