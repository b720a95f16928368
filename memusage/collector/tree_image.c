/* tree_image.c -- The outputs of one image of the tree.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/collector/tree_image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "memusage/collector/left_checks.h"
#include "memusage/collector/process_end.h"
#include "memusage/collector/tree.h"
#include "memusage/collector/tree_arenas.h"
#include "memusage/collector/tree_cgroup.h"
#include "memusage/collector/tree_holders.h"
#include "memusage/collector/tree_memory.h"
#include "memusage/collector/tree_snapshots.h"
#include "memusage/common/asked_findings.h"
#include "memusage/common/clock.h"
#include "memusage/record/datalog.h"
#include "memusage/report/ended_images.h"

/* An image of the same process ID from before its first exec is not that of the summary's owner. */
static bool is_owner(const struct tree *t, const struct process *p)
{
	return p->pid == t->owner && !p->is_forked;
}

/* Returns when the image began, limited to the time of this recording, since the image is
 * untrusted. */
static uint64_t image_origin_ns(const struct process *p, const struct image *im)
{
	const struct mu_process *process = &im->head.process;
	uint64_t origin = p->is_forked && process->fork_mono_ns ? process->fork_mono_ns :
								  process->start_mono_ns;
	uint64_t first = p->arena->view.head.start_mono_ns;

	if (origin < first || origin > clock_now(CLOCK_MONOTONIC))
		return first;
	return origin;
}

/* Its parent's at the fork, or what memusage has found when it attached. */
static bool is_begun_with_heap(const struct process *p, const struct image *im)
{
	return p->is_forked || im->head.notes & MU_NOTE_ATTACHED;
}

static void begin_log(struct tree *t, struct process *p, struct image *im)
{
	bool owner = is_owner(t, p);
	char *name = NULL;
	int fd = -1;

	if (datafiles_has(&t->s->files, owner) && !t->s->killed) {
		fd = datafiles_begin(&t->s->files, owner, p->pid, p->images, &name);
		if (fd < 0)
			report_note(&t->report, "cannot write %s: %s",
				    name ? name : "the data file", strerror(errno));
		p->images++;
	}
	p->log = datalog_new(fd, name, is_begun_with_heap(p, im) ? im->head.fork_heap : 0,
			     image_origin_ns(p, im), &p->arena->view.head.config);
}

void tree_image_keep(struct process *p)
{
	struct mu_slot slot;

	if (p->arena->ledger.fd >= 0 && segment_slot(&p->arena->view, (uint32_t)p->slot, &slot))
		ledger_store(&p->arena->ledger, (uint32_t)p->slot, &slot, p->pid, &p->samples);
}

void tree_image_live(struct tree *t, struct process *p)
{
	const struct tree_arena *a = tree_arenas_find(t, p->arena);
	struct image im;

	if (!arena_image(p->arena, (uint32_t)p->slot, &im))
		return;
	p->is_live = true;
	tree_snapshots_begin(p);
	tree_cgroup_begin(t, p);
	p->limit_percent = 0;
	tree_image_keep(p);
	if (is_owner(t, p)) {
		ledger_set_owner(&t->s->arena.ledger, p->pid);
		report_demote_main(&t->report);
	}
	if (a && a->has_log)
		begin_log(t, p, &im);
	tree_memory_begin(t, p, &im);
}

/* ---- the event log ----------------------------------------------------------------------- */

static void advance_clock(struct tree_arena *a)
{
	uint64_t raw = 0, ns = 0;

	if (a->arena.view.head.config.time_source == MU_TIME_TSC)
		clock_pair(&raw, &ns);
	else
		raw = ns = clock_now(CLOCK_MONOTONIC);
	log_clock_advance(&a->clock, raw, ns);
}

/* Returns the number of events written. */
static uint64_t drain_log(struct tree *t, struct process *p, bool is_dead)
{
	struct tree_arena *a = tree_arenas_find(t, p->arena);
	struct image im;
	uint64_t before;

	if (!p->log || !a || !arena_image(p->arena, (uint32_t)p->slot, &im))
		return 0;
	before = p->log->merge.events;
	advance_clock(a);
	datalog_drain(p->log, &im, &a->clock, is_dead);
	return p->log->merge.events - before;
}

uint64_t tree_drain(struct tree *t)
{
	uint64_t events = 0;

	for (size_t i = 0; i < t->processes.count; i++)
		events += drain_log(t, t->processes.item[i], false);
	return events;
}

/* im  NULL if the process has made it unreadable; earlier events are in the file. */
static void end_log(struct tree *t, struct process *p, const struct image *im)
{
	uint64_t end = im ? im->head.process.exit_mono_ns : 0;
	uint64_t now = clock_now(CLOCK_MONOTONIC);

	drain_log(t, p, true);
	datalog_end(p->log, end > 0 && end < now ? end : now);
	if (p->log->error.code != MU_ERROR_NONE)
		report_note(&t->report, "%s: %s: %llu event%s missing in it",
			    p->log->name ? p->log->name : "data for the picture",
			    p->log->error.text, (unsigned long long)p->log->lost,
			    p->log->lost == 1 ? " is" : "s are");
	if (is_owner(t, p))
		t->owner_data = !t->s->killed && (p->log->merge.events > 0 ||
						  p->log->error.code == MU_ERROR_NONE);
	datalog_free(p->log);
	p->log = NULL;
}

/* ---- the end ----------------------------------------------------------------------------- */

