/* run.c -- The run that is served: a collector, and the processes that it records.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageserve/source/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/sibling.h"
#include "memusage/record/live_copy.h"
#include "memusage/remote/contact.h"
#include "memusage/remote/launched.h"
#include "memusage/remote/remote_findings.h"
#include "memusage/remote/remote_samples.h"

/* ---- the collector ------------------------------------------------------------------------- */

static bool is_memusage(pid_t pid)
{
	char *file = sibling_path("memusageserve", "memusage"), path[32];
	struct stat own, its;
	bool result;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	result = file && stat(file, &own) == 0 && stat(path, &its) == 0 &&
		 own.st_dev == its.st_dev && own.st_ino == its.st_ino;
	free(file);
	return result;
}

/* Returns the collector of PID, or 0. */
static pid_t ask_for_collector(pid_t pid, enum contact_status *status)
{
	struct contact c = CONTACT_CLOSED;
	pid_t collector;

	*status = contact_open(&c, pid, 0);
	collector = *status == CONTACT_OK ? (pid_t)c.answer.collector : 0;
	contact_close(&c);
	return collector;
}

static pid_t ask_for_collector_of_launched(pid_t launcher)
{
	enum contact_status status;
	pid_t collector = 0, *launched;
	const size_t count = launched_list(launcher, &launched);

	for (size_t i = 0; collector == 0 && i < count; i++)
		collector = ask_for_collector(launched[i], &status);
	free(launched);
	return collector;
}

static int explain_status(struct mu_error *err, pid_t pid, enum contact_status status)
{
	static const char *const texts[] = {
		[CONTACT_OK] = "its recording has no collector: start the program with memusage",
		[CONTACT_NOT_RECORDED] = "does not run under memusage: start it with "
					 "memusage --serve, or as the user who runs it",
		[CONTACT_BUSY] = "is in use by another memusage; try again later",
		[CONTACT_DENIED] = "belongs to another user, who alone can serve it",
		[CONTACT_NO_IMAGE] = "is not recorded yet, or an option excludes it",
		[CONTACT_ORPHANED] = "is recorded, but its collector is gone",
		[CONTACT_SILENT] = "its collector did not answer for 10 seconds: it is stopped or "
				   "busy; try again",
		[CONTACT_BROKEN] = "its recording cannot be read",
	};

	return mu_error_set(err, MU_ERROR_SYSTEM, 0, "process %d: %s", (int)pid, texts[status]);
}

static int use_collector(struct run *r, pid_t collector)
{
	r->collector = collector;
	r->pidfd = (int)syscall(SYS_pidfd_open, collector, 0);
	return 0;
}

int run_open(struct run *r, pid_t pid, pid_t collector, struct mu_error *err)
{
	enum contact_status status = CONTACT_OK;

	*r = (struct run){ .pid = pid, .pidfd = -1 };
	/* To ask about a launcher, which is not recorded, waits for all collectors of the user. */
	if (collector == 0 && is_memusage(pid))
		collector = ask_for_collector_of_launched(pid);
	if (collector == 0)
		collector = ask_for_collector(pid, &status);
	return collector ? use_collector(r, collector) : explain_status(err, pid, status);
}

int run_reopen(struct run *r)
{
	enum contact_status status;
	pid_t collector = ask_for_collector(r->pid, &status);

	if (collector == 0 || collector == r->collector)
		return -1;
	run_close(r);
	return use_collector(r, collector);
}

void run_close(struct run *r)
{
	if (r->pidfd >= 0)
		close(r->pidfd);
	r->pidfd = -1;
	r->collector = 0;
}

/* ---- a copy -------------------------------------------------------------------------------- */

struct copier {
	enum run_parts parts;
	struct save keep;
	unsigned int copied;
};

static int copy_live(struct live_copy *copy, struct live *l, const struct copier *c,
		     const struct samples *samples)
{
	struct mu_error err;

	if (c->parts == RUN_ALL)
		return live_copy_take(copy, l, samples, &err);
	if (live_copy_look(copy, l, false, samples, &err) < 0)
		return -1;
	if (c->parts == RUN_FIGURES)
		copy->image.head.features &=
			MU_FEATURE(MU_SEC_PROCESS) | MU_FEATURE(MU_SEC_COUNTERS) |
			MU_FEATURE(MU_SEC_THREADS) | MU_FEATURE(MU_SEC_DROPS) |
			MU_FEATURE(MU_SEC_TIMELINE);
	return 0;
}

/* A process that ends meanwhile is left out. */
static void copy_slot(struct copier *c, struct live *l, int samples_fd, uint32_t k)
{
	struct asked_findings findings = { .holders = NULL };
	struct samples samples;
	struct mu_error err;
	struct live_copy copy;
	struct mu_slot slot;

	if (!segment_slot(&l->view, k, &slot) || slot.state != MU_SLOT_LIVE ||
	    live_select(l, k, slot.generation, &err) < 0)
		return;
	if (c->parts == RUN_ALL)
		remote_findings_ask(&findings, l, (pid_t)slot.pid);
	if (copy_live(&copy, l, c, remote_samples_read(&samples, samples_fd, l)) == 0) {
		asked_findings_attach(&findings, &copy.image);
		if (live_copy_save(&copy, l, (pid_t)slot.pid, &c->keep, &err) == 0)
			c->copied++;
	}
	live_copy_free(&copy);
	asked_findings_free(&findings);
	samples_free(&samples);
}

static void copy_arena(struct copier *c, struct contact *contact)
{
	const uint32_t count = contact->live.view.head.slot_count;

	for (uint32_t k = 0; k < count; k++)
		copy_slot(c, &contact->live, contact->samples, k);
}

int run_copy(const struct run *r, int fd, enum run_parts parts, struct mu_error *err)
{
	const unsigned int asked = CONTROL_RUN | CONTROL_SAMPLES;
	struct contact contact = CONTACT_CLOSED;
	struct copier c = { .parts = parts };
	enum contact_status status = contact_open(&contact, r->collector, asked);

	if (status == CONTACT_OK && contact.answer.collector != r->collector) {
		contact_close(&contact);
		status = CONTACT_NOT_RECORDED;
	}
	if (status == CONTACT_NOT_RECORDED)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0,
				    "process %d: is not recorded any more", (int)r->pid);
	if (status != CONTACT_OK)
		return explain_status(err, r->pid, status);
	if (save_begin(&c.keep, fd, &contact.live.view.head, err) < 0) {
		contact_close(&contact);
		return -1;
	}
	/* Processes of another user are in another arena of the same collector. */
	do
		copy_arena(&c, &contact);
	while (contact_open_next(&contact, r->collector, asked) == CONTACT_OK);
	save_end(&c.keep);
	return c.copied ? 0 : mu_error_set(err, MU_ERROR_SYSTEM, 0, "no process is recorded now");
}
