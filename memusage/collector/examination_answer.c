/* examination_answer.c -- Answers processes that wait until they have been examined.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/collector/examination_answer.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/message.h"
#include "memusage/attach/earlier_list.h"
#include "memusage/collector/examination_right.h"
#include "memusage/collector/query.h"
#include "memusage/collector/tree_arenas.h"
#include "memusage/collector/tree_holders.h"
#include "memusage/common/asked_checks.h"
#include "memusage/common/file_events.h"
#include "memusage/common/process.h"
#include "memusage/examine/leak_check.h"
#include "memusage/examine/pages_check.h"
#include "memusage/holders/holders_check.h"
#include "memusage/trace/tracee_refusal.h"

/* Of one kind and one user, at a time; others wait. A process may ask and take no answer, or have
 * its examiner wait for ever, but must not keep those of other users from their ends. */
enum { PENDING_MAX = 64 };
enum { EXAMINERS_PER_CPU = 2 }; /* likewise: more would only take turns, with memory for each */

/* ---- kinds -------------------------------------------------------------------------------- */

static pid_t start_leak_check(const struct settings *s, const struct process *of,
			      const struct examined_process *p, int fd)
{
	struct leak_check_options o = { .heuristics = s->leak_check.heuristics };
	struct asked_checks asked = { .last = NULL };
	struct asked_image image;
	pid_t child;

	if (tree_arenas_find_asked(of, &image))
		asked_checks_read(&asked, of->asked_checks, image);
	o.watch = asked.watch;
	child = examination_start(&leak_check, p, &o, fd);
	asked_checks_free(&asked);
	return child;
}

static pid_t start_pages_check(const struct settings *s, const struct process *of,
			       const struct examined_process *p, int fd)
{
	const struct pages_check_options o = { .is_at_end = true };

	(void)s;
	(void)of;
	return examination_start(&pages_check, p, &o, fd);
}

static pid_t start_holders_check(const struct settings *s, const struct process *of,
				 const struct examined_process *p, int fd)
{
	const struct holders_check_options o = { .flags = MU_HOLDERS_AT_END };

	(void)s;
	(void)of;
	return examination_start(&holders_check, p, &o, fd);
}

/* The examinations that a process can ask for. */
static const struct kind {
	uint32_t wanted; /* in the image's query_wanted */
	uint32_t flag;	 /* of the run's configuration */
	const struct examination *examination;
	pid_t (*start)(const struct settings *s, const struct process *of,
		       const struct examined_process *p, int fd);
	const char *before, *after; /* the process, in the message of a failure */
} kinds[] = {
	{ MU_QUERY_LEAKS, MU_CFG_LEAKS, &leak_check, start_leak_check, "no leak check of", "" },
	{ MU_QUERY_PAGES, MU_CFG_FRAGMENTATION, &pages_check, start_pages_check, "the pages of",
	  " could not be examined" },
	{ MU_QUERY_HOLDERS, MU_CFG_HOLDERS, &holders_check, start_holders_check,
	  "what holds the blocks of", " could not be examined" },
};
enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

static const struct kind *find_kind(uint32_t wanted, uint32_t flags)
{
	for (size_t i = 0; i < KINDS; i++) {
		if (kinds[i].wanted == wanted && kinds[i].flag & flags)
			return &kinds[i];
	}
	return NULL;
}

/* ---- examinations ------------------------------------------------------------------------- */

/* One that is being made, or whose result waits for room. */
struct pending_examination {
	struct pending_examination *next;
	pid_t pid;	/* of the process: may be another one's since it was killed */
	const struct arena *arena;
	struct asked_image image;
	uid_t user;	/* of the arena */
	pid_t examiner; /* 0: it has ended */
	int pidfd, fd;
	void *result; /* NULL: none */
};

static struct pending_examination *pending[KINDS];

static bool is_pending_of(const struct pending_examination *c, const struct process *p)
{
	struct asked_image image;

	return c->pid == p->pid && c->arena == p->arena && p->slot >= 0 &&
	       tree_arenas_find_asked(p, &image) && c->image.slot == image.slot &&
	       c->image.generation == image.generation;
}

