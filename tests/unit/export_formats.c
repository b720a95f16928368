/* export_formats.c -- what is written for other tools is what was recorded: read back by those
 * tools where they are installed.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/base/triples.h"
#include "formats/base/utf8.h"
#include "formats/callgrind.h"
#include "formats/folded.h"
#include "formats/json.h"
#include "formats/pprof/pprof.h"

#include "tests/lib/fake_profile.h"
#include "tests/lib/scratch.h"
#include "tests/lib/shell.h"
#include "tests/lib/tap.h"

#define SLOT UINT64_C(4194304)

static struct fake f;
static struct image im;
static struct profile p;
static struct filter filter;
static struct export e = { .filter = &filter, .image = &im, .command = "./prog \"a\"\n\377",
			   .version = "9", .pid = 12, .start_real_ns = 1700000000000000000,
			   .duration_ns = 5000000000 };

static char *slurp(const char *file)
{
	static char *text;
	FILE *in = fopen(file, "r");
	size_t size = 0;

	free(text);
	text = NULL;
	if (!in || getdelim(&text, &size, '\0', in) < 0)
		text = calloc(1, 1);
	if (in)
		fclose(in);
	return text;
}

static void site(const char *stack, int64_t live, int64_t peak, uint64_t total, uint64_t blocks)
{
	struct mu_cell *cell = fake_site(&f, stack, live, live ? 1 : 0);

	cell->peak_bytes = peak;
	cell->peak_blocks = peak ? 1 : 0;
	cell->total_bytes = total;
	cell->total_blocks = blocks;
	cell->epoch = 1;
}

static void begin(void)
{
	struct mu_module *module;

	fake_segment(&f, MU_KIND_FILE, 1, SLOT);
	fake_image(&f, 0);
	fake_stacks(&f);
	fake_at(&f, 0)->heap = (struct mu_heap){ .now = 10, .peak = 900, .epoch = 1 };
	site("main>load>read;line", 0, 600, 6000, 60);
	site("main>f>f>g>f>node", 10, 200, 200, 3);
	site("main>?1>x\377y", 0, 0, 40, 4);
	site("", 0, 100, 100, 1);
	module = fake_append(&f, MU_SEC_MODULES);
	*module = (struct mu_module){ .start = 0x7f0000000000, .end = 0x7f0000001000,
				      .path = fake_string(&f, 0, "/lib/a.so", 9),
				      .build_id = { 0xab, 0xcd }, .build_id_length = 2 };
	((struct mu_frame *)fake_entry(&f, MU_SEC_FRAMES, 1))->generation = 0;
	fake_profile(&f, &im, &p);
	filter_init(&filter, &p, NULL);
}

static void folded(void)
{
	struct weight weight[FAKE_ENTRIES];
	FILE *out = fopen("folded", "w");

	EQ_I(sites_weigh(&p.sites, &im, METRIC_PEAK, 0, weight), 0);
	folded_write(out, &e, weight, false);
	fclose(out);
	EQ_S(slurp("folded"), "main;load;read_line 600\nmain;f;f;g;f;node 200\n[unknown] 100\n");
	out = fopen("folded", "w");
	EQ_I(sites_weigh(&p.sites, &im, METRIC_TOTAL, 0, weight), 0);
	folded_write(out, &e, weight, true);
	fclose(out);
	HAS_S(slurp("folded"), "main;[unknown];x?y 4\n");
}

static void callgrind(void)
{
	FILE *out = fopen("callgrind", "w");
	const char *text;

	callgrind_write(out, &e);
	fclose(out);
	text = slurp("callgrind");
	EQ_MEM(text, "# callgrind format\nversion: 1\ncreator: memusage-9\npid: 12\n"
		     "cmd: ./prog \"a\"??\n", 74);
	HAS_S(text, "events: peakB peakBk curB curBk totB totBk tmpBk\n");
	HAS_S(text, "\ntotals: 900 3 10 1 6340 68 0\n");
	if (!shell("command -v callgrind_annotate >/dev/null")) {
		skip("no callgrind_annotate here");
		return;
	}
	/* Inclusive costs: a function that calls itself has no more than the whole. */
	OK(shell("callgrind_annotate --inclusive=yes --threshold=100 callgrind >annotated"),
	   "callgrind_annotate reads it");
	text = slurp("annotated");
	HAS_S(text, "900 (100.0%) 3 (100.0%) 10 (100.0%) 1 (100.0%) 6,340 (100.0%) 68 (100.0%) 0"
		    "           PROGRAM TOTALS");
	OK(shell("grep -q '^800 (88.89%%) .*:main' annotated"), "main and all it calls");
	OK(shell("grep -q '^200 (22.22%%) .*:f ' annotated"), "a recursive function, once");
}

