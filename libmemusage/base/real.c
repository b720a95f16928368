/* real.c -- resolving the real functions, and the static area used until then.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/base/real.h"

#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/syscall.h>

#include "libmemusage/base/arch.h"
#include "libmemusage/base/lookup.h"
#include "libmemusage/base/sys.h"

#define EARLY_BYTES 65536
#define EARLY_ALIGN 64

/* Until the real functions are known. */
static struct {
	_Alignas(EARLY_ALIGN) unsigned char area[EARLY_BYTES];
	size_t used;
	bool resolving, resolved;
} early;

/* From the linker; NULL in a program that has no part. */
extern const struct real_part __start_real_parts[] __attribute__((weak, visibility("hidden")));
extern const struct real_part __stop_real_parts[] __attribute__((weak, visibility("hidden")));

/* The 16 bytes before a block hold its size. Nothing is freed: only a signal handler that
 * interrupts the resolving gets memory from here. */
static void *allocate_early(size_t size, size_t align)
{
	size_t header = align < 16 ? 16 : align;
	size_t need;

	if (__builtin_add_overflow(size, 2 * header, &need))
		return NULL;
	size_t old = __atomic_fetch_add(&early.used, need, __ATOMIC_RELAXED);
	unsigned char *start = early.area + old;
	if (old > EARLY_BYTES || need > EARLY_BYTES - old)
		return NULL;
	unsigned char *block =
		(unsigned char *)(((uintptr_t)start + 16 + header - 1) & -(uintptr_t)header);
	memcpy(block - 16, &size, sizeof(size));
	return block;
}

bool early_owns(const void *block)
{
	return (uintptr_t)block - (uintptr_t)early.area < EARLY_BYTES;
}

bool early_is_used(void)
{
	return __atomic_load_n(&early.used, __ATOMIC_RELAXED) != 0;
}

uint64_t early_range(uint64_t *size)
{
	size_t used = __atomic_load_n(&early.used, __ATOMIC_RELAXED);

	*size = used < EARLY_BYTES ? used : EARLY_BYTES;
	return (uint64_t)early.area;
}

size_t early_size(const void *block)
{
	size_t size;

	memcpy(&size, (const unsigned char *)block - 16, sizeof(size));
	return size;
}

/* The resolvers: each forwards when resolved, and serves from the static area when resolving
 * is under way. */

static void *initial_malloc(size_t size)
{
	real_resolve();
	return early.resolving ? allocate_early(size, 16) : real.malloc(size);
}

static void *initial_calloc(size_t count, size_t size)
{
	size_t bytes;

	real_resolve();
	if (!early.resolving)
		return real.calloc(count, size);
	return __builtin_mul_overflow(count, size, &bytes) ? NULL : allocate_early(bytes, 16);
}

static void *initial_realloc(void *block, size_t size)
{
	real_resolve();
	if (!early.resolving)
		return real.realloc(block, size);
	void *bigger = allocate_early(size, 16);
	if (bigger && block) {
		size_t old = early_owns(block) ? early_size(block) : 0;
		memcpy(bigger, block, old < size ? old : size);
	}
	return bigger;
}

static void initial_free(void *block)
{
	real_resolve();
	if (!early.resolving)
		real.free(block);
}

static void *initial_memalign(size_t align, size_t size)
{
	real_resolve();
	return early.resolving ? allocate_early(size, align) : real.memalign(align, size);
}

static int initial_posix_memalign(void **result, size_t align, size_t size)
{
	real_resolve();
	if (!early.resolving)
		return real.posix_memalign(result, align, size);
	*result = allocate_early(size, align);
	return *result ? 0 : ENOMEM;
}

static void *initial_aligned_alloc(size_t align, size_t size)
{
	real_resolve();
	return early.resolving ? allocate_early(size, align) : real.aligned_alloc(align, size);
}

static void *initial_valloc(size_t size)
{
	real_resolve();
	return early.resolving ? allocate_early(size, 4096) : real.valloc(size);
}

static void *initial_pvalloc(size_t size)
{
	real_resolve();
	return early.resolving ? allocate_early((size + 4095) & -4096UL, 4096) : real.pvalloc(size);
}

static long set_errno_from(long result)
{
	if (!sys_failed(result))
		return result;
	errno = (int)-result;
	return -1;
}

/* Until they are resolved, mappings are made by the kernel's own calls. */

static void *syscall_mmap(void *start, size_t length, int prot, int flags, int fd, off_t offset)
{
	return (void *)set_errno_from(
		PROGRAM_SYS6(SYS_mmap, start, length, prot, flags, fd, offset));
}

