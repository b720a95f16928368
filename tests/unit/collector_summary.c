/* collector_summary.c -- the summary has glibc's layout, byte for byte.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/summary.h"

#include "tests/lib/tap.h"

static struct result r;

static char *text_of(bool color, bool mmap)
{
	size_t length;
	char *text;
	FILE *out = open_memstream(&text, &length);

	summary_print(out, &r, color, mmap);
	fclose(out);
	return text;
}

static void check(bool color, bool mmap, const char *want)
{
	char *text = text_of(color, mmap);

	EQ_S(text, want);
	free(text);
}

static const char empty_plain[] =
	"\n"
	"Memory usage summary: heap total: 0, heap peak: 0, stack peak: 0\n"
	"         total calls   total memory   failed calls\n"
	" malloc|          0              0              0\n"
	"realloc|          0              0              0  (nomove:0, dec:0, free:0)\n"
	" calloc|          0              0              0\n"
	"   free|          0              0\n"
	"Histogram for block sizes:\n";

static const char full_color[] =
	"\n"
	"\033[01;32mMemory usage summary:\033[0;0m heap total: 184370, heap peak: 135218, "
	"stack peak: 96\n"
	"\033[04;34m         total calls   total memory   failed calls\033[0m\n"
	"\033[00;34m malloc|\033[0m          1             50              0\033[00;00m\n"
	"\033[00;34mrealloc|\033[0m          4            100   \033[01;41m           2"
	"\033[00;00m  (nomove:1, dec:2, free:3)\n"
	"\033[00;34m calloc|\033[0m          0              0              0\033[00;00m\n"
	"\033[00;34m   free|\033[0m          7             50\n"
	"\033[00;34mmmap(r)|\033[0m          3          12288              0\033[00;00m\n"
	"\033[00;34mmmap(w)|\033[0m          2          20480              0\033[00;00m\n"
	"\033[00;34mmmap(a)|\033[0m          1          32768              0\033[00;00m\n"
	"\033[00;34m mremap|\033[0m          3         118684              0\033[00;00m  "
	"(nomove: 1, dec:1)\n"
	"\033[00;34m munmap|\033[0m          3          12288   \033[01;41m           1"
	"\033[00;00m\n"
	"\033[01;32mHistogram for block sizes:\033[0;0m\n"
	"    0-15              1  10% \033[41;37m================\033[0;0m\n"
	"   48-63              1  10% \033[41;37m================\033[0;0m\n"
	" 4096-4111            2  20% \033[41;37m=================================\033[0;0m\n"
	" 8192-8207            3  30% \033[41;37m========================================"
	"==========\033[0;0m\n"
	"16384-16399           1  10% \033[41;37m================\033[0;0m\n"
	"32768-32783           1  10% \033[41;37m================\033[0;0m\n"
	"   large              1  10% \033[41;37m================\033[0;0m\n";

static void fill(void)
{
	struct counters *c = &r.counters;

	r.heap_peak = 135218;
	r.stack_peak = 96;
	c->calls[MU_FN_MALLOC] = 1, c->bytes[MU_FN_MALLOC] = 50;
	c->calls[MU_FN_REALLOC] = 4, c->bytes[MU_FN_REALLOC] = 100;
	c->failed[MU_FN_REALLOC] = 2;
	c->realloc_nomove = 1, c->realloc_dec = 2, c->realloc_free = 3;
	c->calls[MU_FN_FREE] = 7, c->bytes[MU_FN_FREE] = 50, c->failed[MU_FN_FREE] = 99;
	c->calls[MU_FN_MMAP_R] = 3, c->bytes[MU_FN_MMAP_R] = 12288;
	c->calls[MU_FN_MMAP_W] = 2, c->bytes[MU_FN_MMAP_W] = 20480;
	c->calls[MU_FN_MMAP_A] = 1, c->bytes[MU_FN_MMAP_A] = 32768;
	c->calls[MU_FN_MREMAP] = 3, c->bytes[MU_FN_MREMAP] = 118684;
	c->mremap_nomove = 1, c->mremap_dec = 1;
	c->calls[MU_FN_MUNMAP] = 3, c->bytes[MU_FN_MUNMAP] = 12288, c->failed[MU_FN_MUNMAP] = 1;
	c->hist[0] = 1, c->hist[3] = 1, c->hist[256] = 2, c->hist[512] = 3;
	c->hist[1024] = 1, c->hist[2048] = 1, c->hist_large = 1;
}

/* Shares below one percent, bars of no length, numbers wider than their columns. */
static void extremes(void)
{
	char *text;

	r = (struct result){ 0 };
	r.counters.calls[MU_FN_MALLOC] = UINT64_MAX;
	r.counters.bytes[MU_FN_MALLOC] = UINT64_MAX;
	r.counters.hist[1] = 1;
	r.counters.hist[4095] = 1000;
	text = text_of(false, false);
	HAS_S(text, " malloc| 18446744073709551615   18446744073709551615              0\n");
	HAS_S(text, "\n   16-31              1  <1% \n");
	HAS_S(text, "\n65520-65535        1000  99% "
		    "==================================================\n");
	free(text);
	/* What no program does, but a recording may say. */
	for (int i = 0; i < 4096; i++)
		r.counters.hist[i] = UINT64_MAX / 2;
	text = text_of(false, false);
	OK(strlen(text) > 4096, "absurd counts are printed");
	free(text);
}

static void memalign_row(void)
{
	char *text;

	r = (struct result){ 0 };
	r.counters.calls[MU_FN_MEMALIGN] = 5;
	r.counters.bytes[MU_FN_MEMALIGN] = 640;
	r.counters.failed[MU_FN_MEMALIGN] = 1;
	text = text_of(false, false);
	HAS_S(text, "   free|          0              0\n"
		    "memalign|         5            640              1\n"
		    "Histogram");
	HAS_S(text, "heap total: 640");
	free(text);
}

int main(void)
{
	check(false, false, empty_plain);
	fill();
	check(true, true, full_color);
	extremes();
	memalign_row();
	return done_testing();
}
