/* remote.c -- `memusage --pid=PID COMMAND`: control a process that runs under memusage.
 *
 * This file chooses the rights for the command: our own for our own process; the owner's if we are
 * root.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/remote/remote.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/temporary.h"
#include "memusage/common/process.h"
#include "memusage/common/procmem.h"
#include "memusage/common/program.h"
#include "memusage/remote/launched.h"
#include "memusage/remote/privsep.h"
#include "memusage/remote/remote_command.h"
#include "memusage/remote/remote_examination.h"
#include "memusage/remote/remote_output.h"
#include "memusage/report/not_recorded.h"
#include "profile/base/limits.h"

enum {
	BUSY_TRIES = 100, BUSY_NS = 100000000,	/* 10 s */
	WATCH_TRIES = 100, WATCH_NS = 20000000	/* 2 s until the user is told */
};

/* ---- explanations of failures -------------------------------------------------------------- */

static int explain_status(const struct remote *r, enum contact_status status)
{
	const int pid = (int)r->pid;

	switch (status) {
	case CONTACT_NOT_RECORDED:
		return not_recorded_explain(r->pid);
	case CONTACT_BUSY:
		warn("process %d is in use by another memusage; try again later", pid);
		return -1;
	case CONTACT_DENIED:
		warn("process %d belongs to another user; only that user and root can inspect it",
		     pid);
		return -1;
	case CONTACT_NO_IMAGE:
		warn("process %d runs under memusage, but is not recorded (it has not allocated "
		     "since its fork, its program is being loaded, or an option excludes it)",
		     pid);
		return -1;
	case CONTACT_ORPHANED:
		warn("process %d is recorded, but its collector is gone: only root can still read "
		     "the recording",
		     pid);
		return -1;
	case CONTACT_SILENT:
		warn("process %d: its collector did not answer for 10 seconds: it is stopped or "
		     "busy; try again",
		     pid);
		return -1;
	default:
		return -1;
	}
}

/* ---- with our own rights ------------------------------------------------------------------- */

typedef enum contact_status contact_fn(struct contact *c, pid_t pid, unsigned int flags);

/* Waits for its turn while another client uses the process. */
static enum contact_status wait_while_busy(struct remote *r, contact_fn *reach)
{
	const struct timespec pause = { 0, BUSY_NS };
	enum contact_status status = reach(&r->contact, r->pid, r->command->flags);

	for (int i = 0; status == CONTACT_BUSY && i < BUSY_TRIES; i++) {
		nanosleep(&pause, NULL);
		status = reach(&r->contact, r->pid, r->command->flags);
	}
	return status;
}

/* If OK, *RESULT is the result of the command. */
static enum contact_status run_on_process(struct remote *r, int *result)
{
	enum contact_status status;

	if (r->command->needs_no_recording) {
		*result = r->command->run(r);
		return CONTACT_OK;
	}
	status = wait_while_busy(r, contact_open);
	/* Our own collector never denies us its own processes, so this one is not ours. */
	if (status == CONTACT_DENIED)
		return CONTACT_NOT_RECORDED;
	if (status == CONTACT_OK) {
		*result = r->command->run(r);
		contact_close(&r->contact);
	}
	return status;
}

static bool is_launcher(pid_t pid)
{
	struct stat mine, its;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	return stat("/proc/self/exe", &mine) == 0 && stat(path, &its) == 0 &&
	       mine.st_dev == its.st_dev && mine.st_ino == its.st_ino;
}

static enum contact_status run_as_owner(struct remote *r, const struct owner *owner, int *result);

static enum contact_status run_on_child(struct remote *r, int *result)
{
	struct owner owner;

	if (owner_find(&owner, r->pid) < 0)
		return CONTACT_NOT_RECORDED;
	if (owner.is_self)
		return run_on_process(r, result);
	if (geteuid() != 0)
		return CONTACT_DENIED;
	r->is_query = true;
	return run_as_owner(r, &owner, result);
}

static bool is_recorded_elsewhere(enum contact_status status)
{
	return status == CONTACT_NO_IMAGE || status == CONTACT_NOT_RECORDED ||
	       status == CONTACT_ORPHANED;
}

static enum contact_status run_on_launched_program(struct remote *r, int *result)
{
	enum contact_status status = CONTACT_NO_IMAGE;
	const pid_t launcher = r->pid;
	pid_t *launched;
	const size_t count = launched_list(launcher, &launched);

	for (size_t i = 0; i < count && (is_recorded_elsewhere(status) ||
					 status == CONTACT_DENIED); i++) {
		r->pid = launched[i];
		status = run_on_child(r, result);
	}
	free(launched);
	if (!is_recorded_elsewhere(status) && status != CONTACT_DENIED)
		return status;
	r->pid = launcher;
	return CONTACT_NO_IMAGE;
}

/* A launcher is asked about last: only that which runs under another memusage is recorded. All
 * collectors of the user would be waited for, since it has mapped an arena: 10 s if one of them, of
 * any run, is stopped. */
static enum contact_status run_on_process_or_child(struct remote *r, int *result)
{
	enum contact_status status, own;

	if (r->command->needs_no_recording || !is_launcher(r->pid))
		return run_on_process(r, result);
	status = run_on_launched_program(r, result);
	if (status != CONTACT_NO_IMAGE)
		return status;
	own = run_on_process(r, result);
	return is_recorded_elsewhere(own) ? status : own;
}