static void *syscall_mremap(void *old, size_t old_size, size_t new_size, int flags, void *start)
{
	return (void *)set_errno_from(
		PROGRAM_SYS5(SYS_mremap, old, old_size, new_size, flags, start));
}

static int syscall_munmap(void *start, size_t length)
{
	return (int)set_errno_from(PROGRAM_SYS2(SYS_munmap, start, length));
}

static int syscall_mlockall(int flags)
{
	return (int)set_errno_from(PROGRAM_SYS1(SYS_mlockall, flags));
}

static int initial_brk(void *end)
{
	real_resolve();
	if (!early.resolving)
		return real.brk(end);
	errno = ENOMEM;
	return -1;
}

static void *initial_sbrk(intptr_t change)
{
	real_resolve();
	if (!early.resolving)
		return real.sbrk(change);
	errno = ENOMEM;
	return (void *)-1;
}

static void *syscall_shmat(int id, const void *start, int flags)
{
	return (void *)set_errno_from(PROGRAM_SYS3(SYS_shmat, id, start, flags));
}

static int syscall_shmdt(const void *start)
{
	return (int)set_errno_from(PROGRAM_SYS1(SYS_shmdt, start));
}

static int syscall_prctl(int option, unsigned long a, unsigned long b, unsigned long c,
			 unsigned long d)
{
	return (int)set_errno_from(PROGRAM_SYS5(SYS_prctl, option, a, b, c, d));
}

static long initial_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	real_resolve();
	if (!early.resolving)
		return real.syscall(number, a, b, c, d, e, f);
	return set_errno_from(sys_call_always(number, a, b, c, d, e, f));
}

/* Only for the calling thread; but before the first event there is no other. */
static int syscall_setuid(uid_t user)
{
	return (int)set_errno_from(PROGRAM_SYS1(SYS_setuid, user));
}

static int syscall_setreuid(uid_t real_user, uid_t effective)
{
	return (int)set_errno_from(PROGRAM_SYS2(SYS_setreuid, real_user, effective));
}

static int syscall_setresuid(uid_t real_user, uid_t effective, uid_t saved)
{
	return (int)set_errno_from(PROGRAM_SYS3(SYS_setresuid, real_user, effective, saved));
}

static int syscall_sigaltstack(const stack_t *now, stack_t *old)
{
	return (int)set_errno_from(PROGRAM_SYS2(SYS_sigaltstack, now, old));
}

static int syscall_setrlimit(int resource, const struct rlimit *limit)
{
	return (int)set_errno_from(PROGRAM_SYS4(SYS_prlimit64, 0, resource, limit, NULL));
}

static int syscall_prlimit(pid_t pid, int resource, const struct rlimit *limit, struct rlimit *old)
{
	return (int)set_errno_from(PROGRAM_SYS4(SYS_prlimit64, pid, resource, limit, old));
}

static int syscall_setitimer(int which, const struct itimerval *now, struct itimerval *old)
{
	return (int)set_errno_from(PROGRAM_SYS3(SYS_setitimer, which, now, old));
}

static pid_t initial_fork(void)
{
	real_resolve();
	if (!early.resolving)
		return real.fork();
	errno = EAGAIN;
	return -1;
}

/* Where the real functions are stored. */
static const struct real_name {
	uint16_t offset; /* in struct real */
	char name[30];
} names[] = {
#define NAME(function) { offsetof(struct real, function), #function }
	NAME(malloc), NAME(calloc), NAME(realloc), NAME(free), NAME(memalign),
	NAME(posix_memalign), NAME(aligned_alloc), NAME(valloc), NAME(pvalloc),
	NAME(free_sized), NAME(free_aligned_sized), NAME(mmap), NAME(mremap), NAME(munmap),
	NAME(mlockall), NAME(brk), NAME(sbrk), NAME(shmat), NAME(shmdt), NAME(fork),
	NAME(_Fork),
	{ offsetof(struct real, register_atfork), "__register_atfork" }, NAME(sigaction),
	NAME(sigwait), NAME(sigwaitinfo), NAME(sigtimedwait), NAME(sigpending),
	NAME(signalfd), NAME(sigaltstack), NAME(syscall), NAME(prctl), NAME(setuid),
	NAME(setreuid),
	NAME(setresuid), NAME(setrlimit), NAME(prlimit), NAME(setitimer),
	/* Before glibc 2.34 these are in libraries of their own, which may be loaded later. */
	NAME(pthread_attr_getstacksize), NAME(pthread_create), NAME(dlopen), NAME(dlmopen),
	NAME(dlclose),
#undef NAME
};
#define NAMES (sizeof(names) / sizeof(names[0]))
#define LATE_NAMES 5u /* the last ones */

