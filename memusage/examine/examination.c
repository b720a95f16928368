/* examination.c -- A process of our own that examines another one, and leaves its result in a file.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/examine/examination.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/xmalloc.h"
#include "memusage/common/child.h"
#include "memusage/examine/stall_watch.h"
#include "memusage/trace/tracee_refusal.h"
#include "profile/base/file.h"

/* The beginning of the file: a result follows, or the text of an error. */
enum outcome { OUTCOME_FAILED = 1, OUTCOME_FOUND = 2, OUTCOME_DENIED = 3 };

/* Tries of a snapshot, while a thread is in the middle of malloc or another memusage traces some,
 * and those where none is seen that traces it: it may have gone meanwhile. */
enum { TRIES = 100, REFUSALS = 4 };

/* ---- the process that examines -------------------------------------------------------------- */

static bool write_outcome(int fd, uint64_t outcome, const void *what, uint64_t bytes)
{
	return file_write_at(fd, &outcome, sizeof(outcome), 0) &&
	       file_write_at(fd, what, bytes, sizeof(outcome));
}

static void report_stall(int fd)
{
	static const char why[sizeof(((struct mu_error *)NULL)->text)] =
		"nothing could be read of it any more: a file system that it uses does not answer";

	write_outcome(fd, OUTCOME_FAILED, why, sizeof(why));
}

static bool find_and_write(const struct examination *e, struct snapshot *s, const void *options,
			   int fd, struct mu_error *err)
{
	void *result = e->examine(s, options, err);
	bool is_written;

	if (result && !snapshot_is_permitted(s)) {
		mu_error_set(err, MU_ERROR_SYSTEM, 0, "it has ended or executes another program");
		free(result);
		return false;
	}
	if (!result)
		return false;
	is_written = write_outcome(fd, OUTCOME_FOUND, result, e->count_bytes(result));
	if (!is_written)
		mu_error_set(err, MU_ERROR_SYSTEM, 0, "%m");
	free(result);
	return is_written;
}

static enum examination_more take_snapshot_once(struct snapshot *s,
						const struct examined_process *p,
						struct mu_error *err)
{
	if (snapshot_take(s, p->live, p->pid, p->snapshot, p->right, err) < 0)
		return s->tracee.is_refused ? EXAMINATION_TRACED : EXAMINATION_REFUSED;
	return p->add_blocks ? p->add_blocks(s, err) : EXAMINATION_COMPLETE;
}

static bool may_be_tried_again(enum examination_more more, pid_t pid, unsigned int *refusals)
{
	if (more == EXAMINATION_TRACED)
		return tracee_refusal_is_brief(pid) || ++*refusals < REFUSALS;
	return more == EXAMINATION_BUSY;
}

/* Between two tries the process runs on for some milliseconds. */
static bool take_snapshot(struct snapshot *s, const struct examined_process *p,
			  struct mu_error *err)
{
	enum examination_more more = take_snapshot_once(s, p, err);
	unsigned int refusals = 0;

	for (unsigned int tries = 1;
	     tries < TRIES && may_be_tried_again(more, p->pid, &refusals); tries++) {
		const struct timespec pause = { .tv_nsec = (1 + tries % 8) * 1000000 };

		snapshot_close(s);
		nanosleep(&pause, NULL);
		more = take_snapshot_once(s, p, err);
	}
	return more == EXAMINATION_COMPLETE;
}

static void examine_process(const struct examination *e, const struct examined_process *p,
			    const void *options, int fd)
{
	struct mu_error err = { .text = "" };
	struct snapshot s;
	bool ok = take_snapshot(&s, p, &err);

	/* A snapshot has limits of its own for each wait. */
	if (ok) {
		stall_watch_begin(report_stall, fd);
		ok = find_and_write(e, &s, options, fd, &err);
	}
	snapshot_close(&s);
	if (!ok)
		write_outcome(fd, err.code == MU_ERROR_DENIED ? OUTCOME_DENIED : OUTCOME_FAILED,
			      err.text, sizeof(err.text));
	_exit(0);
}

int examination_open_file(const struct examination *e)
{
	return memfd_create(e->file_name, MFD_CLOEXEC);
}

pid_t examination_start(const struct examination *e, const struct examined_process *p,
			const void *options, int fd)
{
	pid_t child = fork();

	if (child == 0) {
		child_reset_signals();
		examine_process(e, p, options, fd);
	}
	return child;
}

/* ---- the result ----------------------------------------------------------------------------- */

static void read_reason(int fd, enum mu_error_code code, struct mu_error *err)
{
	char text[sizeof(err->text)] = "";

	if (pread(fd, text, sizeof(text) - 1, sizeof(uint64_t)) < 0)
		text[0] = '\0';
	mu_error_set(err, code, 0, "%s", text);
}

bool examination_has_outcome(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_size > 0;
}

void *examination_read(const struct examination *e, int fd, struct mu_error *err)
{
	uint64_t outcome = 0, size;
	struct stat st;
	void *result;

	if (fstat(fd, &st) < 0 || pread(fd, &outcome, sizeof(outcome), 0) != sizeof(outcome)) {
		mu_error_set(err, MU_ERROR_SYSTEM, 0, "%s", e->unfinished);
		return NULL;
	}
	size = (uint64_t)st.st_size - sizeof(outcome);
	if (outcome != OUTCOME_FOUND || size < e->least || size > e->most) {
		read_reason(fd, outcome == OUTCOME_DENIED ? MU_ERROR_DENIED : MU_ERROR_SYSTEM, err);
		return NULL;
	}
	result = xmalloc(size);
	if (pread(fd, result, size, sizeof(outcome)) == (ssize_t)size &&
	    e->count_bytes(result) == size)
		return result;
	free(result);
	mu_error_set(err, MU_ERROR_SYSTEM, 0, "%m");
	return NULL;
}

void *examination_run(const struct examination *e, const struct examined_process *p,
		      const void *options, struct mu_error *err)
{
	int fd = examination_open_file(e);
	pid_t child = fd < 0 ? -1 : examination_start(e, p, options, fd);
	void *result = NULL;

	if (child > 0) {
		child_wait(child);
		result = examination_read(e, fd, err);
	} else {
		mu_error_set(err, MU_ERROR_SYSTEM, 0, "%m");
	}
	if (fd >= 0)
		close(fd);
	return result;
}
