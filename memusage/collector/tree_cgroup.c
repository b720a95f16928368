/* tree_cgroup.c -- Marks and snapshots when the control group runs out of memory.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/collector/tree_cgroup.h"
#include "memusage/collector/tree.h"

#include <stdio.h>
#include <string.h>

#include "cli/units.h"
#include "memusage/common/clock.h"
#include "memusage/record/live.h"
#include "recording/triggers.h"

/* Looks are rare while there is much left. From 75 % on 256 MiB of growth per second are 1.3 MiB
 * between two of them. */
#define FAR_NS UINT64_C(100000000)
#define NEAR_NS UINT64_C(20000000)
#define CLOSE_NS UINT64_C(5000000)

enum { NEAR = 50, CLOSE = 75, MARK = 90 };

static bool has_condition(const struct tree *t)
{
	return triggers_watches(&t->s->settings->triggers, MU_WATCH_CGROUP);
}

/* A mark is of use in a recording. */
static bool is_wanted(const struct tree *t)
{
	return t->s->settings->record || has_condition(t);
}

void tree_cgroup_begin(struct tree *t, const struct process *p)
{
	if (t->limit.is_known || !is_wanted(t))
		return;
	t->limit.is_known = true;
	cgroup_open(&t->limit.group, p->pid);
}

/* ---- conditions --------------------------------------------------------------------------- */

static void want_marks(struct tree *t, unsigned int percent, uint32_t bit)
{
	for (size_t i = 0; i < t->processes.count; i++) {
		struct process *p = t->processes.item[i];

		if (!p->is_live || p->slot < 0)
			continue;
		p->wanted |= bit;
		p->limit_percent = percent;
		p->limit_serial = 0;
	}
}

/* Returns true if the use has just exceeded THRESHOLD percent. It can do so again when it has
 * fallen by a tenth of that. */
static bool has_crossed(bool is_met, unsigned int threshold, unsigned int percent, bool *met)
{
	*met = is_met ? percent > (unsigned int)MU_WATCH_AGAIN((int)threshold) :
			percent > threshold;
	return *met && !is_met;
}

/* Without a condition 90 % is one, which writes no file. */
static void check_conditions(struct tree *t, const struct cgroup_use *use)
{
	const struct trigger_settings *s = &t->s->settings->triggers;
	struct tree_limit *limit = &t->limit;
	bool met, any = false;

	for (unsigned int i = 0; i < s->count; i++) {
		const unsigned int threshold = (unsigned int)MU_WATCH_THRESHOLD(s->watch[i]);
		const uint32_t bit = UINT32_C(1) << i;

		if (MU_WATCH_KIND(s->watch[i]) != MU_WATCH_CGROUP)
			continue;
		if (has_crossed(limit->met & bit, threshold, use->percent, &met)) {
			want_marks(t, threshold, bit);
			any = true;
		}
		limit->met = met ? limit->met | bit : limit->met & ~bit;
	}
	if (!has_condition(t)) {
		any = has_crossed(limit->is_near, MARK, use->percent, &limit->is_near);
		if (any)
			want_marks(t, MARK, 0);
	}
	if (any && use->percent > limit->highest.percent)
		limit->highest = *use;
}

/* ---- marks -------------------------------------------------------------------------------- */

static void open_live_view(struct live *l, const struct process *p)
{
	struct mu_slot slot = { .generation = 0 };

	segment_slot(&p->arena->view, (uint32_t)p->slot, &slot);
	live_from_view(l, &p->arena->view, (uint32_t)p->slot, slot.generation);
}

static void send_request(struct process *p, struct live *l)
{
	struct mu_image *im = l->shared;
	uint32_t serial = __atomic_load_n(&im->request_serial, __ATOMIC_RELAXED) + 1;

	snprintf(im->request_text, sizeof(im->request_text), "cgroup>%u%%", p->limit_percent);
	__atomic_store_n(&im->request_serial, serial, __ATOMIC_RELAXED);
	__atomic_store_n(&im->request, (uint32_t)MU_REQUEST_LIMIT, __ATOMIC_SEQ_CST);
	p->limit_serial = serial ? serial : UINT32_MAX;
}

/* The process serves the request at its next event. Once all its threads have the flag, it will; an
 * idle process is meanwhile as it was at the moment of the mark. */
static void advance_mark(struct process *p)
{
	struct live l;

	open_live_view(&l, p);
	if (live_is_asleep(&l)) {
		p->limit_percent = 0;
		return;
	}
	if (p->limit_serial == 0) {
		/* A client, or a child of ours, is at work on the image. */
		if (p->control >= 0 || p->has_snapshot_child ||
		    __atomic_load_n(&l.shared->request, __ATOMIC_RELAXED) != MU_REQUEST_NONE)
			return;
		send_request(p, &l);
	}
	if (live_set_pending(&l) ||
	    __atomic_load_n(&l.shared->served_serial, __ATOMIC_ACQUIRE) == p->limit_serial)
		p->limit_percent = 0;
}

/* Returns whether some process must be asked again. */
static bool advance_marks(struct tree *t)
{
	bool is_open = false;

	for (size_t i = 0; i < t->processes.count; i++) {
		struct process *p = t->processes.item[i];

		if (!p->is_live || p->slot < 0 || p->limit_percent == 0)
			continue;
		advance_mark(p);
		is_open |= p->limit_percent != 0;
	}
	return is_open;
}

/* ---- all together ------------------------------------------------------------------------- */

static uint64_t interval_ns(unsigned int percent, bool is_open)
{
	if (is_open)
		return CLOSE_NS / 5;
	return percent >= CLOSE ? CLOSE_NS : percent >= NEAR ? NEAR_NS : FAR_NS;
}

/* The sum of the processes that are recorded. */
static uint64_t sum_private_memory(const struct tree *t)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < t->processes.count; i++)
		if (t->processes.item[i]->is_live)
			sum += t->processes.item[i]->rss_anon;
	return sum;
}

int tree_cgroup_check(struct tree *t)
{
	struct tree_limit *limit = &t->limit;
	uint64_t now;
	struct cgroup_use use;

	if (limit->group.count == 0 || tree_is_empty(t))
		return -1;
	now = clock_now(CLOCK_MONOTONIC);
	if (now >= limit->due_ns) {
		if (!cgroup_read(&limit->group, NEAR, sum_private_memory(t), &use)) {
			cgroup_close(&limit->group);
			return -1;
		}
		check_conditions(t, &use);
		limit->due_ns = now + interval_ns(use.percent, advance_marks(t));
	}
	return (int)((limit->due_ns - now + 999999) / 1000000);
}

void tree_cgroup_report(struct tree *t)
{
	const struct cgroup_use *use = &t->limit.highest;
	char used[UNITS_LENGTH], limit[UNITS_LENGTH];

	if (use->percent > 0 && t->s->settings->record)
		report_line(&t->report, "the control group used %s of its %s: the recording has a "
			    "mark and a snapshot of then (memusageprint --marks)",
			    units_bytes(used, use->used), units_bytes(limit, use->limit));
	if (has_condition(t) && t->limit.is_known && t->limit.group.count == 0)
		report_note(&t->report, "--snapshot-when=cgroup: the control group has no memory "
			    "limit");
}

void tree_cgroup_fini(struct tree *t)
{
	cgroup_close(&t->limit.group);
}
