/* real.h -- the functions behind the ones that we interpose, and memory before they exist.
 *
 * Each pointer is a resolver at first, so that no caller has to test whether it is ready: the first
 * call of any resolves them all (lookup.h: without allocating). Requests that come meanwhile, from
 * a signal handler, get memory from a small static area. Its blocks are recognised by address,
 * never given to the real allocator, and never reused.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/types.h>
#include <time.h>

#include "libmemusage/base/export.h"

struct real {
	long (*syscall)(long, long, long, long, long, long, long); /* first: syscall_entry.S */
	void *(*malloc)(size_t);
	void *(*calloc)(size_t, size_t);
	void *(*realloc)(void *, size_t);
	void (*free)(void *);
	void *(*memalign)(size_t, size_t);
	int (*posix_memalign)(void **, size_t, size_t);
	void *(*aligned_alloc)(size_t, size_t);
	void *(*valloc)(size_t);
	void *(*pvalloc)(size_t);
	void (*free_sized)(void *, size_t);		   /* NULL if libc has none (C23) */
	void (*free_aligned_sized)(void *, size_t, size_t); /* likewise */
	void *(*mmap)(void *, size_t, int, int, int, off_t);
	void *(*mremap)(void *, size_t, size_t, int, void *);
	int (*munmap)(void *, size_t);
	int (*mlockall)(int);
	int (*brk)(void *);
	void *(*sbrk)(intptr_t);
	void *(*shmat)(int, const void *, int);
	int (*shmdt)(const void *);
	pid_t (*fork)(void);
	pid_t (*_Fork)(void); /* NULL before glibc 2.34 */
	int (*register_atfork)(void (*)(void), void (*)(void), void (*)(void), void *);
	int (*pthread_create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	/* NULL before glibc 2.34 in a process without libpthread */
	int (*pthread_attr_getstacksize)(const pthread_attr_t *, size_t *);
	int (*sigaction)(int, const struct sigaction *, struct sigaction *);
	int (*sigaltstack)(const stack_t *, stack_t *);
	int (*sigwait)(const sigset_t *, int *);
	int (*sigwaitinfo)(const sigset_t *, siginfo_t *);
	int (*sigtimedwait)(const sigset_t *, siginfo_t *, const struct timespec *);
	int (*sigpending)(sigset_t *);
	int (*signalfd)(int, const sigset_t *, int);
	int (*prctl)(int, unsigned long, unsigned long, unsigned long, unsigned long);
	int (*setuid)(uid_t);
	int (*setreuid)(uid_t, uid_t);
	int (*setresuid)(uid_t, uid_t, uid_t);
	int (*setrlimit)(int, const struct rlimit *);
	int (*prlimit)(pid_t, int, const struct rlimit *, struct rlimit *);
	int (*setitimer)(int, const struct itimerval *, struct itimerval *);
	void *(*dlopen)(const char *, int);
	void *(*dlmopen)(long, const char *, int);
	int (*dlclose)(void *);
};

extern HIDDEN struct real real;

/* real_resolve -- find all real functions. Idempotent; a recursive call returns at once. */
void real_resolve(void);

/* real_resolve_late -- find what came with libpthread and libdl, which are libraries of their own
 * before glibc 2.34, and may be loaded after the others were resolved. */
void real_resolve_late(void);

/* The real functions that one module of interpose/ keeps itself. REAL_PART enters it in a section
 * of the library, where real_resolve() and real_redirect() find it. */
struct real_part {
	void (*resolve)(void);			  /* calls real_find() */
	void (*redirect)(uint64_t from, uint64_t to); /* as real_redirect(); NULL: never needed */
};

#define REAL_PART static const struct real_part real_part \
	__attribute__((used, section("real_parts")))

/* real_find -- store the address of the next function of that name in search order.
 *
 * place  of a function pointer; left alone if there is no such function.
 * Only while real_resolve() runs.
 */
void real_find(void *place, const char *name);

/* real_redirect -- call `to` wherever `from` would be called.
 *
 * For a real function that is intercepted, too: else a call counts twice. One thread at a time.
 */
void real_redirect(uint64_t from, uint64_t to);

/* early_owns -- return whether a block is in the static area. Async-signal-safe, 1 ns. */
bool early_owns(const void *block);

/* early_is_used -- return whether there is any such block. */
bool early_is_used(void);

/* early_range -- return where the part of the static area begins that has blocks; set its size. */
uint64_t early_range(uint64_t *size);

/* early_size -- return the bytes that were requested for a block of the static area. */
size_t early_size(const void *block);
