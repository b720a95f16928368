/* worker.c -- Makes an answer in a process of its own.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageserve/source/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/xmalloc.h"
#include "memusage/common/child.h"
#include "profile/base/limits.h"

enum {
	NICE = 10,		/* a client that asks all the time takes little of a full CPU */
	CPU_SECONDS = 120
};

static void give_way_to_others(enum worker_urgency urgency)
{
	int fd;

	if (urgency == WORKER_PATIENT && nice(NICE) < 0)
		errno = 0;
	fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	if (fd >= 0 && write(fd, "1000", 4) < 0)
		errno = 0;
	if (fd >= 0)
		close(fd);
	limits_lower(RLIMIT_CPU, CPU_SECONDS);
}

/* The connections of clients are close-on-exec, not close-on-fork: a client would not see the end
 * of one as long as a worker has it. */
static void close_other_files(int output, const int *kept)
{
	unsigned int first = STDERR_FILENO + 1;

	for (;;) {
		unsigned int next = ~0u;

		/* The lowest that stays. */
		for (int i = -1; i < (kept ? WORKER_KEPT : 0); i++) {
			const int fd = i < 0 ? output : kept[i];

			if (fd >= (int)first && (unsigned int)fd < next)
				next = (unsigned int)fd;
		}
		if (next > first)
			syscall(__NR_close_range, first, next == ~0u ? next : next - 1, 0u);
		if (next == ~0u)
			return;
		first = next + 1;
	}
}

static void run_work(int output, enum worker_urgency urgency, const int *kept, worker_fn *work,
		     void *data)
{
	enum worker_result result;
	FILE *out;

	child_reset_signals();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGPIPE, SIG_IGN);
	give_way_to_others(urgency);
	close_other_files(output, kept);
	out = fdopen(output, "w");
	if (!out)
		_exit(WORKER_FAILED);
	result = work(out, data);
	if (fflush(out) != 0)
		_exit(WORKER_FAILED);
	_exit(result);
}

int worker_start(struct worker *w, enum worker_urgency urgency, worker_fn *work, void *data,
		 const int *kept)
{
	const pid_t parent = getpid();

	*w = (struct worker){ .pidfd = -1, .output = memfd_create("answer", MFD_CLOEXEC) };
	if (w->output < 0)
		return -1;
	w->pid = fork();
	if (w->pid == 0) {
		if (getppid() != parent)
			_exit(WORKER_FAILED);
		run_work(w->output, urgency, kept, work, data);
	}
	if (w->pid > 0)
		w->pidfd = (int)syscall(SYS_pidfd_open, w->pid, 0);
	if (w->pid > 0 && w->pidfd >= 0)
		return 0;
	worker_stop(w);
	return -1;
}

static void say_in_output(int output, const char *text)
{
	if (ftruncate(output, 0) == 0 && pwrite(output, text, strlen(text), 0) < 0)
		errno = 0;
}

enum worker_result worker_finish(struct worker *w)
{
	const int status = child_wait(w->pid);

	close(w->pidfd);
	w->pid = 0;
	w->pidfd = -1;
	if (WIFEXITED(status) && WEXITSTATUS(status) <= WORKER_NOT_FOUND)
		return (enum worker_result)WEXITSTATUS(status);
	say_in_output(w->output, WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ ?
		      "the answer would have more than 512 MiB\n" :
		      "the process that made the answer was killed\n");
	return WORKER_FAILED;
}

void worker_stop(struct worker *w)
{
	if (w->pid > 0) {
		kill(w->pid, SIGKILL);
		child_wait(w->pid);
	}
	if (w->pidfd >= 0)
		close(w->pidfd);
	if (w->output >= 0)
		close(w->output);
	*w = (struct worker){ .pidfd = -1, .output = -1 };
}
