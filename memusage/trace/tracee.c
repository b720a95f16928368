/* tracee.c -- Stops the threads of a process from outside.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/trace/tracee.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "memusage/common/cgroup.h"
#include "memusage/common/clock.h"
#include "memusage/common/process.h"
#include "memusage/trace/tracee_call.h"
#include "memusage/trace/tracee_refusal.h"
#include "memusage/trace/tracee_seize.h"
#include "memusage/trace/tracee_wait.h"
#include "profile/base/array.h"

#define STOP_NS UINT64_C(500000000) /* for a thread whose system call cannot be interrupted */
#define CLOSE_NS UINT64_C(100000000) /* for the copy, while the process is stopped */
#define LATE_NS UINT64_C(60000000000) /* for one that has not run since it was asked to stop */
#define EVENT_NS UINT64_C(20000)     /* most events are over by then */

enum { SPINS = 200, LATE_REAPERS = 3, HOME_TURNS = 1000 };

/* ---- one thread ------------------------------------------------------------------------- */

/* Lets others run before the TURN-th look. */
static void pause_a_little(unsigned int turn)
{
	const struct timespec pause = { .tv_nsec = 20000 };

	if (turn < SPINS)
		sched_yield();
	else
		nanosleep(&pause, NULL);
}

/* Waits until a thread stops. Returns its status as wait() gives it, or -1 without one. */
static int wait_for_thread(pid_t tid)
{
	const uint64_t end = clock_now(CLOCK_MONOTONIC) + STOP_NS;
	int status;

	for (unsigned int turn = 0;; turn++) {
		pid_t got = waitpid(tid, &status, __WALL | WNOHANG);

		if (got > 0)
			return status;
		if ((got < 0 && errno != EINTR) || clock_now(CLOCK_MONOTONIC) > end)
			return -1;
		pause_a_little(turn);
	}
}

/* A thread that was about to get a signal stops for that instead: it gets it when it goes on. In a
 * process that SIGSTOP has stopped calls end by that, as alone. */
static bool note_stop(pid_t pid, struct tracee_thread *thread, int status)
{
	if (status == -1 || !WIFSTOPPED(status))
		return false;
	if (status >> 16 == 0)
		thread->signal = WSTOPSIG(status);
	thread->is_running = false;
	if (status >> 16 != PTRACE_EVENT_STOP || WSTOPSIG(status) == SIGTRAP)
		tracee_call_restart(pid, thread);
	return true;
}

static bool await_stop(pid_t pid, struct tracee_thread *thread)
{
	return note_stop(pid, thread, wait_for_thread(thread->tid));
}

/* Tells whether a thread that was asked to stop may still have a call ended by that: it has not run
 * since, or runs. A call that cannot be interrupted, as vfork(), is not ended. */
static bool is_stopping(const struct tracee_thread *thread)
{
	char state = 'X';
	int status;

	return thread->is_traced && process_exit_code(thread->tid, &state, &status) &&
	       !strchr("DZX", state);
}

/* A thread that does not get a processor comes to its stop late. If we were gone by then, the call
 * in which it waits would end with EINTR. */
static bool await_late_stop(pid_t pid, struct tracee_thread *thread)
{
	const uint64_t end = clock_now(CLOCK_MONOTONIC) + LATE_NS;

	while (errno = 0, !await_stop(pid, thread)) {
		if (errno == ECHILD || !is_stopping(thread) || clock_now(CLOCK_MONOTONIC) > end)
			return false;
	}
	return true;
}

static void forget_thread(struct tracee *t, size_t i)
{
	free(t->thread[i].extended);
	t->thread[i] = t->thread[--t->count];
}

/* ---- all threads ------------------------------------------------------------------------ */

static struct tracee_thread *find_thread(struct tracee *t, pid_t tid)
{
	for (uint32_t i = 0; i < t->count; i++) {
		if (t->thread[i].tid == tid)
			return &t->thread[i];
	}
	return NULL;
}

