/* tree_snapshots.c -- Write the files of automatic snapshots.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/collector/tree_snapshots.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/output.h"
#include "cli/temporary.h"
#include "cli/xmalloc.h"
#include "memusage/collector/tree_holders.h"
#include "memusage/common/child.h"
#include "memusage/common/file_events.h"
#include "memusage/record/snapshot_file.h"
#include "profile/read/batch.h"
#include "recording/triggers.h"

enum {
	SNAPSHOTS_MAX = 1000, /* per process, so that a heap around its threshold does not fill
				 * the disk */
	WAITING_MAX = 64,     /* beyond this the recorder has to wait, and loses some */
	LINES = 10
};

/* In the order of the work. */
enum stage { STAGE_TAKE, STAGE_KEPT, STAGE_PRINT };

struct snapshot_job {
	struct snapshot_job *next;
	enum stage stage;
	uint64_t number;
	pid_t pid;		/* of the process */
	uint32_t why;
	char *name;
	int fd;			/* of the nameless file */
	struct process *taken;	/* STAGE_TAKE: entry of the process */
	bool has_moved;		/* the process kept running meanwhile */
	pid_t child;		/* its worker process, 0 none */
	int pidfd;
};

static struct snapshot_job *first, **last = &first;
static unsigned int waiting;
static uint64_t number, lines, more;

uint64_t tree_snapshots_last(void)
{
	return number;
}

bool tree_snapshots_pending(uint64_t until)
{
	return first && first->number <= until;
}

bool tree_snapshots_must_poll(void)
{
	for (const struct snapshot_job *j = first; j; j = j->next) {
		if (j->child > 0 && j->pidfd < 0)
			return true;
	}
	return false;
}

/* ---- lines of the report ------------------------------------------------------------------- */

/* "heap>500M, SIGUSR2" */
static const char *trigger_text(const struct tree *t, uint32_t why, char *text, size_t size)
{
	const struct trigger_settings *s = &t->s->settings->triggers;
	size_t used = 0;

	text[0] = '\0';
	for (unsigned int i = 0; i < s->count && used < size; i++) {
		if (why & UINT32_C(1) << i)
			used += (size_t)snprintf(text + used, size - used, "%s%s",
						 used ? ", " : "", s->when[i]);
	}
	if (why & MU_TRIGGER_SIGNAL && used < size)
		snprintf(text + used, size - used, "%ssignal %d", used ? ", " : "", s->signal);
	return text;
}

static void report_written(struct tree *t, const struct snapshot_job *j)
{
	char why[256];

	if (lines++ < LINES)
		report_line(&t->report, "snapshot of process %d (%s): %s%s", (int)j->pid,
			    trigger_text(t, j->why, why, sizeof(why)), j->name,
			    j->has_moved ? " (it kept running meanwhile)" : "");
	else
		more++;
}

void tree_snapshots_report(struct tree *t)
{
	if (more > 0)
		report_line(&t->report, "%" PRIu64 " more snapshots", more);
	more = 0;
}

static void report_failed(struct tree *t, pid_t pid, uint32_t why, const char *name,
			  const char *what)
{
	char text[256];

	report_note(&t->report, "snapshot of process %d (%s)%s%s: %s", (int)pid,
		    trigger_text(t, why, text, sizeof(text)), name ? ": " : "", name ? name : "",
		    what);
}

/* ---- jobs ---------------------------------------------------------------------------------- */

static void remove_job(struct snapshot_job *j)
{
	struct snapshot_job **at = &first;

	while (*at != j)
		at = &(*at)->next;
	*at = j->next;
	if (last == &j->next)
		last = at;
	file_events_close(j->pidfd);
	if (j->fd >= 0)
		close(j->fd);
	if (j->taken)
		j->taken->has_snapshot_child = false;
	free(j->name);
	free(j);
	waiting--;
}

/* Returns NULL after a note. */
static struct snapshot_job *begin_job(struct tree *t, struct process *p, uint32_t why)
{
	const char *pattern = t->s->settings->triggers.file;
	char reason_not[128];
	char *name = output_expand_next(pattern, p->pid, &p->files, getenv, reason_not);
	int fd = name ? temporary_open() : -1;
	struct snapshot_job *j;

