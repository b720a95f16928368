/* arena.c -- The shared memory that a process tree records into.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/record/arena.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/rank.h"
#include "cli/xmalloc.h"
#include "memusage/common/clock.h"
#include "memusage/common/process.h"
#include "memusage/record/durable.h"
#include "recording/accesses.h"

#define WHOLE_SIZE (UINT64_C(1) << 40)
#define EMULATED_SIZE (UINT64_C(8) << 30)
#define SLOT_SHARE 512u		     /* slots in WHOLE_SIZE, nearly */
#define LIMITED_SHARE 16u	     /* likewise under an address space limit */
#define SLOT_SIZE_MIN (UINT64_C(16) << 20)
#define SIZE_MIN (UINT64_C(2) << 20) /* the minimum for a useful recording */

static uint64_t page_up(uint64_t bytes)
{
	return (bytes + MU_PAGE - 1) & ~(uint64_t)(MU_PAGE - 1);
}

/* A program under RLIMIT_AS has to map all of the arena besides its own memory. */
static uint64_t wanted_size(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_AS, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY ||
	    limit.rlim_cur / 4 > WHOLE_SIZE)
		return WHOLE_SIZE;
	return page_up(limit.rlim_cur / 4);
}

/* A small arena gets few slots, a large one hundreds. A slot bounds the memory of one process. */
static void lay_out_slots(struct mu_segment *h, uint64_t size)
{
	uint64_t share = size / (size < WHOLE_SIZE ? LIMITED_SHARE : SLOT_SHARE);
	uint64_t rest;

	h->size = size;
	h->slot_table = MU_PAGE;
	h->slots = MU_PAGE + page_up(SLOT_SHARE * sizeof(struct mu_slot));
	rest = size - h->slots;
	h->slot_size = page_up(share < SLOT_SIZE_MIN ? SLOT_SIZE_MIN : share);
	if (h->slot_size > rest)
		h->slot_size = rest;
	h->slot_count = (uint32_t)(rest / h->slot_size);
}

static void *map_shared(int fd, uint64_t size)
{
	void *base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);

	if (base != MAP_FAILED)
		madvise(base, size, MADV_DONTDUMP);
	return base;
}

/* Makes at most *SIZE bytes, halving the size until the system agrees. */
static void *make_memory(int fd, uint64_t *size)
{
	void *base = MAP_FAILED;

	uint64_t wanted = wanted_size();

	if (wanted < *size)
		*size = wanted;
	for (; *size >= SIZE_MIN; *size = page_up(*size / 2)) {
		if (ftruncate(fd, (off_t)*size) == 0)
			base = map_shared(fd, *size);
		if (base != MAP_FAILED)
			return base;
	}
	return base;
}

/* RLIMIT_FSIZE bounds a memfd like a file on a disk, so it is raised meanwhile.
 * SIGXFSZ is ignored, since it would kill us. */
static void *make_unlimited(int fd, uint64_t *size)
{
	const struct rlimit infinite = { RLIM_INFINITY, RLIM_INFINITY };
	struct sigaction ignore = { .sa_handler = SIG_IGN }, old;
	struct rlimit limit, soft;
	void *base;

	if (getrlimit(RLIMIT_FSIZE, &limit) < 0 || limit.rlim_cur >= WHOLE_SIZE)
		return make_memory(fd, size);
	soft = (struct rlimit){ limit.rlim_max, limit.rlim_max };
	sigaction(SIGXFSZ, &ignore, &old);
	if (setrlimit(RLIMIT_FSIZE, &infinite) < 0)
		setrlimit(RLIMIT_FSIZE, &soft);
	base = make_memory(fd, size);
	setrlimit(RLIMIT_FSIZE, &limit);
	sigaction(SIGXFSZ, &old, NULL);
	return base;
}

/* Tells the processes of a parallel program apart. */
static void note_machine(struct mu_segment *h)
{
	const int rank = rank_find(getenv);
	char host[RANK_HOST_LENGTH];

	h->rank = rank == RANK_NONE ? 0 : (uint32_t)rank + 1;
	rank_host(host);
	memcpy(h->host, host, strnlen(host, sizeof(h->host)));
}