static void find_names(struct real *to, size_t first)
{
	for (size_t i = first; i < NAMES; i++)
		real_find((uint8_t *)to + names[i].offset, names[i].name);
}

/* Called under ld.so's lock for its list. */
static int resolve_late_names(struct dl_phdr_info *first, size_t size, void *argument)
{
	(void)first, (void)size, (void)argument;
	find_names(&real, NAMES - LATE_NAMES);
	return 1;
}

void real_resolve_late(void)
{
	if (!early.resolving)
		dl_iterate_phdr(resolve_late_names, NULL);
}

static int initial_register_atfork(void (*prepare)(void), void (*parent)(void),
				   void (*child)(void), void *dso)
{
	real_resolve();
	return early.resolving ? ENOMEM : real.register_atfork(prepare, parent, child, dso);
}

static int initial_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
				  void *(*start)(void *), void *argument)
{
	real_resolve();
	if (real.pthread_create == initial_pthread_create)
		real_resolve_late();
	if (real.pthread_create == initial_pthread_create)
		return EAGAIN;
	return real.pthread_create(thread, attr, start, argument);
}

static int initial_sigaction(int number, const struct sigaction *now, struct sigaction *old)
{
	real_resolve();
	if (!early.resolving)
		return real.sigaction(number, now, old);
	errno = EINVAL;
	return -1;
}

static void *initial_dlopen(const char *file, int mode)
{
	real_resolve();
	if (real.dlopen == initial_dlopen)
		real_resolve_late();
	return real.dlopen == initial_dlopen ? NULL : real.dlopen(file, mode);
}

static void *initial_dlmopen(long space, const char *file, int mode)
{
	real_resolve();
	if (real.dlmopen == initial_dlmopen)
		real_resolve_late();
	return real.dlmopen == initial_dlmopen ? NULL : real.dlmopen(space, file, mode);
}

static int initial_dlclose(void *handle)
{
	real_resolve();
	if (real.dlclose == initial_dlclose)
		real_resolve_late();
	return real.dlclose == initial_dlclose ? -1 : real.dlclose(handle);
}

struct real real = {
	.malloc = initial_malloc,
	.calloc = initial_calloc,
	.realloc = initial_realloc,
	.free = initial_free,
	.memalign = initial_memalign,
	.posix_memalign = initial_posix_memalign,
	.aligned_alloc = initial_aligned_alloc,
	.valloc = initial_valloc,
	.pvalloc = initial_pvalloc,
	.mmap = syscall_mmap,
	.mremap = syscall_mremap,
	.munmap = syscall_munmap,
	.mlockall = syscall_mlockall,
	.brk = initial_brk,
	.sbrk = initial_sbrk,
	.shmat = syscall_shmat,
	.shmdt = syscall_shmdt,
	.fork = initial_fork,
	.register_atfork = initial_register_atfork,
	.pthread_create = initial_pthread_create,
	.sigaction = initial_sigaction,
	.sigaltstack = syscall_sigaltstack,
	.syscall = initial_syscall,
	.prctl = syscall_prctl,
	.setuid = syscall_setuid,
	.setreuid = syscall_setreuid,
	.setresuid = syscall_setresuid,
	.setrlimit = syscall_setrlimit,
	.prlimit = syscall_prlimit,
	.setitimer = syscall_setitimer,
	.dlopen = initial_dlopen,
	.dlmopen = initial_dlmopen,
	.dlclose = initial_dlclose,
};

void real_find(void *place, const char *name)
{
	void *found = lookup_next(name);

	if (found)
		memcpy(place, &found, sizeof(found));
}

void real_redirect(uint64_t from, uint64_t to)
{
	for (size_t i = 0; i < NAMES; i++) {
		uint8_t *place = (uint8_t *)&real + names[i].offset;

		if (!memcmp(place, &from, sizeof(from)))
			memcpy(place, &to, sizeof(to));
	}
	for (const struct real_part *part = __start_real_parts; part < __stop_real_parts; part++)
		if (part->redirect)
			part->redirect(from, to);
}

/* Resolved into a copy and published together: no thread sees half a set. Threads cannot exist
 * before the first allocation. */
void real_resolve(void)
{
	struct real next = real;

	if (early.resolved || __atomic_exchange_n(&early.resolving, true, __ATOMIC_ACQUIRE))
		return;
	int saved = errno;
	find_names(&next, 0);
	for (const struct real_part *part = __start_real_parts; part < __stop_real_parts; part++)
		part->resolve();
	real = next;
	early.resolved = true;
	__atomic_store_n(&early.resolving, false, __ATOMIC_RELEASE);
	errno = saved;
}