static enum report_role report_role_of(const struct tree *t, const struct process *p,
				       enum tree_end end)
{
	if (is_owner(t, p))
		return REPORT_MAIN;
	if (end == TREE_EXEC)
		return REPORT_EARLIER;
	return p->is_forked ? REPORT_FORKED : REPORT_OTHER;
}

/* Both functions skip an image that a killed collector has handled without freeing its slot. */
static void save_image(struct tree *t, const struct process *p, const struct image *im,
		       const struct mu_slot *slot)
{
	if (t->s->killed)
		recordfile_resume(&t->s->record, t->root, &t->s->arena.view.head);
	if (!t->s->killed || !save_ends_with(&t->s->record.keep, slot))
		recordfile_add(&t->s->record, t->root, &p->arena->view.head, im, slot);
}

static void report_image(struct tree *t, const struct process *p, struct image *im,
			 const struct mu_slot *slot, enum tree_end end)
{
	struct result *result;

	if (t->s->killed && segment_is_same(&t->last_reported, slot))
		return;
	result = xmalloc(sizeof(*result));
	result_take(result, im);
	ended_images_add(t->s->ended_images, report_role_of(t, p, end), slot, result);
	report_add(&t->report, report_role_of(t, p, end), p->pid, result);
}

static void output_image(struct tree *t, const struct process *p, struct image *im,
			 enum tree_end end)
{
	struct mu_slot slot = { 0 };
	const bool has_slot = segment_slot(&p->arena->view, (uint32_t)p->slot, &slot);
	struct asked_findings asked;

	slot.pid = (uint32_t)p->pid;
	report_image(t, p, im, &slot, end);
	if (is_owner(t, p))
		left_checks_attach(t->s, p, im);
	asked_findings_read(&asked, p->asked_checks, p->asked_holders,
			    (struct asked_image){ (uint32_t)p->slot, slot.generation });
	asked_findings_attach_checks(&asked, im);
	if (asked.holders)
		tree_holders_add(p, asked.holders);
	asked.holders = NULL;
	tree_holders_attach(p, im);
	if (has_slot)
		save_image(t, p, im, &slot);
	asked_findings_detach(&asked, im);
	asked_findings_free(&asked);
	left_checks_free(im);
}

bool tree_state_is_announced(enum mu_slot_state state)
{
	return state == MU_SLOT_LIVE || state == MU_SLOT_LEFT;
}

/* Reads the state once more: a child may have had its first event just before its end. */
void tree_end_image(struct tree *t, struct process *p, enum tree_end end)
{
	bool is_readable;
	struct image im;

	if (p->slot < 0)
		return;
	if (!p->is_live && tree_state_is_announced(arena_state(p->arena, (uint32_t)p->slot)))
		tree_image_live(t, p);
	if (p->is_live)
		tree_snapshots_end(t, p);
	if (p->is_live)
		process_end_store(p, end);
	is_readable = p->is_live && arena_image(p->arena, (uint32_t)p->slot, &im);
	if (p->log)
		end_log(t, p, is_readable ? &im : NULL);
	if (is_readable) {
		/* "The end" of a process that still runs is the moment of this copy. */
		if (im.head.process.exit_mono_ns == 0)
			im.head.process.exit_mono_ns = clock_now(CLOCK_MONOTONIC);
		tree_memory_end(p, &im);
		output_image(t, p, &im, end);
	}
	tree_memory_forget(p);
	tree_holders_forget(p);
	if (end != TREE_SHUTDOWN)
		arena_retire(p->arena, (uint32_t)p->slot);
	p->slot = -1;
	p->is_live = false;
	p->is_forked = false;
}

void tree_shutdown(struct tree *t)
{
	for (size_t i = 0; i < t->processes.count; i++)
		tree_end_image(t, t->processes.item[i], t->processes.item[i]->has_ended ?
							       TREE_DEATH : TREE_SHUTDOWN);
}

/* A process that has executed a program that is not recorded still lives, but its image is
 * complete. Nor may a forged process ID in a slot make the collector wait for that process. */
static bool end_of_unmapped(const struct tree *t, const struct process *p, enum tree_end *end)
{
	const enum process_mapping mapping = process_maps(p->pid, p->arena->fd);

	/* The memory of a process that ends is gone before the process is. */
	if (mapping == PROCESS_HAS_NO_MEMORY)
		*end = TREE_DEATH;
	else if (mapping == PROCESS_HAS_OTHERS)
		*end = process_is_dead(p) ? TREE_DEATH :
		       t->is_detached	  ? TREE_DETACHED :
					    TREE_EXEC;
	else if (t->is_over)
		*end = TREE_SHUTDOWN;
	else
		return false;
	return true;
}

void tree_end_unmapped(struct tree *t)
{
	for (size_t i = 0; i < t->processes.count; i++) {
		struct process *p = t->processes.item[i];
		enum tree_end end;

		if (p->slot >= 0 && (p->is_live || p->is_forked) && end_of_unmapped(t, p, &end))
			tree_end_image(t, p, end);
	}
}

void tree_report_running(struct tree *t)
{
	for (size_t i = 0; i < t->processes.count; i++) {
		struct process *p = t->processes.item[i];
		struct result *result;
		struct image im;

		if (!p->is_live || p->slot < 0 || !arena_image(p->arena, (uint32_t)p->slot, &im))
			continue;
		result = xmalloc(sizeof(*result));
		result_take(result, &im);
		result->end = (struct image_end){ .how = MU_END_RUNNING,
						  .status = MU_END_STATUS_UNKNOWN };
		report_add(&t->report, REPORT_RUNNING, p->pid, result);
	}
}