static void fill_header(struct mu_segment *h, const struct mu_config *config)
{
	h->version = mu_version(config->flags);
	h->header_size = sizeof(*h);
	h->kind = MU_KIND_TREE;
	h->features = (UINT64_C(1) << MU_SEC_COUNT) - 1;
	h->config = *config;
	h->start_mono_ns = clock_now(CLOCK_MONOTONIC);
	h->start_real_ns = clock_now(CLOCK_REALTIME);
	note_machine(h);
	h->start_tsc = clock_tsc();
	h->magic = MU_SEGMENT_MAGIC;
}

/* The kernel treats the memory as a file, which the user would not expect. */
static void explain_failure(struct mu_error *err)
{
	struct rlimit limit = { .rlim_max = 0 };

	if (errno == EFBIG && getrlimit(RLIMIT_FSIZE, &limit) == 0)
		mu_error_set(err, MU_ERROR_SYSTEM, 0,
			     "the file size limit is %llu KiB (ulimit -H -f), and %llu KiB are "
			     "needed",
			     (unsigned long long)limit.rlim_max / 1024,
			     (unsigned long long)SIZE_MIN / 1024);
	else
		mu_error_set(err, MU_ERROR_SYSTEM, 0, "%m%s",
			     errno == ENOMEM ? ": the address space limit is too small; raise it "
					       "(ulimit -v)" :
					       "");
}

/* Without this, a process made by a raw clone() would record into its parent's slot. */
static bool is_wiped_on_fork(void)
{
	void *page = mmap(NULL, MU_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			  0);
	bool can = page != MAP_FAILED && !madvise(page, MU_PAGE, MADV_WIPEONFORK);
	int saved = errno;

	if (page != MAP_FAILED)
		munmap(page, MU_PAGE);
	errno = saved;
	return can;
}

static int check_kernel(struct mu_error *err)
{
	if (is_wiped_on_fork())
		return 0;
	return mu_error_set(err, MU_ERROR_SYSTEM, 0,
			    "MADV_WIPEONFORK: %m: Linux 4.14 or later is needed to keep processes "
			    "apart");
}

/* The emulator keeps a record of each page that is mapped, used or not. */
static uint64_t largest_size(const struct mu_config *config)
{
	return config->access_engine == MU_ENGINE_EMULATE ? EMULATED_SIZE : WHOLE_SIZE;
}

static int map_arena(struct arena *a, uint64_t *size, struct mu_error *err)
{
	void *base = make_unlimited(a->fd, size);

	if (base == MAP_FAILED) {
		explain_failure(err);
		return -1;
	}
	a->shared = (struct mu_segment *)base;
	return 0;
}

static int begin_arena(struct arena *a, const struct mu_config *config, uint64_t size,
		       struct mu_error *err)
{
	lay_out_slots(a->shared, size);
	fill_header(a->shared, config);
	a->slot = (struct mu_slot *)((uint8_t *)a->shared + a->shared->slot_table);
	if (segment_view(&a->view, a->shared, size, err) < 0)
		return -1;
	return segment_watch(&a->view, a->fd, err);
}

int arena_create(struct arena *a, const struct mu_config *config, struct mu_error *err)
{
	int fd;

	*a = (struct arena){ .fd = -1, .ledger.fd = -1 };
	if (check_kernel(err) < 0)
		return -1;
	fd = memfd_create("memusage", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, "memfd_create: %m");
	return arena_create_in(a, fd, config, err);
}

int arena_create_in(struct arena *a, int fd, const struct mu_config *config, struct mu_error *err)
{
	uint64_t size = largest_size(config);

	*a = (struct arena){ .fd = fd, .ledger.fd = -1 };
	if (map_arena(a, &size, err) < 0) {
		arena_close(a);
		return -1;
	}
	/* A program must not be able to kill the collector by truncating the memory. */
	if (fcntl(a->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, "F_ADD_SEALS: %m");
	return begin_arena(a, config, size, err);
}

int arena_adopt(struct arena *a, int fd, struct mu_error *err)
{
	struct stat st;

	*a = (struct arena){ .fd = fd, .ledger.fd = -1 };
	if (fstat(fd, &st) < 0)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, "%m");
	a->shared = map_shared(fd, (uint64_t)st.st_size);
	if (a->shared == MAP_FAILED) {
		a->shared = NULL;
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, "%m");
	}
	if (segment_view(&a->view, a->shared, (uint64_t)st.st_size, err) < 0)
		return -1;
	a->slot = (struct mu_slot *)((uint8_t *)a->shared + a->view.head.slot_table);
	return segment_watch(&a->view, fd, err);
}