static struct pending_examination *find_pending(const struct kind *k, const struct process *p)
{
	struct pending_examination *c = pending[k - kinds];

	while (c && !is_pending_of(c, p))
		c = c->next;
	return c;
}

static struct pending_examination *add_pending(const struct kind *k, const struct process *p,
					       uid_t user)
{
	struct pending_examination *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	*c = (struct pending_examination){ .next = pending[k - kinds], .pid = p->pid,
					   .arena = p->arena, .user = user, .pidfd = -1,
					   .fd = -1 };
	tree_arenas_find_asked(p, &c->image);
	pending[k - kinds] = c;
	return c;
}

static void drop_pending(const struct kind *k, struct pending_examination *c)
{
	struct pending_examination **at = &pending[k - kinds];

	while (*at != c)
		at = &(*at)->next;
	*at = c->next;
	free(c->result);
	free(c);
}

/* Processes that were killed while they waited have no use for a result. */
static void drop_orphans(const struct kind *k, const struct tree *t)
{
	struct pending_examination *c, *next;

	for (c = pending[k - kinds]; c; c = next) {
		const struct process *p = processes_find(&t->processes, c->pid);

		next = c->next;
		if (!c->examiner && (!p || !is_pending_of(c, p)))
			drop_pending(k, c);
	}
}

/* Hundreds of forked processes may end at once. */
static bool has_room(const struct kind *k, uid_t user)
{
	const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	const struct pending_examination *c;
	long examiners = 0, all = 0;

	for (c = pending[k - kinds]; c; c = c->next) {
		all += c->user == user;
		examiners += c->user == user && c->examiner;
	}
	return all < PENDING_MAX && examiners < EXAMINERS_PER_CPU * (cpus > 0 ? cpus : 1);
}

static bool may_be_examined(const struct kind *k, const struct tree *t, const struct process *p,
			    struct tracee_right *right)
{
	const int why = examination_right_ask(t, p, right);
	struct mu_error err;

	if (why != 0 && why != ESRCH) {
		if (why == EPERM)
			mu_error_set(&err, MU_ERROR_DENIED, 0,
				     "it has changed its user since the recorder began");
		else
			tracee_refusal_explain(p->pid, why == EACCES ? EPERM : why, &err);
		warn("%s process %d%s: %s", k->before, (int)p->pid, k->after, err.text);
	}
	return why == 0;
}

/* Returns NULL if it cannot be started now. */
static struct pending_examination *start_examination(const struct kind *k, struct tree *t,
						     const struct process *p)
{
	const struct tree_arena *a = tree_arenas_find(t, p->arena);
	struct pending_examination *c;
	struct tracee_right right;
	struct live l;
	const struct examined_process examined = { &l, p->pid, SNAPSHOT_STOP, earlier_list_add,
						   &right };

	drop_orphans(k, t);
	c = a && has_room(k, a->uid) ? add_pending(k, p, a->uid) : NULL;
	if (!c)
		return NULL;
	live_from_view(&l, &p->arena->view, (uint32_t)p->slot, 0);
	c->fd = may_be_examined(k, t, p, &right) ? examination_open_file(k->examination) : -1;
	c->examiner = c->fd < 0 ? -1 : k->start(t->s->settings, p, &examined, c->fd);
	if (c->examiner < 0) {
		if (c->fd >= 0)
			close(c->fd);
		c->examiner = 0;
		return c;
	}
	c->pidfd = file_events_add_process(c->examiner);
	if (c->pidfd < 0)
		t->has_unwatched_process = true;
	return c;
}

static void reap_examiner(const struct kind *k, struct pending_examination *c, int flags)
{
	struct mu_error err = { .text = "" };
	int status;

	if (c->examiner == 0 || waitpid(c->examiner, &status, flags) != c->examiner)
		return;
	c->examiner = 0;
	c->result = examination_read(k->examination, c->fd, &err);
	if (!c->result)
		warn("%s process %d%s: %s", k->before, (int)c->pid, k->after, err.text);
	close(c->fd);
	file_events_close(c->pidfd);
	c->pidfd = -1;
}