	if (fd < 0) {
		report_failed(t, p->pid, why, name, name ? strerror(errno) : reason_not);
		free(name);
		return NULL;
	}
	j = xmalloc(sizeof(*j));
	*j = (struct snapshot_job){ .stage = STAGE_KEPT,
				    .number = ++number,
				    .pid = p->pid,
				    .why = why,
				    .name = name,
				    .fd = fd,
				    .pidfd = -1 };
	*last = j;
	last = &j->next;
	waiting++;
	p->snapshots++;
	return j;
}

/* Beyond these limits the recorder counts snapshots as lost. */
static bool may_start_job(const struct process *p)
{
	return waiting < WAITING_MAX && p->snapshots < SNAPSHOTS_MAX;
}

static pid_t fork_child(struct tree *t, struct snapshot_job *j)
{
	pid_t pid = fork();

	if (pid == 0)
		child_reset_signals();
	if (pid <= 0)
		return pid;
	j->child = pid;
	j->pidfd = file_events_add_process(pid);
	return pid;
}

static void execute_printer(const struct tree *t, const struct snapshot_job *j)
{
	const struct massif_settings *m = &t->s->settings->massif;
	const struct snapshot_file f = { .name = j->name,
					 .output_fd = -1,
					 .desc = m->desc,
					 .pid = j->pid,
					 .options = &m->report };

	snapshot_file_execute(&f, j->fd);
}

static void start_printer(struct tree *t, struct snapshot_job *j)
{
	pid_t pid;

	j->stage = STAGE_PRINT;
	pid = fork_child(t, j);
	if (pid == 0)
		execute_printer(t, j);
	if (pid < 0) {
		report_failed(t, j->pid, j->why, j->name, strerror(errno));
		remove_job(j);
	}
}

/* Runs one printer at a time: many requests must not start as many processes. */
static void start_next_printer(struct tree *t)
{
	struct snapshot_job *next = NULL;

	for (struct snapshot_job *j = first; j; j = j->next) {
		if (j->stage == STAGE_PRINT)
			return;
		if (j->stage == STAGE_KEPT && !next)
			next = j;
	}
	if (next)
		start_printer(t, next);
}

/* ---- what the recorder took ---------------------------------------------------------------- */

static void open_live_view(struct live *l, const struct process *p)
{
	struct mu_slot slot = { .generation = 0 };

	segment_slot(&p->arena->view, (uint32_t)p->slot, &slot);
	live_from_view(l, &p->arena->view, (uint32_t)p->slot, slot.generation);
}

static bool save_snapshot(struct live *l, const struct live_snapshots *s, struct snapshot_job *j,
			  struct mu_error *err)
{
	/* It does no harm if the process ends meanwhile: its image is freed only after this. */
	l->is_final = true;
	return live_snapshot_save(s, l, j->pid, j->fd, err) == 0;
}

static void save_trigger_entry(struct tree *t, struct process *p, const struct mu_trigger *entry)
{
	struct mu_error err = { .code = MU_ERROR_NONE };
	struct snapshot_job *j = begin_job(t, p, entry->why);
	struct live_snapshots s = { .count = 0 };
	struct live l;

	if (!j)
		return;
	open_live_view(&l, p);
	if (live_snapshot_copy_one(&s, &l, &entry->snapshot, &err) < 0 ||
	    !save_snapshot(&l, &s, j, &err)) {
		report_failed(t, p->pid, entry->why, j->name, err.text);
		remove_job(j);
	}
	live_snapshot_free(&s);
}

/* Returns NULL if there are none, or they are invalid. */
static struct mu_triggers *shared_triggers(const struct process *p)
{
	const void *found;
	struct image im;

	if (!arena_image(p->arena, (uint32_t)p->slot, &im) || im.head.triggers % 8 != 0)
		return NULL;
	found = image_at(&im, im.head.triggers, sizeof(struct mu_triggers));
	return (struct mu_triggers *)(uintptr_t)found;
}

static void take_trigger_entries(struct tree *t, struct process *p, struct mu_triggers *shared)
{
	uint32_t signals = __atomic_load_n(&shared->signals, __ATOMIC_ACQUIRE);

	while (may_start_job(p)) {
		uint32_t done = __atomic_load_n(&shared->done, __ATOMIC_RELAXED);
		struct mu_trigger entry;

		if (__atomic_load_n(&shared->taken, __ATOMIC_ACQUIRE) == done)
			break;
		image_copy_bytes(&entry, &shared->entry[done % MU_TRIGGERS], sizeof(entry));
		save_trigger_entry(t, p, &entry);
		__atomic_store_n(&shared->done, done + 1, __ATOMIC_RELEASE);
	}
	p->wanted |= __atomic_exchange_n(&shared->wanted, 0, __ATOMIC_ACQUIRE);
	if (signals != p->signals)
		p->wanted |= MU_TRIGGER_SIGNAL;
	p->signals = signals;
}