static void json(void)
{
	FILE *out = fopen("json", "w");
	const char *text;

	json_write(out, &e);
	fclose(out);
	text = slurp("json");
	HAS_S(text, "\"command\":\"./prog \\\"a\\\"\\u000a\\ufffd\",");
	HAS_S(text, "\"path\":\"/lib/a.so\",\"build_id\":\"abcd\",");
	HAS_S(text, "\"peak_bytes\":600,\"peak_blocks\":1,\"live_bytes\":0,\"live_blocks\":0,"
		    "\"total_bytes\":6000,\"total_blocks\":60,");
	if (!shell("command -v python3 >/dev/null")) {
		skip("no python3 here");
		return;
	}
	OK(shell("python3 -c 'import json; d = json.load(open(\"json\")); "
		 "n = lambda s: \">\".join(d[\"locations\"][l][\"levels\"][0][\"function\"] "
		 "for l in s[\"stack\"] if d[\"locations\"][l][\"levels\"]); "
		 "print(*sorted(n(s) for s in d[\"sites\"]), sep=\"\\n\")' >stacks"),
	   "python reads it");
	EQ_S(slurp("stacks"), "\nnode>f>g>f>f>main\nread;line>load>main\nx\357\277\275y>main\n");
}

static void pprof(void)
{
	FILE *out = fopen("pprof.pb.gz", "w");

	pprof_write(out, &e);
	fclose(out);
	if (shell("command -v python3 >/dev/null")) {
		OK(shell("python3 \"$MU_SRC/tests/lib/pprof.py\" pprof.pb.gz >pprof.txt"),
		   "a strict reader reads it");
		EQ_S(slurp("pprof.txt"),
		     "types alloc_objects/count alloc_space/bytes inuse_objects/count "
		     "inuse_space/bytes peak_objects/count peak_space/bytes\n"
		     "default peak_space comment ./prog \"a\"??\n"
		     "mapping /lib/a.so abcd 7f0000000000-7f0000001000 0\n"
		     "sample  1 100 0 0 1 100\n"
		     "sample node:0;f:0;g:0;f:0;f:0;main:0 3 200 1 10 1 200\n"
		     "sample read;line:0;load:0;main:0 60 6000 0 0 1 600\n"
		     "sample x?y:0;10607;main:0 4 40 0 0 0 0\n");
	} else {
		skip("no python3 here");
	}
	/* Go's own, from Debian's golang-go. */
	if (!shell("PATH=$PATH:/usr/lib/go-1.19/bin; command -v go >/dev/null")) {
		skip("no go tool pprof here");
		return;
	}
	OK(shell("PATH=$PATH:/usr/lib/go-1.19/bin HOME=$PWD go tool pprof -top -sample_index="
		 "alloc_space -symbolize=none pprof.pb.gz >top.txt 2>&1"), "go tool pprof reads it");
	HAS_S(slurp("top.txt"), "Type: alloc_space\n");
	HAS_S(slurp("top.txt"), "5.86kB");
}

/* Readers of Go's heap profiles take the period for the interval between samples. */
static void sampled(void)
{
	FILE *out = fopen("sampled.pb.gz", "w");

	im.head.sampling.log2 = 17;
	pprof_write(out, &e);
	fclose(out);
	out = fopen("sampled", "w");
	callgrind_write(out, &e);
	fclose(out);
	im.head.sampling.log2 = 0;
	HAS_S(slurp("sampled"), "\ndesc: estimates: about one block in 128 KiB was sampled; "
				"heap peak 900 B, at the end 10 B (95 %)\n\npositions: line\n");
	if (!shell("command -v python3 >/dev/null")) {
		skip("no python3 here");
		return;
	}
	OK(shell("python3 \"$MU_SRC/tests/lib/pprof.py\" sampled.pb.gz >pprof.txt"),
	   "a strict reader reads it");
	HAS_S(slurp("pprof.txt"), "comment ./prog \"a\"?? | estimates: about one block in 128 KiB");
	HAS_S(slurp("pprof.txt"), "\nperiod 131072 space/bytes\n");
}

static void small_parts(void)
{
	static const char *const bad[] = { "\200", "\300\200", "\340\200\200", "\355\240\200",
					   "\364\220\200\200", "\370\210\200\200\200", "\342\202" };
	struct triples t = { .count = 0 };
	uint32_t code;
	bool good = true;

	for (uint32_t i = 0; i < 5000; i++)
		good = good && triples_add(&t, i % 7, i / 7, 3) == i;
	for (uint32_t i = 0; i < 5000; i++)
		good = good && triples_add(&t, i % 7, i / 7, 3) == i;
	OK(good, "every triple has one number");
	triples_free(&t);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		EQ_I(utf8_next(bad[i], &code), 0);
	EQ_I(utf8_next("\360\237\222\251", &code), 4);
	EQ_U(code, 0x1f4a9);
}

int main(void)
{
	scratch();
	begin();
	folded();
	callgrind();
	json();
	pprof();
	sampled();
	small_parts();
	filter_free(&filter);
	profile_free(&p);
	free(f.base);
	return done_testing();
}