/* The next check, by any client, tells what became of the blocks that this one calls lost. A
 * client that is at work writes the file itself. */
static void keep_watch(struct pending_examination *c, struct process *p)
{
	struct lost_watch *watch = asked_checks_take_watch(c->result);
	struct asked_checks asked;
	struct asked_image image;

	if (!watch || p->control >= 0 || !tree_arenas_find_asked(p, &image)) {
		free(watch);
		return;
	}
	if (p->asked_checks < 0)
		p->asked_checks =
			process_reserve_fds(memfd_create("memusage-checks", MFD_CLOEXEC));
	asked_checks_read(&asked, p->asked_checks, image);
	free(asked.watch);
	asked.watch = watch;
	if (p->asked_checks >= 0)
		asked_checks_write(&asked, p->asked_checks, image);
	asked_checks_free(&asked);
}

/* A later check of the process is compared with the last one that a client has made, which the
 * process does not know yet. */
static void join_asked_check(struct pending_examination *c, struct process *p)
{
	struct asked_checks asked;
	struct asked_image image;

	if (p->asked_checks < 0 || !tree_arenas_find_asked(p, &image))
		return;
	asked_checks_read(&asked, p->asked_checks, image);
	if (asked.last && asked.last->mono_ns > p->asked_ns) {
		p->asked_ns = asked.last->mono_ns;
		c->result = asked_checks_join(c->result, asked.last);
	}
	asked_checks_free(&asked);
}

/* ---- answers ---------------------------------------------------------------------------- */

static void answer_question(const struct kind *k, struct tree *t, struct process *p,
			    struct mu_image *live, uint32_t state)
{
	struct pending_examination *c = find_pending(k, p);
	uint64_t bytes;

	if (!c && state == MU_QUERY_WANTED && !tree_holders_pending(p))
		c = start_examination(k, t, p);
	if (!c)
		return;
	if (c->examiner && c->pidfd < 0)
		reap_examiner(k, c, WNOHANG);
	if (c->result && state != MU_QUERY_ROOM && k->wanted == MU_QUERY_LEAKS) {
		keep_watch(c, p);
		join_asked_check(c, p);
	}
	bytes = c->result ? k->examination->count_bytes(c->result) : 0;
	if (c->examiner) {
		if (state == MU_QUERY_WANTED)
			query_set_state(live, MU_QUERY_WORKING);
	} else if (!c->result) {
		drop_pending(k, c);
		query_set_state(live, MU_QUERY_FAILED);
	} else if (state == MU_QUERY_ROOM) {
		query_copy_answer(p, live, c->result, bytes);
		drop_pending(k, c);
	} else {
		live->query_count = (bytes + 7) / 8;
		query_set_state(live, MU_QUERY_COUNTED);
	}
}

void examination_answer(struct tree *t, struct process *p)
{
	struct mu_image *live = query_image(p);
	const uint32_t wanted = __atomic_load_n(&live->query_wanted, __ATOMIC_ACQUIRE);
	const uint32_t state = __atomic_load_n(&live->query_state, __ATOMIC_ACQUIRE);
	const struct kind *k = find_kind(wanted, p->arena->view.head.config.flags);

	if (k && query_is_open(state))
		answer_question(k, t, p, live, state);
}

bool examination_answer_ended(int fd)
{
	for (size_t i = 0; i < KINDS; i++) {
		for (struct pending_examination *c = pending[i]; c; c = c->next) {
			if (!c->examiner || c->pidfd != fd)
				continue;
			reap_examiner(&kinds[i], c, 0);
			return true;
		}
	}
	return false;
}

void examination_answer_free(void)
{
	for (size_t i = 0; i < KINDS; i++) {
		while (pending[i]) {
			struct pending_examination *c = pending[i];

			if (c->examiner > 0) {
				kill(c->examiner, SIGKILL);
				reap_examiner(&kinds[i], c, 0);
			}
			drop_pending(&kinds[i], c);
		}
	}
}