/* ---- what is taken from outside ------------------------------------------------------------ */

enum { TAKEN = 0, NOT_TAKEN = 1, TAKEN_MOVING = 2 }; /* exit status of the child */

/* Runs in a child, since the recorder may not answer for a while. */
__attribute__((noreturn)) static void run_outside_snapshot(const struct process *p,
							   const struct snapshot_job *j,
							   bool is_final)
{
	struct mu_error err = { .code = MU_ERROR_NONE };
	struct live_snapshots s;
	struct live l;
	bool ok;

	open_live_view(&l, p);
	l.is_final = is_final;
	ok = live_snapshot_take(&s, &l, true, &err) == 0 &&
	     live_snapshot_save(&s, &l, j->pid, j->fd, &err) == 0;
	_exit(!ok ? NOT_TAKEN : s.moved > 0 ? TAKEN_MOVING : TAKEN);
}

/* Waits while a client of --pid uses the image, or a mark is requested (tree_cgroup.h). */
static void begin_outside_snapshot(struct tree *t, struct process *p)
{
	struct snapshot_job *j;
	pid_t pid;

	if (!p->wanted || p->has_snapshot_child || p->control >= 0 || !may_start_job(p) ||
	    p->limit_percent != 0)
		return;
	j = begin_job(t, p, p->wanted);
	p->wanted = 0;
	if (!j)
		return;
	j->stage = STAGE_TAKE;
	j->taken = p;
	p->has_snapshot_child = true;
	pid = fork_child(t, j);
	if (pid == 0)
		run_outside_snapshot(p, j, false);
	if (pid < 0) {
		report_failed(t, p->pid, j->why, j->name, strerror(errno));
		remove_job(j);
	}
}

/* The process has ended, so the image does not change, and no request is needed. */
static void take_final_snapshot(struct tree *t, struct process *p)
{
	struct snapshot_job *j = p->wanted && may_start_job(p) ? begin_job(t, p, p->wanted) : NULL;
	struct mu_error err = { .code = MU_ERROR_NONE };
	struct live_snapshots s = { .count = 0 };
	struct live l;

	p->wanted = 0;
	if (!j)
		return;
	open_live_view(&l, p);
	l.is_final = true;
	if (live_snapshot_take(&s, &l, true, &err) < 0 || !save_snapshot(&l, &s, j, &err)) {
		report_failed(t, p->pid, j->why, j->name, err.text);
		remove_job(j);
	}
	live_snapshot_free(&s);
}

static void finish_child(struct tree *t, struct snapshot_job *j)
{
	int status = child_wait(j->child);

	j->child = 0;
	file_events_close(j->pidfd);
	j->pidfd = -1;
	if (j->stage == STAGE_PRINT) {
		if (status == 0)
			report_written(t, j);
		else
			report_failed(t, j->pid, j->why, j->name, "memusageprint failed");
		remove_job(j);
		return;
	}
	j->taken->has_snapshot_child = false;
	if (WIFEXITED(status) && WEXITSTATUS(status) != NOT_TAKEN) {
		j->has_moved = WEXITSTATUS(status) == TAKEN_MOVING;
		j->taken = NULL;
		j->stage = STAGE_KEPT;
		return;
	}
	/* The process ended meanwhile: tree_snapshots_end() takes the snapshot. */
	j->taken->wanted |= j->why;
	remove_job(j);
}

/* ---- all together -------------------------------------------------------------------------- */

void tree_snapshots_begin(struct process *p)
{
	p->wanted = p->signals = p->met = 0;
	p->rss_highest = 0;
}

