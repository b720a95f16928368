/* left_checks.c -- What was examined of a process just before memusage took the recorder away.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/collector/left_checks.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/message.h"
#include "memusage/attach/earlier_list.h"
#include "memusage/collector/tree_holders.h"
#include "memusage/common/child.h"
#include "memusage/holders/holders_check.h"
#include "memusage/examine/leak_check.h"
#include "memusage/examine/pages_check.h"
#include "memusage/trace/tracee_refusal.h"

/* A client of --pid, or the examiner of a snapshot, may hold the process just now. */
enum { TRIES = 200, PAUSE_NS = 50000000 };

static const struct kind {
	const struct examination *examination;
	const char *what; /* for people */
} kinds[SESSION_CHECKS] = {
	[SESSION_LEAKS] = { &leak_check, "which blocks are lost" },
	[SESSION_PAGES] = { &pages_check, "what its pages are for" },
	[SESSION_HOLDERS] = { &holders_check, "what holds its blocks" },
};

void left_checks_open(struct session *s)
{
	const bool wanted[SESSION_CHECKS] = {
		[SESSION_LEAKS] = settings_has_leak_check(s->settings),
		[SESSION_PAGES] = s->settings->fragmentation,
		[SESSION_HOLDERS] = s->settings->holders,
	};

	for (unsigned int i = 0; i < SESSION_CHECKS; i++) {
		if (!wanted[i])
			continue;
		s->left_check[i] = examination_open_file(kinds[i].examination);
		if (s->left_check[i] < 0)
			die("cannot create a file in memory: %m");
	}
}

/* ---- the launcher ------------------------------------------------------------------------ */

static pid_t start_examiner(const struct session *s, unsigned int kind,
			    const struct examined_process *p)
{
	const struct leak_check_options leaks = {
		.heuristics = s->settings->leak_check.heuristics
	};
	const struct pages_check_options pages = { .is_at_end = false };
	const struct holders_check_options holders = { .flags = MU_HOLDERS_ON_DEMAND };
	const void *const options[SESSION_CHECKS] = { &leaks, &pages, &holders };

	return examination_start(kinds[kind].examination, p, options[kind], s->left_check[kind]);
}

/* Returns whether there is a result; otherwise with ERR. */
static bool examine_once(const struct session *s, unsigned int kind,
			 const struct examined_process *p, struct mu_error *err)
{
	pid_t child = ftruncate(s->left_check[kind], 0) < 0 ? -1 : start_examiner(s, kind, p);
	void *result;

	if (child < 0)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, "%m") == 0;
	child_wait(child);
	result = examination_read(kinds[kind].examination, s->left_check[kind], err);
	free(result);
	return result != NULL;
}

static void examine(const struct session *s, unsigned int kind, const struct examined_process *p)
{
	const struct timespec pause = { .tv_nsec = PAUSE_NS };
	struct mu_error err = { .text = "" };

	for (unsigned int tries = 0; tries < TRIES; tries++) {
		if (examine_once(s, kind, p, &err))
			return;
		if (tracee_refusal_tracer(p->pid) == 0)
			break;
		nanosleep(&pause, NULL);
	}
	warn("process %d: it was not examined %s: %s", (int)p->pid, kinds[kind].what, err.text);
}

void left_checks_make(const struct session *s, const struct live *l, pid_t pid)
{
	/* Of any user: what executes a program loses the memory. */
	const struct tracee_right right = { s->arena.fd, 0 };
	const struct examined_process p = {
		l, pid, (enum snapshot_kind)s->settings->leak_check.snapshot, earlier_list_add,
		&right
	};

	for (unsigned int i = 0; i < SESSION_CHECKS; i++) {
		if (s->left_check[i] >= 0)
			examine(s, i, &p);
	}
}

/* ---- the collector ----------------------------------------------------------------------- */

static void *take_result(const struct session *s, unsigned int kind)
{
	struct mu_error ignored;

	return s->left_check[kind] < 0 ? NULL :
	       examination_read(kinds[kind].examination, s->left_check[kind], &ignored);
}

void left_checks_attach(const struct session *s, const struct process *p, struct image *im)
{
	struct mu_leak_check *leaks = take_result(s, SESSION_LEAKS);
	struct mu_holders *holders = take_result(s, SESSION_HOLDERS);

	if (leaks)
		leaks->flags |= MU_LEAK_CHECK_AT_END;
	im->outside_check[IMAGE_OUTSIDE_CHECKS - 1] = leaks;
	im->pages = take_result(s, SESSION_PAGES);
	if (holders)
		tree_holders_add(p, holders);
}

void left_checks_free(struct image *im)
{
	free((void *)(uintptr_t)im->outside_check[IMAGE_OUTSIDE_CHECKS - 1]);
	free((void *)(uintptr_t)im->pages);
	im->outside_check[IMAGE_OUTSIDE_CHECKS - 1] = NULL;
	im->pages = NULL;
}
