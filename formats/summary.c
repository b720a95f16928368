/* summary.c -- the text that a profiled program gets at its end.
 *
 * The layout is read by scripts and compared by tests: every space counts. One line each:
 *
 *	 malloc|          3            150              0
 *	realloc|          1             50   <red>           1</>  (nomove:1, dec:0, free:0)
 *	   48-63              1  10% ================
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/summary.h"

#include <inttypes.h>

enum { BAR_WIDTH = 50 };

/* The escapes, or empty texts. */
struct palette {
	const char *title, *head, *label, *failed, *bar;
	const char *end, *end_row;
};

static const struct palette colors = {
	.title = "\033[01;32m",
	.head = "\033[04;34m",
	.label = "\033[00;34m",
	.failed = "\033[01;41m",
	.bar = "\033[41;37m",
	.end = "\033[0m",
	.end_row = "\033[00;00m",
};
static const struct palette plain = { "", "", "", "", "", "", "" };

struct summary_printer {
	FILE *out;
	const struct palette *paint;
	const struct counters *c;
};

/* glibc ends its titles with another spelling of "normal". */
static void print_summary_title(const struct summary_printer *p, const char *title)
{
	fprintf(p->out, "%s%s%s", p->paint->title, title, p->paint == &colors ? "\033[0;0m" : "");
}

/* "memalign|" is a column wider than the other labels; its number makes up for it. */
static void print_function_row(const struct summary_printer *p, const char *label, enum mu_fn fn)
{
	int width = fn == MU_FN_MEMALIGN ? 9 : 10;

	fprintf(p->out, "%s%s|%s %*" PRIu64 "   %12" PRIu64, p->paint->label, label, p->paint->end,
		width, p->c->calls[fn], p->c->bytes[fn]);
	if (fn == MU_FN_FREE)
		return;
	fprintf(p->out, "   %s%12" PRIu64 "%s", p->c->failed[fn] ? p->paint->failed : "",
		p->c->failed[fn], p->paint->end_row);
}

static void print_heap_rows(const struct summary_printer *p)
{
	const struct counters *c = p->c;

	print_function_row(p, " malloc", MU_FN_MALLOC);
	fputc('\n', p->out);
	print_function_row(p, "realloc", MU_FN_REALLOC);
	fprintf(p->out, "  (nomove:%" PRIu64 ", dec:%" PRIu64 ", free:%" PRIu64 ")\n",
		c->realloc_nomove, c->realloc_dec, c->realloc_free);
	print_function_row(p, " calloc", MU_FN_CALLOC);
	fputc('\n', p->out);
	print_function_row(p, "   free", MU_FN_FREE);
	fputc('\n', p->out);
	if (c->calls[MU_FN_MEMALIGN] > 0) {
		print_function_row(p, "memalign", MU_FN_MEMALIGN);
		fputc('\n', p->out);
	}
}

static void print_mmap_rows(const struct summary_printer *p)
{
	print_function_row(p, "mmap(r)", MU_FN_MMAP_R);
	fputc('\n', p->out);
	print_function_row(p, "mmap(w)", MU_FN_MMAP_W);
	fputc('\n', p->out);
	print_function_row(p, "mmap(a)", MU_FN_MMAP_A);
	fputc('\n', p->out);
	print_function_row(p, " mremap", MU_FN_MREMAP);
	fprintf(p->out, "  (nomove: %" PRIu64 ", dec:%" PRIu64 ")\n", p->c->mremap_nomove,
		p->c->mremap_dec);
	print_function_row(p, " munmap", MU_FN_MUNMAP);
	fputc('\n', p->out);
}

/* Percent of all requests and a bar relative to the most frequent size. */
static void print_percentage(const struct summary_printer *p, uint64_t count, uint64_t all,
			     uint64_t most)
{
	unsigned int percent = (unsigned int)((__uint128_t)count * 100 / all);
	unsigned int length = (unsigned int)((__uint128_t)count * BAR_WIDTH / most);

	if (percent > 0)
		fprintf(p->out, " %3u%%", percent);
	else
		fputs("  <1%", p->out);
	fprintf(p->out, " %s", p->paint->bar);
	for (unsigned int i = 0; i < length; i++)
		fputc('=', p->out);
	fprintf(p->out, "%s\n", p->paint == &colors ? "\033[0;0m" : "");
}

static void print_histogram(const struct summary_printer *p)
{
	uint64_t all = p->c->hist_large, most = p->c->hist_large;

	for (unsigned int i = 0; i < MU_HIST_BUCKETS; i++) {
		all += p->c->hist[i];
		if (p->c->hist[i] > most)
			most = p->c->hist[i];
	}
	/* A hostile recording can make the sum wrap; a share of nothing is not printed. */
	if (all < most)
		all = most;
	for (unsigned int i = 0; i < MU_HIST_BUCKETS; i++) {
		if (p->c->hist[i] == 0)
			continue;
		fprintf(p->out, "%5u-%-5u%12" PRIu64, i * MU_HIST_STEP,
			i * MU_HIST_STEP + MU_HIST_STEP - 1, p->c->hist[i]);
		print_percentage(p, p->c->hist[i], all, most);
	}
	if (p->c->hist_large > 0) {
		fprintf(p->out, "   large   %12" PRIu64, p->c->hist_large);
		print_percentage(p, p->c->hist_large, all, most);
	}
}

void summary_print(FILE *out, const struct result *r, bool color, bool mmap)
{
	const struct summary_printer p = { out, color ? &colors : &plain, &r->counters };

	fputc('\n', out);
	print_summary_title(&p, "Memory usage summary:");
	fprintf(out, " heap total: %" PRIu64 ", heap peak: %" PRIu64 ", stack peak: %" PRIu64 "\n",
		counters_heap_total(p.c), r->heap_peak, r->stack_peak);
	fprintf(out, "%s         total calls   total memory   failed calls%s\n", p.paint->head,
		p.paint->end);
	if (!(r->notes & MU_NOTE_PAGES))
		print_heap_rows(&p);
	if (mmap)
		print_mmap_rows(&p);
	print_summary_title(&p, "Histogram for block sizes:");
	fputc('\n', out);
	print_histogram(&p);
}