void tree_snapshots_advance(struct tree *t)
{
	if (!triggers_wanted(&t->s->settings->triggers))
		return;
	for (size_t i = 0; i < t->processes.count; i++) {
		struct process *p = t->processes.item[i];
		struct mu_triggers *shared = p->is_live && p->slot >= 0 ? shared_triggers(p) : NULL;
		unsigned int snapshots;

		if (!shared)
			continue;
		snapshots = p->snapshots;
		take_trigger_entries(t, p, shared);
		begin_outside_snapshot(t, p);
		if (p->snapshots != snapshots)
			tree_holders_start(t, p);
	}
	for (struct snapshot_job *j = first, *next; j; j = next) {
		next = j->next;
		if (j->child > 0 && j->pidfd < 0) {
			siginfo_t info = { .si_pid = 0 };

			if (waitid(P_PID, (id_t)j->child, &info,
				   WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid)
				finish_child(t, j);
		}
	}
	start_next_printer(t);
}

static int64_t count_live_blocks(const struct image *im)
{
	uint64_t cells = image_count(im, MU_SEC_CELLS);
	int64_t sum = 0;

	for (uint64_t i = 0; i < cells; i++) {
		struct mu_cell cell;

		if (batch_cell(im, i, &cell) && !(cell.flags & MU_CELL_ERROR))
			sum = (int64_t)((uint64_t)sum + (uint64_t)cell.live_blocks);
	}
	return im->head.sampling.log2 ? mu_sample_blocks(0, sum) : sum;
}

static void check_threshold(struct process *p, unsigned int i, int64_t now, int64_t most,
			    uint64_t word)
{
	uint32_t bit = UINT32_C(1) << i;
	int64_t threshold = MU_WATCH_THRESHOLD(word);

	if (p->met & bit) {
		if (now <= MU_WATCH_AGAIN(threshold))
			p->met &= ~bit;
	} else if (most > threshold) {
		p->met |= bit;
		p->wanted |= bit;
	}
}

static int64_t bytes_without_recorder(uint64_t bytes, uint64_t own)
{
	return own < bytes ? (int64_t)(bytes - own) : 0;
}

/* The kernel remembers the peak of resident memory, even between two samples. */
void tree_snapshots_check_sample(struct tree *t, struct process *p, const struct image *im,
				 const struct mu_sample *sample, uint64_t rss_peak)
{
	const struct trigger_settings *s = &t->s->settings->triggers;
	uint64_t own = sample->recorder + sample->recorder_anon;
	int64_t rss = bytes_without_recorder(
		sample->rss_anon + sample->rss_file + sample->rss_shmem, own);
	int64_t most = rss_peak > p->rss_highest ? bytes_without_recorder(rss_peak, own) : rss;

	for (unsigned int i = 0; i < s->count; i++) {
		if (MU_WATCH_KIND(s->watch[i]) == MU_WATCH_RSS) {
			check_threshold(p, i, rss, most > rss ? most : rss, s->watch[i]);
		} else if (MU_WATCH_KIND(s->watch[i]) == MU_WATCH_BLOCKS) {
			int64_t blocks = count_live_blocks(im);

			check_threshold(p, i, blocks, blocks, s->watch[i]);
		}
	}
	p->rss_highest = rss_peak > p->rss_highest ? rss_peak : p->rss_highest;
}

/* Entries that may_start_job() forbids are not taken any more. */
static void count_untaken_entries(const struct process *p, const struct mu_triggers *shared)
{
	uint32_t left = __atomic_load_n(&shared->taken, __ATOMIC_ACQUIRE) - shared->done;
	struct image im;

	if (left > 0 && left <= MU_TRIGGERS && arena_image(p->arena, (uint32_t)p->slot, &im))
		((struct mu_image *)(uintptr_t)im.base)->drops.triggers += left;
}

void tree_snapshots_end(struct tree *t, struct process *p)
{
	struct mu_triggers *shared;

	if (!triggers_wanted(&t->s->settings->triggers) || p->slot < 0)
		return;
	for (struct snapshot_job *j = first, *next; j; j = next) {
		next = j->next;
		if (j->taken == p)
			finish_child(t, j);
	}
	shared = shared_triggers(p);
	if (shared) {
		take_trigger_entries(t, p, shared);
		count_untaken_entries(p, shared);
	}
	take_final_snapshot(t, p);
}

bool tree_snapshots_child_ended(struct tree *t, int fd)
{
	for (struct snapshot_job *j = first; j; j = j->next) {
		if (j->child > 0 && j->pidfd == fd) {
			finish_child(t, j);
			return true;
		}
	}
	return false;
}

void tree_snapshots_finish(struct tree *t)
{
	while (first) {
		start_next_printer(t);
		for (struct snapshot_job *j = first, *next; j; j = next) {
			next = j->next;
			if (j->child > 0)
				finish_child(t, j);
		}
	}
}
