/* detach.c -- Leaving a process as it was before memusage attached to it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "memusage/attach/adopt.h"
#include "memusage/attach/attach.h"
#include "memusage/attach/filter.h"
#include "memusage/attach/refusal.h"
#include "memusage/attach/stop.h"
#include "memusage/common/process.h"

/* If our attacher was killed, the next one may have taken the recorder away between our first look
 * and the stop: on a loaded machine we are late by more than that takes. The program may have
 * something else at these addresses by then, or a later attacher a recorder of its own. */
static bool is_taken_away(const struct stop *s)
{
	uint64_t start = 0;

	return adopt_file(s->t.view, &start) != s->a->file || start != s->a->parameters;
}

static enum target_result detach_stopped(struct stop *s)
{
	enum target_result result = TARGET_OK;

	if (target_read_maps(&s->t, &s->a->err) < 0)
		return TARGET_REFUSED;
	if (s->a->is_adopted && adopt_look_again(s) != TARGET_OK)
		return TARGET_REFUSED;
	if (!s->a->is_adopted && is_taken_away(s))
		return TARGET_OK;
	code_restore(&s->t, &s->a->code);
	/* A filter could kill it for the calls that unmap. */
	if (process_status_value(s->t.view, "Seccomp:", 10, 0) == SECCOMP_MODE_STRICT ||
	    filter_check(&s->t, &s->a->err) != TARGET_OK)
		return stop_refuse(s, "it has entered a sandbox meanwhile, so the recorder stays "
				      "mapped", 0);
	if (target_shares_memory(&s->t)) {
		stop_refuse(s, "a child of vfork() has its memory", 0);
		return TARGET_BUSY;
	}
	result = code_move_out(&s->t, &s->a->code, &s->a->err);
	if (result == TARGET_OK)
		result = borrow_begin(&s->b, &s->t, &s->a->err);
	/* To leave the recorder there is worse than many stops. */
	if (result == TARGET_OWN_STACK)
		result = TARGET_BUSY;
	if (result != TARGET_OK)
		return result;
	/* A killed attacher does not tell its collector, which would wait for the process's end. */
	if (getppid() != s->a->attacher)
		adopt_end_image(s);
	if (s->a->is_adopted)
		adopt_close_descriptors(s);
	stop_remove_recorder(s);
	borrow_end(&s->b);
	return TARGET_OK;
}

/* Only a killed attacher's file can be open and not mapped. */
static bool has_recorder(const struct target *t, const struct attachment *a)
{
	uint64_t magic;

	if (!a->parameters)
		return a->is_adopted;
	return target_read(t, a->parameters, &magic, sizeof(magic)) && magic == MU_ATTACH_MAGIC;
}

/* Returns TARGET_OK if there is nothing to leave: it has ended, or executes another program. A
 * process cannot be read while it is just ending, so that is tried again. */
static enum target_result open_to_leave(struct stop *s, pid_t pid, bool *is_there)
{
	struct mu_error *err = &s->a->err;

	*is_there = false;
	if (target_open(&s->t, pid, err) < 0) {
		if (errno == ESRCH)
			return TARGET_OK;
		if (errno != EACCES && errno != EPERM)
			return TARGET_BUSY;
		/* It or we have another user now. */
		refusal_explain_denied(pid, err);
		return TARGET_REFUSED;
	}
	*is_there = has_recorder(&s->t, s->a);
	if (*is_there &&
	    (target_read_maps(&s->t, err) < 0 || target_find_code(&s->t, err) < 0))
		return TARGET_BUSY;
	if (*is_there)
		target_find_contexts(&s->t);
	return TARGET_OK;
}

static enum target_result stop_and_leave(struct stop *s)
{
	enum target_result result = stop_begin(s);

	if (result == TARGET_OK)
		result = detach_stopped(s);
	return result;
}

/* Each try works on a copy of the addresses: the next one needs them again. */
static enum target_result detach_once(struct attachment *a, void *data)
{
	struct attachment copy = *a;
	struct stop s = { .a = &copy, .file = -1, .remote_file = -1, .remote_fd = -1 };
	enum target_result result;
	bool is_there;

	copy.err = (struct mu_error){ .code = MU_ERROR_NONE };
	result = open_to_leave(&s, *(pid_t *)data, &is_there);
	if (result == TARGET_OK && is_there) {
		result = stop_and_leave(&s);
		if (result == TARGET_REFUSED && !has_recorder(&s.t, &copy))
			result = TARGET_OK; /* it has ended meanwhile */
		stop_end(&s);
	}
	if (copy.is_adopted && copy.file)
		a->file = copy.file;
	a->err = copy.err;
	a->pause_ns = copy.pause_ns;
	a->threads = copy.threads;
	return result;
}

/* Returns another process that has mapped the recorder's file, 0 if there is none. */
static pid_t find_child(const struct attachment *a, const pid_t *given_up, unsigned int count)
{
	pid_t found = 0, pid;
	uint64_t start;
	DIR *proc = a->file ? opendir("/proc") : NULL;

	while (proc && !found && (pid = process_next(proc)) > 0) {
		bool is_known = false;

		for (unsigned int i = 0; i < count; i++)
			is_known |= given_up[i] == pid;
		if (!is_known && adopt_file(pid, &start) == a->file)
			found = pid;
	}
	if (proc)
		closedir(proc);
	return found;
}

enum { CHILDREN_MAX = 4096 };

bool attach_end_recording(struct attachment *a)
{
	static pid_t given_up[CHILDREN_MAX];
	unsigned int count = 0;
	pid_t pid = a->pid;
	struct mu_error first = { .code = MU_ERROR_NONE };
	uint64_t pause_ns = 0;

	a->left = 0;
	while (pid && count < CHILDREN_MAX) {
		if (stop_try_often(a, detach_once, &pid) != TARGET_OK && !a->left) {
			first = a->err;
			a->left = pid;
		}
		if (pid == a->pid)
			pause_ns = a->pause_ns;
		given_up[count++] = pid;
		pid = find_child(a, given_up, count);
	}
	a->pause_ns = pause_ns;
	a->err = first;
	return !a->left;
}

int attach_open_memory(const struct attachment *a)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)process_view(a->pid));
	return open(path, O_RDONLY | O_CLOEXEC);
}

bool attach_is_there(const struct attachment *a, int memory)
{
	char byte;

	return memory < 0 || pread(memory, &byte, 1, (off_t)a->blob) == 1;
}

void attach_free(struct attachment *a)
{
	if (a)
		munmap(a, sizeof(*a));
}
