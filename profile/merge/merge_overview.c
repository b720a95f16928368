/* merge_overview.c -- The processes and machines of a merge in the order in which reports list
 * them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/merge/merge_overview.h"

#include <stdlib.h>

#include "cli/xmalloc.h"
#include "profile/base/number.h"

struct row {
	const struct merge_process *p;
	uint32_t number;
	bool is_outlier;
};

static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->is_outlier != y->is_outlier)
		return x->is_outlier ? -1 : 1;
	/* MERGE_RANK_NONE is the largest number then. */
	if (!x->is_outlier && x->p->rank != y->p->rank)
		return (uint32_t)x->p->rank < (uint32_t)y->p->rank ? -1 : 1;
	if (x->p->peak != y->p->peak)
		return x->p->peak > y->p->peak ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static void sort_processes(struct merge_overview *o, const struct merge *m)
{
	struct row *row = xcalloc((size_t)m->processes + 1, sizeof(*row));

	for (uint32_t i = 0; i < m->processes; i++)
		row[i] = (struct row){ &m->process[i], i, merge_overview_is_outlier(o, i) };
	qsort(row, m->processes, sizeof(*row), compare_rows);
	for (uint32_t i = 0; i < m->processes; i++)
		o->order[i] = row[i].number;
	free(row);
}

static void number_hosts(struct merge_overview *o, const struct merge *m)
{
	for (uint32_t i = 0; i < m->processes; i++) {
		uint32_t k = 0;

		while (k < o->hosts && o->host[k] != m->process[i].host)
			k++;
		if (k == o->hosts && k < MERGE_HOSTS)
			o->host[o->hosts++] = m->process[i].host;
		o->host_of[i] = k;
	}
}

static void compare_peaks(struct merge_overview *o, const struct merge *m)
{
	int64_t *peak = xcalloc((size_t)m->processes + 1, sizeof(*peak));
	uint32_t *group = merge_groups(m);

	for (uint32_t i = 0; i < m->processes; i++) {
		peak[i] = m->process[i].peak;
		o->peaks_sum = wrapping_sum(o->peaks_sum, peak[i]);
		o->has_ranks |= m->process[i].rank != MERGE_RANK_NONE;
		o->has_hosts |= m->process[i].host != m->process[0].host;
	}
	merge_spread_compute(&o->peaks, peak, group, m->processes);
	free(peak);
	free(group);
}

void merge_overview_init(struct merge_overview *o, const struct merge *m)
{
	*o = (struct merge_overview){ .hosts = 0 };
	o->order = xcalloc((size_t)m->processes + 1, sizeof(*o->order));
	o->host_of = xcalloc((size_t)m->processes + 1, sizeof(*o->host_of));
	compare_peaks(o, m);
	number_hosts(o, m);
	sort_processes(o, m);
}

bool merge_overview_is_outlier(const struct merge_overview *o, uint32_t process)
{
	for (uint32_t i = 0; i < o->peaks.outliers && i < MERGE_OUTLIERS; i++) {
		if (o->peaks.outlier[i] == process)
			return true;
	}
	return false;
}

void merge_overview_free(struct merge_overview *o)
{
	free(o->order);
	free(o->host_of);
	*o = (struct merge_overview){ .hosts = 0 };
}