/* Returns 1 with a thread that is going to stop, 0 if it has ended, -1 if it must not be traced. */
static int seize_thread(struct tracee *t, pid_t tid)
{
	char state;
	int status;

	if (!tracee_seize(tid)) {
		/* The kernel says EPERM of a thread that ends. */
		int why = errno;
		bool is_over = why == ESRCH || !process_exit_code(tid, &state, &status) ||
			       state == 'Z' || state == 'X';

		errno = why;
		return is_over ? 0 : -1;
	}
	ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	array_reserve(&t->thread, &t->room, t->count + UINT64_C(1), sizeof(*t->thread));
	t->thread[t->count++] = (struct tracee_thread){ .tid = tid, .is_running = true,
							.is_traced = true };
	/* If it died before the signal was blocked again, the handler did not know it yet. */
	tracee_seize_reap(tid);
	return 1;
}

static bool is_worker(const struct tracee *t, pid_t tid)
{
	for (uint32_t i = 0; i < t->workers; i++) {
		if (t->worker[i] == tid)
			return true;
	}
	return false;
}

/* A worker of the kernel is not traced any longer than until that is known. */
static bool leave_worker(struct tracee *t, pid_t tid)
{
	if (!tracee_call_is_worker(tid))
		return false;
	array_reserve(&t->worker, &t->worker_room, t->workers + UINT64_C(1), sizeof(*t->worker));
	t->worker[t->workers++] = tid;
	ptrace(PTRACE_DETACH, tid, NULL, NULL);
	return true;
}

/* When a thread is traced, and in the opposite order let go: while one is traced, the kernel keeps
 * signals to it for the process that the process ignores, and wakes threads that are not traced for
 * them. Those are the ends of its children, and for the first thread all that others send. */
enum place { PLACE_CHILDLESS, PLACE_PARENT, PLACE_FIRST, PLACES };

static enum place place_of(const struct tracee *t, pid_t tid)
{
	return tid == t->pid ? PLACE_FIRST :
	       tracee_parents_has(&t->parents, tid) ? PLACE_PARENT : PLACE_CHILDLESS;
}

static int seize_listed(struct tracee *t, enum place place)
{
	char path[64];
	DIR *tasks;
	struct dirent *entry;
	int found = 0, result = 0;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)t->pid);
	tasks = opendir(path);
	while (tasks && result >= 0 && (entry = readdir(tasks))) {
		pid_t tid = (pid_t)atoi(entry->d_name);

		if (tid <= 0 || place_of(t, tid) != place || find_thread(t, tid) ||
		    is_worker(t, tid))
			continue;
		result = seize_thread(t, tid);
		found += result > 0;
	}
	if (tasks) {
		int why = errno;

		closedir(tasks);
		errno = why;
	}
	return result < 0 ? -1 : found;
}

/* Returns how many threads of that place were found that were not known, or -1 with errno. */
static int seize_new_threads(struct tracee *t, enum place place)
{
	if (place == PLACE_FIRST)
		return find_thread(t, t->pid) ? 0 : seize_thread(t, t->pid);
	return place == PLACE_PARENT && t->parents.count == 0 ? 0 : seize_listed(t, place);
}

static bool is_alive(pid_t tid)
{
	char state;
	int status;

	return process_exit_code(tid, &state, &status) && state != 'Z' && state != 'X';
}

/* Takes note of the threads that have stopped, and forgets those that have ended. Returns a thread
 * that runs, NULL if there is none.
 *
 * Each is asked for by its ID: a wait() for any would look at all of them, each time. */
static struct tracee_thread *note_stops(struct tracee *t)
{
	struct tracee_thread *running = NULL;

	for (uint32_t i = 0; i < t->count;) {
		struct tracee_thread *thread = &t->thread[i];
		int status = -1;
		pid_t got = 0;

		if (thread->is_running)
			got = waitpid(thread->tid, &status, __WALL | WNOHANG);
		if ((got > 0 && (!note_stop(t->pid, thread, status) ||
				 leave_worker(t, thread->tid))) ||
		    (got < 0 && !is_alive(thread->tid))) {
			forget_thread(t, i);
			continue;
		}
		if (thread->is_running)
			running = thread;
		i++;
	}
	return running;
}