/* ---- with the rights of the process's owner ------------------------------------------------ */

enum { NOT_FOUND_STATUS = 64 }; /* + enum contact_status: exit status of a query */

/* First asks our own user's collectors, which answer only their own user. Then reads everything of
 * the process or its owner with the owner's rights. */
static int work_as_owner(void *data)
{
	struct remote *r = data;
	enum contact_status status, asked = CONTACT_NOT_RECORDED;
	int result = -1;

	if (!r->command->needs_no_recording)
		asked = wait_while_busy(r, contact_query);
	owner_become(r->owner);
	privsep_die_with_parent();
	status = asked == CONTACT_BUSY ? asked : run_on_process_or_child(r, &result);
	if (status == CONTACT_NOT_RECORDED && asked != CONTACT_OK && asked != CONTACT_DENIED)
		status = asked;
	if (status == CONTACT_OK) {
		if (result == 0 && write(r->found_pipe, &r->pid, sizeof(r->pid)) < 0)
			warn("cannot pass the process ID on: %m");
		return result == 0 ? 0 : STATUS_FAILED;
	}
	if (r->is_query)
		return NOT_FOUND_STATUS + (int)status;
	explain_status(r, status);
	return STATUS_FAILED;
}

/* Accepts the process of the command line, or a child of it. */
static void read_found_pid(struct remote *r, int from)
{
	pid_t pid;

	if (read(from, &pid, sizeof(pid)) == sizeof(pid) && pid > 0 &&
	    process_parent(pid) == r->pid)
		r->pid = pid;
}

static void prepare_temporary_file(struct remote *r, const struct owner *owner)
{
	r->output_fd = temporary_open();
	if (r->output_fd < 0 || fchown(r->output_fd, owner->uid, owner->gid) < 0)
		die("cannot create a temporary file: %m; set TMPDIR to a writable directory");
	r->format_name = remote_makes_tree(r) ? remote_xtree_name(r, 1) : remote_file_name(r);
	if (!r->format_name)
		exit(STATUS_FAILED);
}

static enum contact_status run_as_owner(struct remote *r, const struct owner *owner, int *result)
{
	int pair[2], code;

	if (pipe2(pair, O_CLOEXEC | O_NONBLOCK) < 0)
		die("cannot create a pipe: %m");
	if (remote_makes_file(r))
		prepare_temporary_file(r, owner);
	r->owner = owner;
	r->found_pipe = pair[1];
	code = privsep_run(work_as_owner, remote_examination_answer, r);
	read_found_pid(r, pair[0]);
	close(pair[0]);
	close(pair[1]);
	*result = code == 0 ? 0 : -1;
	if (code == 0 && r->output_fd >= 0)
		*result = remote_output_write(r);
	if (r->output_fd >= 0)
		close(r->output_fd);
	r->output_fd = -1;
	r->owner = NULL;
	return r->is_query && code > NOT_FOUND_STATUS && code < STATUS_FAILED ?
		       (enum contact_status)(code - NOT_FOUND_STATUS) :
		       CONTACT_OK;
}

/* ---- all together -------------------------------------------------------------------------- */

static int run_command(struct remote *r)
{
	enum contact_status status = CONTACT_NOT_RECORDED;
	struct owner owner;
	int result = -1;

	if (r->command->run == remote_command_help)
		return remote_command_help(r);
	/* The caller explains a failure. */
	if (r->command->flags & CONTROL_RUN)
		return run_on_process(r, &result) == CONTACT_OK ? result : -1;
	if (owner_find(&owner, r->pid) < 0)
		;
	else if (owner.is_self)
		status = run_on_process_or_child(r, &result);
	else if (geteuid() == 0)
		status = run_as_owner(r, &owner, &result);
	else
		status = CONTACT_DENIED;
	return status == CONTACT_OK ? result : explain_status(r, status);
}

int remote_run(const struct settings *settings)
{
	struct remote r = { .settings = settings,
			    .pid = (pid_t)settings->pid,
			    .contact = CONTACT_CLOSED,
			    .output_fd = -1,
			    .program_output = -1 };

	/* Makes write() report an exceeded file size limit. */
	signal(SIGXFSZ, SIG_IGN);
	limits_raise_stack();
	if (remote_command_choose(&r) < 0)
		return STATUS_FAILED;
	return run_command(&r) < 0 ? STATUS_FAILED : 0;
}

/* The recording of a program begins with its dynamic linker's first call. */
int remote_watch(const struct settings *settings, pid_t pid, int output)
{
	const struct timespec pause = { .tv_nsec = WATCH_NS };
	struct remote r = { .settings = settings, .pid = pid, .contact = CONTACT_CLOSED,
			    .output_fd = -1, .program_output = output,
			    .command = remote_command_live() };
	int result = -1, memory = procmem_open(pid), tries = 0;
	struct procmem m;

	signal(SIGXFSZ, SIG_IGN);
	while (memory >= 0 && procmem_read(memory, &m)) {
		if (run_on_process(&r, &result) == CONTACT_OK) {
			close(memory);
			return result;
		}
		if (++tries == WATCH_TRIES)
			warn("process %d is not recorded yet; the view begins when it is",
			     (int)pid);
		nanosleep(&pause, NULL);
	}
	if (memory >= 0)
		close(memory);
	return 0;
}