/* ---- in a file ---------------------------------------------------------------------------- */

/* Leaves room for the ledger behind the segment, less in a small file. Returns the slots that have
 * entries. */
static uint32_t split_file(uint64_t *size, uint64_t whole)
{
	uint32_t slots = *size >= whole ? SLOT_SHARE : LIMITED_SHARE;

	if (*size / 8 < ledger_bytes(slots))
		slots = 0;
	*size -= page_up(ledger_bytes(slots));
	return slots;
}

/* A mapping behind the segment is not needed: the ledger is written by system calls, which
 * fail if the disk is full. */
static int map_file(struct arena *a, const struct mu_config *config, struct mu_error *err)
{
	const uint64_t wanted = largest_size(config);
	uint64_t whole = wanted + page_up(ledger_bytes(SLOT_SHARE)), size = whole;
	struct mu_segment geometry = { .size = 0 };
	uint64_t mapped;

	if (map_arena(a, &size, err) < 0)
		return -1;
	mapped = size;
	a->ledger.slot_count = split_file(&size, whole);
	a->ledger.start = size;
	munmap((char *)a->shared + size, mapped - size);
	a->view.size = size;
	lay_out_slots(&geometry, size);
	/* Else the first write to a full disk would kill memusage. */
	if (durable_reserve(a->fd, geometry.slots, err) < 0)
		return -1;
	return begin_arena(a, config, size, err);
}

/* Some file systems show another inode in /proc, by which processes with the arena are found. */
static int check_mapping(const struct arena *a, struct mu_error *err)
{
	if (process_maps(getpid(), a->fd) == PROCESS_HAS_MAPPED)
		return 0;
	return mu_error_set(err, MU_ERROR_FORMAT, 0,
			    "its file system does not show in /proc which process has mapped it");
}

int arena_create_file(struct arena *a, const struct mu_config *config, const char *name,
		      struct mu_error *err)
{
	bool is_named = false;

	*a = (struct arena){ .fd = -1, .ledger.fd = -1 };
	if (check_kernel(err) < 0)
		return -1;
	a->fd = durable_create(name, &is_named, err);
	if (a->fd < 0)
		return -1;
	a->name = xstrdup(name);
	if (map_file(a, config, err) == 0 && durable_publish(a->fd, name, is_named, err) == 0) {
		is_named = true;
		a->ledger.fd = a->fd;
		if (check_mapping(a, err) == 0)
			return 0;
	}
	if (is_named)
		unlink(name);
	arena_close(a);
	return -1;
}

bool arena_rename(struct arena *a, const char *to)
{
	if (rename(a->name, to) < 0)
		return false;
	free(a->name);
	a->name = xstrdup(to);
	return true;
}

void arena_remove(struct arena *a)
{
	if (a->name)
		unlink(a->name);
	free(a->name);
	a->name = NULL;
}

void arena_close(struct arena *a)
{
	if (a->fd >= 0)
		close(a->fd);
	if (a->shared)
		munmap(a->shared, a->view.size);
	segment_unwatch(&a->view);
	free(a->name);
	*a = (struct arena){ .fd = -1, .ledger.fd = -1 };
}

void arena_discard(struct arena *a)
{
	arena_remove(a);
	arena_close(a);
}

void arena_leave_header(struct arena *a)
{
	if (a->shared)
		munmap((char *)a->shared + MU_PAGE, a->view.size - MU_PAGE);
	segment_unwatch(&a->view);
	if (a->fd >= 0)
		close(a->fd);
	a->fd = -1;
}

enum mu_slot_state arena_state(const struct arena *a, uint32_t k)
{
	return __atomic_load_n(&a->slot[k].state, __ATOMIC_ACQUIRE);
}

bool arena_image(const struct arena *a, uint32_t k, struct image *im)
{
	return segment_image(&a->view, k, im, NULL) == 0;
}