/* A thread that executes a program waits for those, too, that were killed when they had stopped. */
static void reap_killed_threads(const struct tracee *t)
{
	for (uint32_t i = 0; i < t->count; i++)
		tracee_seize_reap(t->thread[i].tid);
}

/* A thread that waits for a processor stops as soon as it has one: on a machine with a load of 10
 * half a second was too short for one of 150 checks. */
static bool is_too_late(const struct tracee_thread *thread, uint64_t start)
{
	const uint64_t waited = clock_now(CLOCK_MONOTONIC) - start;

	return waited > STOP_NS && (waited > LATE_NS || !is_stopping(thread));
}

static int await_all(struct tracee *t, struct mu_error *err)
{
	const uint64_t start = clock_now(CLOCK_MONOTONIC);
	const struct tracee_thread *thread;

	for (unsigned int turn = 0; (thread = note_stops(t)); turn++) {
		if (is_too_late(thread, start))
			return mu_error_set(err, MU_ERROR_SYSTEM, 0,
					    "thread %d is in a system call that cannot be "
					    "interrupted; try again", (int)thread->tid);
		if (turn % SPINS == SPINS - 1)
			reap_killed_threads(t);
		pause_a_little(turn);
	}
	/* A worker of the kernel does not tell whether its process still runs. */
	return t->count > 0 || is_alive(t->pid) ? 0 : mu_error_set(err, MU_ERROR_SYSTEM, 0,
								   "the process has ended");
}

static int stop_all(struct tracee *t, struct mu_error *err)
{
	for (;;) {
		int found = 0;

		for (enum place place = 0; place < PLACES && found == 0; place++)
			found = seize_new_threads(t, place);
		if (found < 0) {
			t->is_refused = errno == EPERM;
			return tracee_refusal_explain(t->pid, errno, err);
		}
		if (found == 0 && t->count > 0)
			return 0;
		if (await_all(t, err) < 0)
			return -1;
	}
}

bool tracee_is_permitted(const struct tracee *t, struct mu_error *err)
{
	bool is_held = !t->right;

	if (t->right && tracee_right_holds(t->right, t->pid)) {
		for (uint32_t i = 0; i < t->count && !is_held; i++)
			is_held = tracee_wait_is_held(t->thread[i].tid);
	}
	if (!is_held)
		mu_error_set(err, MU_ERROR_SYSTEM, 0, "it has ended or executes another program");
	return is_held;
}

