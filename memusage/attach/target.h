/* target.h -- A process that memusage attaches to: its memory, threads and mappings.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "memusage/examine/address_space.h"
#include "memusage/trace/tracee.h"
#include "profile/base/error.h"
#include "recording/attach.h"

enum target_result {
	TARGET_OK,
	TARGET_BUSY,	  /* it cannot be now: once more a little later */
	TARGET_OWN_STACK, /* likewise, but it may stay so: borrow_begin() */
	TARGET_REFUSED	  /* it cannot be */
};

struct target {
	pid_t pid;
	pid_t view; /* a thread that lives, by which /proc is read: the first may have ended */
	int memory; /* descriptor of /proc/PID/mem */
	struct tracee tracee;	     /* while it is stopped */
	struct address_space maps;   /* as they were when target_read_maps() was called */
	uint64_t auxv[2 * MU_ATTACH_WORDS];
	uint64_t debug;	   /* address of ld.so's struct r_debug */
	uint64_t gadget;   /* of code: syscall; ret */
	uint64_t restorer; /* of what a signal handler returns to */
	bool has_contexts; /* of code that no thread runs: target_find_contexts() */
};

/* target_open -- Opens a process that runs on.
 *
 * Returns 0; or -1 with ERR and errno, ESRCH if it has ended or is just ending. Call
 * target_close() in either case.
 */
int target_open(struct target *t, pid_t pid, struct mu_error *err);

/* target_close -- Releases everything, and resumes what is stopped. Accepts a zeroed struct. */
void target_close(struct target *t);

/* target_read, target_write -- Copy memory, also to mappings that it may not write to itself.
 *
 * Return false if not all of it is there.
 */
bool target_read(const struct target *t, uint64_t address, void *to, size_t size);
bool target_write(const struct target *t, uint64_t address, const void *from, size_t size);

/* target_read_maps -- Reads the list of mappings again. Returns 0, or -1 with ERR. */
int target_read_maps(struct target *t, struct mu_error *err);

/* target_find_code -- Finds ld.so's list and the code of libc that a thread can be borrowed with.
 *
 * Needs the mappings. Returns 0, or -1 with ERR: the reason why there are none.
 */
int target_find_code(struct target *t, struct mu_error *err);

/* target_has_thread_ids -- Tells whether its C library notes the ID of each thread.
 *
 * Until glibc 2.33 libpthread does that, which a program may lack: the ID is 0 there
 * (nptl/nptl-init.c). Needs the mappings.
 */
bool target_has_thread_ids(const struct target *t);

/* target_find_contexts -- Finds out whether a loaded object but libc calls swapcontext() or
 * setcontext(), by which a signal handler can leave what it has interrupted.
 *
 * After target_find_code(), while the process runs. Code of the program's own that switches
 * stacks is not known.
 */
void target_find_contexts(struct target *t);

/* target_program_names -- Tells whether the executable exports or needs a symbol NAME.
 *
 * A symbol whose name ends with NAME counts as well.
 */
bool target_program_names(const struct target *t, const char *name);

/* target_is_linking -- Tells whether ld.so is changing its list. */
bool target_is_linking(const struct target *t);

/* target_has_executed -- Tells whether a stopped thread executes another program than when T was
 * opened: one of other rights, or at other addresses. Cost one file of /proc. */
bool target_has_executed(const struct target *t, pid_t tid);

/* target_auxv -- Returns an entry of the process's auxiliary vector, 0 if there is none. */
uint64_t target_auxv(const struct target *t, uint64_t type);

/* target_stop -- Stops all threads and reads their registers.
 *
 * ptrace() works for one process: only the one that has called this may continue with the target,
 * and its end releases all threads.
 */
enum target_result target_stop(struct target *t, struct mu_error *err);


/* target_shares_memory -- Returns another process that has the same memory, as between vfork() and
 * exec; 0 if there is none. */
pid_t target_shares_memory(const struct target *t);