int arena_claim(struct arena *a)
{
	for (uint32_t k = 0; k < a->view.head.slot_count; k++) {
		struct mu_slot *slot = &a->slot[k];
		uint32_t expected = MU_SLOT_FREE;

		if (!__atomic_compare_exchange_n(&slot->state, &expected, MU_SLOT_CLAIMED, false,
						 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			continue;
		slot->pid = 0;
		slot->parent_slot = 0;
		slot->claimed_by = (uint32_t)getpid();
		slot->claimed_ns = clock_now(CLOCK_BOOTTIME);
		return (int)k;
	}
	return -1;
}

/* An image of a small program. */
#define SMALL_IMAGE (UINT64_C(1) << 20)

static bool is_small_file(const struct arena *a, uint64_t start, uint64_t size)
{
	struct backed slot;

	if (!a->name)
		return false;
	backed_init(&slot, a->fd, start, size);
	return backed_bytes(&slot) <= SMALL_IMAGE;
}

/* The recorder relies on a zeroed slot. Where holes cannot be punched (seccomp filters, old
 * kernels) the used parts are overwritten. */
static void zero_slot(const struct arena *a, uint64_t start, uint64_t size)
{
	off_t at = (off_t)start, end = (off_t)(start + size);

	if (!is_small_file(a, start, size) &&
	    !fallocate(a->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, at, (off_t)size))
		return;
	while ((at = lseek(a->fd, at, SEEK_DATA)) >= 0 && at < end) {
		off_t hole = lseek(a->fd, at, SEEK_HOLE);
		hole = hole < at || hole > end ? end : hole;
		memset((char *)a->shared + at, 0, (size_t)(hole - at));
		at = hole;
	}
}

void arena_share_start(struct arena *a, const struct arena *first)
{
	const struct mu_segment *start = &first->view.head;

	for (int i = 0; i < 2; i++) {
		struct mu_segment *head = i ? &a->view.head : a->shared;
		head->start_mono_ns = start->start_mono_ns;
		head->start_real_ns = start->start_real_ns;
		head->start_tsc = start->start_tsc;
	}
}

static bool copy_range(int to, off_t to_at, int from, off_t at, off_t end)
{
	char bytes[16 << 10];

	while (at < end) {
		size_t part = end - at < (off_t)sizeof(bytes) ? (size_t)(end - at) : sizeof(bytes);
		ssize_t got = pread(from, bytes, part, at);

		if (got <= 0 || pwrite(to, bytes, (size_t)got, to_at) != got)
			return false;
		at += got;
		to_at += got;
	}
	return true;
}

/* Keeps holes. */
static bool copy_data(int to, off_t to_start, int from, off_t start, off_t end)
{
	off_t at = start;

	while ((at = lseek(from, at, SEEK_DATA)) >= 0 && at < end) {
		off_t hole = lseek(from, at, SEEK_HOLE);

		hole = hole < at || hole > end ? end : hole;
		if (!copy_range(to, to_start + (at - start), from, at, hole))
			return false;
		at = hole;
	}
	return true;
}

bool arena_copy_slot(struct arena *a, uint32_t k, const struct arena *from, uint32_t from_k)
{
	const struct mu_segment *h = &a->view.head, *g = &from->view.head;
	struct mu_slot *slot = &a->slot[k], *old = &from->slot[from_k];
	off_t start = (off_t)(g->slots + from_k * g->slot_size);

	if (h->slot_size != g->slot_size || h->slots != g->slots ||
	    !copy_data(a->fd, (off_t)(h->slots + k * h->slot_size), from->fd, start,
		       start + (off_t)g->slot_size))
		return false;
	slot->pid = old->pid;
	slot->claimed_by = old->claimed_by;
	slot->claimed_ns = old->claimed_ns;
	__atomic_store_n(&slot->state, arena_state(from, from_k), __ATOMIC_RELEASE);
	__atomic_store_n(&old->state, MU_SLOT_CLAIMED, __ATOMIC_RELEASE);
	return true;
}

void arena_retire(struct arena *a, uint32_t k)
{
	__atomic_store_n(&a->slot[k].state, MU_SLOT_ENDED, __ATOMIC_RELEASE);
}

void arena_free(struct arena *a, uint32_t k)
{
	const struct mu_segment *h = &a->view.head;
	struct mu_slot *slot = &a->slot[k];

	zero_slot(a, h->slots + k * h->slot_size, h->slot_size);
	segment_forget(&a->view, k);
	slot->pid = 0;
	slot->claimed_by = 0;
	slot->parent_slot = 0;
	slot->claimed_ns = 0;
	slot->generation++;
	__atomic_store_n(&slot->state, MU_SLOT_FREE, __ATOMIC_RELEASE);
}