/* It is, and has not ended: one that still closes a file, slowly, is not held yet. */
static bool is_copy_ours(pid_t copy)
{
	siginfo_t info = { .si_code = 0 };

	return waitid(P_PID, (id_t)copy, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0 &&
	       !tracee_wait_is_end(&info);
}

bool tracee_is_copy_permitted(const struct tracee *t)
{
	return !t->right || (tracee_right_holds(t->right, t->copy) && is_copy_ours(t->copy));
}

int tracee_stop(struct tracee *t, pid_t pid, const struct tracee_right *right,
		struct mu_error *err)
{
	struct tracee_seizure seizure;
	int result;

	*t = (struct tracee){ .pid = pid, .right = right };
	if (cgroup_is_frozen(pid))
		return mu_error_set(err, MU_ERROR_SYSTEM, 0,
				    "its control group is frozen, so it cannot make a step: thaw "
				    "it (cgroup.freeze, docker unpause)");
	tracee_parents_find(&t->parents, pid, 0);
	tracee_seize_begin(t, &seizure);
	result = stop_all(t, err);
	tracee_seize_end(&seizure);
	return result == 0 && tracee_is_permitted(t, err) ? 0 : -1;
}

bool tracee_let_on(struct tracee *t, pid_t tid)
{
	struct tracee_thread *thread = find_thread(t, tid);
	uint64_t end;

	if (!thread || thread->signal)
		return true;
	tracee_call_settle(t->pid, thread);
	ptrace(PTRACE_CONT, tid, NULL, NULL);
	for (end = clock_now(CLOCK_MONOTONIC) + EVENT_NS; clock_now(CLOCK_MONOTONIC) < end;)
		;
	ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	if (await_late_stop(t->pid, thread))
		return true;
	forget_thread(t, (size_t)(thread - t->thread));
	return false;
}

/* ---- registers -------------------------------------------------------------------------- */

void tracee_read_registers(struct tracee *t)
{
	for (uint32_t i = 0; i < t->count; i++)
		tracee_call_read_registers(&t->thread[i]);
}

void tracee_read_general(struct tracee *t)
{
	for (uint32_t i = 0; i < t->count; i++)
		tracee_call_read_general(&t->thread[i]);
}

void tracee_read_extended(struct tracee_thread *thread)
{
	tracee_call_read_registers(thread);
}

/* ---- going on --------------------------------------------------------------------------- */

static void end_thread_trace(struct tracee *t, struct tracee_thread *thread)
{
	if (thread->tid && !thread->is_running) {
		tracee_call_settle(t->pid, thread);
		if (thread->is_to_stop)
			syscall(SYS_tgkill, t->pid, thread->tid, SIGSTOP);
		/* Another thread's exec has killed it, and waits until it has been waited for. */
		if (ptrace(PTRACE_DETACH, thread->tid, NULL, (void *)(intptr_t)thread->signal) < 0)
			wait_for_thread(thread->tid);
		thread->is_traced = false;
		thread->is_to_stop = false;
	}
	thread->is_running = true;
}

void tracee_resume(struct tracee *t)
{
	if (t->count > 1)
		tracee_parents_find(&t->parents, t->pid, t->copy);
	for (int place = PLACES - 1; place >= 0; place--) {
		for (uint32_t i = 0; i < t->count; i++) {
			if ((int)place_of(t, t->thread[i].tid) == place)
				end_thread_trace(t, &t->thread[i]);
		}
	}
	for (uint32_t i = 0; i < t->count; i++) {
		if (is_stopping(&t->thread[i]) && await_late_stop(t->pid, &t->thread[i]))
			end_thread_trace(t, &t->thread[i]);
	}
	if (t->is_closing)
		tracee_call_close_go_on(t->copy, STOP_NS);
	t->is_closing = false;
}

void tracee_free(struct tracee *t)
{
	tracee_resume(t);
	for (uint32_t i = 0; i < t->count; i++)
		free(t->thread[i].extended);
	free(t->thread);
	free(t->worker);
	tracee_parents_free(&t->parents);
	*t = (struct tracee){ .pid = 0 };
}

/* ---- a copy ----------------------------------------------------------------------------- */

/* Returns the number of a thread that can make a call, or t->count. One that was about to get a
 * signal would lose what the signal says. It is stopped again later, alone: so it is not the first
 * of the process if there are others. */
static uint32_t find_caller(const struct tracee *t)
{
	uint32_t found = t->count;

	for (uint32_t i = 0; i < t->count; i++) {
		if (t->thread[i].signal || !t->thread[i].extended ||
		    !tracee_can_call(&t->thread[i]))
			continue;
		found = i;
		if (t->thread[i].tid != t->pid)
			break;
	}
	return found;
}

/* The copy is held by ptrace, and ends with us. */
static bool hold_copy(pid_t copy)
{
	const uint64_t end = clock_now(CLOCK_MONOTONIC) + LATE_NS;
	int status;

	do
		status = wait_for_thread(copy);
	while (status == -1 && is_alive(copy) && clock_now(CLOCK_MONOTONIC) < end);
	return status != -1 && WIFSTOPPED(status) &&
	       ptrace(PTRACE_SETOPTIONS, copy, NULL, (void *)PTRACE_O_EXITKILL) == 0;
}

static bool is_on_call_stack(const struct tracee_thread *thread, const struct mu_examined *e)
{
	return tracee_stack(thread) - e->stack < MU_EXAMINED_STACK;
}

/* An examiner that was killed may have left a thread on its way home, which leads over the memory
 * that the next call needs. Returns false if it does not come home. */
static bool clear_call_stack(struct tracee *t, const struct mu_examined *e)
{
	for (uint32_t i = 0; i < t->count; i++) {
		const pid_t tid = t->thread[i].tid;

		for (int turn = 0; is_on_call_stack(&t->thread[i], e); turn++) {
			if (turn == HOME_TURNS)
				return false;
			if (!tracee_let_on(t, tid))
				return clear_call_stack(t, e); /* the list is another */
			tracee_call_read_registers(&t->thread[i]);
		}
	}
	return true;
}

/* One that waits in the kernel, for a file system that does not answer, ends when that does. The ID
 * of one that was killed, and has been waited for, may be another process's by now. */
static void end_copy(pid_t copy)
{
	siginfo_t info;

	if (waitid(P_PID, (id_t)copy, &info,
		   WEXITED | WSTOPPED | WNOHANG | WNOWAIT | __WALL) < 0)
		return;
	kill(copy, SIGKILL);
	wait_for_thread(copy);
}

int tracee_copy(struct tracee *t, const struct mu_examined *e, struct mu_error *err)
{
	uint32_t i;
	long result;

	if (process_status_value(t->pid, "Seccomp:", 10, 0) != 0)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, "it has a seccomp filter");
	if (!e->clone || !e->stack || !clear_call_stack(t, e) ||
	    (i = find_caller(t)) == t->count)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, "no thread can make a copy");
	t->copier = i;
	result = tracee_call_clone(t, &t->thread[i], e, &t->copy);
	if (t->copy > 0 && hold_copy(t->copy))
		return 0;
	if (t->copy > 0) {
		end_copy(t->copy);
		tracee_call_reap(t, &t->thread[i], e);
	}
	t->copy = 0;
	errno = result < 0 ? (int)-result : EAGAIN;
	return mu_error_set(err, MU_ERROR_SYSTEM, 0, "%m");
}

