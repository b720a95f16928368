/* dhat_summary.c -- The totals of a profile, as DHAT prints them at the end of a run.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/dhat/dhat_summary.h"

#include "cli/units.h"
#include "memusageprint/dhat/dhat_metric.h"

struct summary {
	FILE *out;
	const struct dhat *d;
	pid_t pid;
};

static void put_amount(const struct summary *s, const char *label, uint64_t bytes, uint64_t blocks)
{
	char a[UNITS_LENGTH], b[UNITS_LENGTH];

	fprintf(s->out, "==%d== %-10s %s %s in %s %s\n", (int)s->pid, label,
		units_grouped(a, bytes), dhat_bytes_word(s->d), units_grouped(b, blocks),
		dhat_blocks_word(s->d));
}

static void put_accesses(const struct summary *s, const char *label, uint64_t bytes)
{
	char text[UNITS_LENGTH];

	if (s->d->has_accesses)
		fprintf(s->out, "==%d== %-10s %s bytes\n", (int)s->pid, label,
			units_grouped(text, bytes));
	else
		fprintf(s->out, "==%d== %-10s not counted (use --accesses=emulate or hooks)\n",
			(int)s->pid, label);
}

/* DHAT writes "blocks" even for one block. */
void dhat_summary_print(FILE *out, const struct dhat *d, pid_t pid)
{
	const struct summary s = { .out = out, .d = d, .pid = pid };
	const struct dhat_point sum = dhat_sum(d);

	put_amount(&s, "Total:", sum.total_bytes, sum.total_blocks);
	if (!d->has_lifetimes)
		return;
	put_amount(&s, "At t-gmax:", sum.peak_bytes, sum.peak_blocks);
	put_amount(&s, "At t-end:", sum.end_bytes, sum.end_blocks);
	put_accesses(&s, "Reads:", sum.read_bytes);
	put_accesses(&s, "Writes:", sum.written_bytes);
}
