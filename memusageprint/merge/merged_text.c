/* merged_text.c -- What a merge says about its processes and machines, for people.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/merge/merged_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/layout.h"
#include "cli/terminal.h"
#include "cli/units.h"
#include "cli/xmalloc.h"
#include "memusageprint/text/plot.h"
#include "memusageprint/job/spread_text.h"
#include "profile/merge/merge_overview.h"

enum { PARTS = 24 };

struct merged_text {
	FILE *out;
	const struct merge *m;
	struct merge_overview overview;
	bool is_run;			/* memusage has just made the recording */
	bool has_blocks;		/* the terminal shows the signs of a curve */
};

static const char *bytes_text(char text[UNITS_LENGTH], int64_t bytes)
{
	return units_bytes(text, bytes > 0 ? (uint64_t)bytes : 0);
}

/* ---- sums ---------------------------------------------------------------------------------- */

static void put_sum(const struct merged_text *t)
{
	const struct merge *m = t->m;
	char peak[UNITS_LENGTH], own[UNITS_LENGTH], at[UNITS_LENGTH];

	bytes_text(peak, m->peak);
	bytes_text(own, t->overview.peaks_sum);
	units_time(at, m->curve.peak_ns - m->curve.start_ns);
	if (m->processes == 1)
		fprintf(t->out, "1 process held %s at most, %s after it began\n", peak, at);
	else
		fprintf(t->out, LAYOUT_STRONG "%" PRIu32 " processes together held %s at most"
			LAYOUT_PLAIN ", %s after the first began; their own peaks add up to %s\n",
			m->processes, peak, at, own);
	if (m->uncounted_forks > 0)
		fprintf(t->out, "%" PRIu32 " of them began as cop%s of %s, whose memory counts in "
			"each; memusage --children=merge counts it once\n", m->uncounted_forks,
			m->uncounted_forks == 1 ? "y" : "ies",
			m->uncounted_forks == 1 ? "its parent" : "their parents");
}

static void put_hosts(const struct merged_text *t)
{
	const struct merge_overview *o = &t->overview;
	const struct merge *m = t->m;
	int64_t peak[MERGE_HOSTS];
	char text[UNITS_LENGTH];

	merge_curve_parts(&m->curve, m->processes, o->host_of, o->hosts, peak, 1);
	for (uint32_t i = 0; o->has_hosts && i < o->hosts; i++) {
		uint32_t count = 0;

		for (uint32_t k = 0; k < m->processes; k++)
			count += o->host_of[k] == i;
		fprintf(t->out, "%11s  " LAYOUT_TEXT "on ", bytes_text(text, peak[i]));
		terminal_put(t->out, o->host[i] ? merge_text(m, o->host[i]) :
						  "an unknown machine");
		fprintf(t->out, ", %" PRIu32 " process%s together\n", count,
			count == 1 ? "" : "es");
	}
}

static void put_peaks(const struct merged_text *t)
{
	if (t->m->processes < 2 || t->overview.peaks.with == 0)
		return;
	fputs("peak of each: ", t->out);
	spread_text_put(t->out, t->m, &t->overview.peaks, false);
	putc('\n', t->out);
}

/* ---- processes ----------------------------------------------------------------------------- */

/* Each sign is the highest value in its part of the time, in eighths of the highest of all. */
static void put_course(const struct merged_text *t, const int64_t *part, int64_t most)
{
	static const char *const block[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	static const char sign[] = "_.:-=+*#";

	for (int i = 0; i < PARTS; i++) {
		const int64_t eighth = most > 0 ? (int64_t)((double)part[i] * 8 /
							    ((double)most * 1.000001)) : 0;

		if (part[i] <= 0)
			putc(' ', t->out);
		else if (t->has_blocks)
			fputs(block[eighth < 7 ? eighth : 7], t->out);
		else
			putc(sign[eighth < 7 ? eighth : 7], t->out);
	}
}

static void put_row(const struct merged_text *t, uint32_t number, const int64_t *part,
		    int64_t most)
{
	const struct merge_process *p = &t->m->process[number];
	char peak[UNITS_LENGTH], then[UNITS_LENGTH], live[UNITS_LENGTH], end[IMAGE_END_TEXT];

	if (t->overview.has_ranks && p->rank == MERGE_RANK_NONE)
		fprintf(t->out, "%6s ", "-");
	else if (t->overview.has_ranks)
		fprintf(t->out, "%6d ", (int)p->rank);
	fprintf(t->out, "%8d %11s %11s %11s  ", (int)p->pid, bytes_text(peak, p->peak),
		bytes_text(then, p->at_peak), bytes_text(live, p->live));
	put_course(t, part, most);
	fputs("  " LAYOUT_TEXT, t->out);
	terminal_put(t->out, merge_text(t->m, p->name));
	if (t->overview.has_hosts) {
		fputs(" on ", t->out);
		terminal_put(t->out, merge_text(t->m, p->host));
	}
	fputs(merge_overview_is_outlier(&t->overview, number) ? ", outlier" : "", t->out);
	if (!image_end_is_success(p->end))
		fprintf(t->out, ", %s", image_end_text(p->end, end));
	putc('\n', t->out);
}

static void put_rows(const struct merged_text *t, uint32_t rows)
{
	const struct merge *m = t->m;
	int64_t *part = xcalloc((size_t)m->processes * PARTS + 1, sizeof(*part)), most = 0;

	for (uint32_t i = 0; i < m->processes; i++)
		most = m->process[i].peak > most ? m->process[i].peak : most;
	merge_curve_parts(&m->curve, m->processes, NULL, m->processes, part, PARTS);
	fprintf(t->out, "\n" LAYOUT_TITLE "%s%8s %11s %11s %11s  %-*s  " LAYOUT_TEXT "process\n",
		t->overview.has_ranks ? "  rank " : "", "pid", "peak", "then", "end", PARTS,
		"course");
	for (uint32_t i = 0; i < m->processes && i < rows; i++)
		put_row(t, t->overview.order[i], part + (size_t)t->overview.order[i] * PARTS,
			most);
	if (m->processes > rows)
		fprintf(t->out, "%" PRIu32 " more: %s lists all\n", m->processes - rows,
			t->is_run ? "--record=FILE keeps them, and memusageprint --merge "
				    "--processes FILE" : "--processes");
	fputs("then: when all together held most. course: the heap over the time from the first "
	      "start to the last end.\n", t->out);
	free(part);
}

void merged_text_print(FILE *out, const struct merge *m, const struct settings *settings,
		       uint32_t rows)
{
	struct merged_text t = { .out = out, .m = m,
				 .is_run = recording_file_is_nameless(settings->files[0]),
				 .has_blocks = plot_style_of(settings).has_blocks };

	merge_overview_init(&t.overview, m);
	put_sum(&t);
	put_hosts(&t);
	put_peaks(&t);
	put_rows(&t, rows);
	merge_overview_free(&t.overview);
}