void tracee_close_files(struct tracee *t, const struct mu_examined *e)
{
	if (t->copy <= 0)
		return;
	tracee_call_close_begin(t->copy, &t->thread[t->copier], e);
	t->is_closing = !tracee_call_close_go_on(t->copy, CLOSE_NS);
}

static bool stop_again(struct tracee *t, struct tracee_thread *thread)
{
	struct tracee_seizure seizure;
	bool is_seized;

	tracee_seize_begin(t, &seizure);
	is_seized = tracee_seize(thread->tid);
	tracee_seize_end(&seizure);
	if (!is_seized)
		return false;
	ptrace(PTRACE_INTERRUPT, thread->tid, NULL, NULL);
	thread->signal = 0;
	thread->is_traced = true;
	return await_late_stop(t->pid, thread);
}

/* Stops one thread, which is the only one that is traced: one without children if there is one.
 * Returns NULL if all have ended, or some are in calls that cannot be interrupted. */
static struct tracee_thread *stop_reaper(struct tracee *t)
{
	int late = 0;

	tracee_parents_find(&t->parents, t->pid, t->copy);
	for (int place = 0; place < PLACES; place++) {
		for (uint32_t i = 0; i < t->count; i++) {
			struct tracee_thread *thread = &t->thread[i];

			if ((int)place_of(t, thread->tid) != place)
				continue;
			if (stop_again(t, thread))
				return thread;
			if (thread->is_traced && ++late == LATE_REAPERS)
				return NULL;
		}
	}
	return NULL;
}

void tracee_drop_copy(struct tracee *t, const struct mu_examined *e)
{
	struct tracee_thread *thread;

	if (t->copy <= 0)
		return;
	end_copy(t->copy);
	thread = stop_reaper(t);
	if (thread) {
		tracee_call_read_registers(thread);
		if (!thread->signal && thread->extended && tracee_can_call(thread) &&
		    !is_on_call_stack(thread, e) &&
		    process_status_value(t->pid, "Seccomp:", 10, 0) == 0)
			tracee_call_reap(t, thread, e);
		end_thread_trace(t, thread);
	}
	t->copy = 0;
}
