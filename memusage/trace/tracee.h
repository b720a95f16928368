/* tracee.h -- Stops the threads of a process from outside, and copies the process.
 *
 * The process notices nothing: no signal is sent to it, no function of it is called, and a system
 * call that a stop ends with EINTR is made again. If this process is killed at any moment, each
 * thread goes on where it was, and the copy ends.
 *
 * Source  ptrace(2); measured on Linux 6.18: docs/design.md, "Snapshots of memory".
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "memusage/trace/tracee_parents.h"
#include "memusage/trace/tracee_right.h"
#include "profile/base/error.h"
#include "recording/examined.h"

#if defined(__x86_64__) || defined(__aarch64__)
#include <sys/user.h>
#else
struct user_regs_struct {
	unsigned long long rax;
};
#endif

/* General registers that can hold pointers: all but those for control. */
enum { TRACEE_REGISTERS = 15 };

struct tracee_thread {
	pid_t tid;
	struct user_regs_struct regs;
	uint64_t *extended;	/* its vector and other registers, as XSAVE stores them */
	size_t extended_words;
	int signal;		/* that it was about to get when it was stopped, 0 none */
	bool is_in_call;	/* it was stopped in a system call */
	bool is_running;	/* it was let go for a moment; private, as the next ones */
	bool is_traced;		/* it is ours until it is let go for good */
	bool is_to_stop;	/* SIGSTOP came while it made a call for us */
	bool is_restarted;	/* it will make a call again that the stop has ended ... */
	uint64_t call;		/* ... of this number */
};

struct tracee {
	pid_t pid;
	const struct tracee_right *right; /* of tracee_stop() */
	struct tracee_thread *thread;
	uint32_t count, room;
	pid_t *worker; /* threads in which the kernel works for the process: io_uring(7) */
	uint32_t workers, worker_room;
	struct tracee_parents parents; /* found when they were looked for last */
	bool is_refused;	/* the kernel did not let us trace a thread: another may trace it */
	bool is_closing;	/* the copy still closes its files */
	pid_t copy;		/* of tracee_copy(), 0 none */
	size_t copier;		/* the thread that made it */
};

/* tracee_stop -- Stops all threads, also those that begin meanwhile.
 *
 * Those in which the kernel works are left alone: they run no code of the process.
 *
 * right  what must hold of the process then, and when it is stopped again, else it is left alone;
 *        NULL: the kernel lets us trace it. It is kept.
 * Returns 0, or -1 with ERR; call tracee_resume() or tracee_free() in either case. Costs 0.1 ms,
 * and 20 us a thread.
 */
int tracee_stop(struct tracee *t, pid_t pid, const struct tracee_right *right,
		struct mu_error *err);

/* tracee_is_permitted -- Tells whether the process is held, and its right holds: then it is the one
 * that was stopped: one that executes a program loses what we hold of it, or the memory.
 *
 * Returns true, or false with ERR. Without a right it always is.
 */
bool tracee_is_permitted(const struct tracee *t, struct mu_error *err);

/* tracee_is_copy_permitted -- Tells the same of the copy. */
bool tracee_is_copy_permitted(const struct tracee *t);

/* tracee_let_on -- Lets a thread run for about as long as one event takes, and stops it again.
 *
 * tid  in our PID namespace; one that is not known is not waited for.
 * Returns false if it has ended.
 */
bool tracee_let_on(struct tracee *t, pid_t tid);

/* tracee_read_registers -- Reads the registers of all threads. */
void tracee_read_registers(struct tracee *t);

/* tracee_read_general -- The same but for the extended registers. */
void tracee_read_general(struct tracee *t);

/* tracee_read_extended -- Reads all registers of one thread, which is stopped. */
void tracee_read_extended(struct tracee_thread *thread);

/* tracee_can_call -- Tells whether a stopped thread can make a system call for us.
 *
 * thread  its general registers have been read.
 * Returns true if it runs 64-bit code, none of its calls are dispatched to the program
 * (prctl(2), PR_SET_SYSCALL_USER_DISPATCH), no shadow stack protects its return addresses
 * (arch_prctl(2), ARCH_SHSTK_ENABLE), and it is in no restartable sequence (rseq(2)).
 * Cost three system calls.
 */
bool tracee_can_call(const struct tracee_thread *thread);

/* tracee_pointers -- Copies the general registers of a thread that can hold pointers. */
void tracee_pointers(const struct tracee_thread *thread, uint64_t word[TRACEE_REGISTERS]);

/* tracee_abi_number -- Returns the ABI's number of register I < TRACEE_REGISTERS of those. */
unsigned int tracee_abi_number(unsigned int i);

/* tracee_stack, tracee_base, tracee_code -- Return the stack pointer of a thread, the base of its
 * TLS, and the address of what it runs next. */
uint64_t tracee_stack(const struct tracee_thread *thread);
uint64_t tracee_code(const struct tracee_thread *thread);
uint64_t tracee_base(const struct tracee_thread *thread);

/* tracee_copy -- Makes a copy of the stopped process by a clone() in one of its threads.
 *
 * e  of the process's image. The copy shares no page that is written later, and never runs. Its
 *    parent gets no SIGCHLD, and finds it only by wait() with __WALL.
 * Returns 0 with t->copy, or -1 with ERR: the process has a seccomp filter, or no memory.
 * Cost 130 ns for each resident page.
 */
int tracee_copy(struct tracee *t, const struct mu_examined *e, struct mu_error *err);

/* tracee_resume -- Lets all threads continue. The registers that were read stay. */
void tracee_resume(struct tracee *t);

/* tracee_close_files -- Closes the descriptors of the copy. Call it before tracee_resume(): a file
 * that the process closes would stay open, with its locks, and a reader of its pipes would wait. */
void tracee_close_files(struct tracee *t, const struct mu_examined *e);

/* tracee_drop_copy -- Ends the copy, and has the process reap it. After tracee_resume(). */
void tracee_drop_copy(struct tracee *t, const struct mu_examined *e);

/* tracee_free -- Releases everything, and resumes what is stopped. Accepts a zeroed struct. */
void tracee_free(struct tracee *t);
