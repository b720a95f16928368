/* image.c -- the image of this process: its header, the process that it describes, its end.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/lifecycle/image.h"

#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "libmemusage/base/clock.h"
#include "libmemusage/base/locks.h"
#include "libmemusage/base/maps.h"
#include "libmemusage/base/memory.h"
#include "libmemusage/base/sandbox.h"
#include "libmemusage/base/sys.h"
#include "libmemusage/image/arena.h"
#include "libmemusage/image/coarse_clock.h"
#include "libmemusage/image/collector_query.h"
#include "libmemusage/image/image_maps.h"
#include "libmemusage/image/log.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/image/shrink.h"
#include "libmemusage/image/thread.h"
#include "libmemusage/lifecycle/examined.h"
#include "libmemusage/lifecycle/last_sample.h"
#include "libmemusage/lifecycle/threads.h"
#include "libmemusage/lifecycle/triggers.h"
#include "libmemusage/pages/pages.h"
#include "libmemusage/pages/pages_start.h"
#include "libmemusage/requests/access_request.h"
#include "libmemusage/requests/labels.h"
#include "libmemusage/requests/marks.h"
#include "libmemusage/requests/pools.h"
#include "libmemusage/tables/accesses.h"
#include "libmemusage/tables/blocks.h"
#include "libmemusage/tables/instructions.h"
#include "libmemusage/tables/mapping.h"
#include "libmemusage/tables/modules.h"
#include "libmemusage/tables/points.h"
#include "libmemusage/tables/sampling.h"
#include "libmemusage/tables/shrunk.h"
#include "libmemusage/tables/sites.h"
#include "libmemusage/tables/snapshot_log.h"
#include "libmemusage/tables/snapshots.h"
#include "libmemusage/tables/stack.h"
#include "libmemusage/unwind/rules.h"
#include "libmemusage/unwind/walk.h"

#define FIRST_POPULATED (UINT64_C(64) << 10)
#define PATH_LIMIT 4096u
#define CMDLINE_LIMIT 16384u

static char scratch[CMDLINE_LIMIT];

static struct mu_string string_from_link(const char *path)
{
	long length = SYS4(SYS_readlinkat, AT_FDCWD, path, scratch, PATH_LIMIT);

	return sys_failed(length) ? (struct mu_string){ 0 }
				  : arena_string(scratch, (uint64_t)length, PATH_LIMIT);
}

static struct mu_string string_from_file(const char *path)
{
	long fd = SYS4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
	long length = 0, got;

	if (sys_failed(fd))
		return (struct mu_string){ 0 };
	do {
		got = SYS3(SYS_read, fd, scratch + length, sizeof(scratch) - (size_t)length);
		length += sys_failed(got) ? 0 : got;
	} while (!sys_failed(got) && got && (size_t)length < sizeof(scratch));
	SYS1(SYS_close, fd);
	struct mu_string string = arena_string(scratch, (uint64_t)length, sizeof(scratch));
	if ((size_t)length == sizeof(scratch))
		string.flags = MU_STRING_CUT;
	return string;
}

static struct mu_string string_from_cwd(void)
{
	long length = SYS2(SYS_getcwd, scratch, PATH_LIMIT);

	return sys_failed(length) ? (struct mu_string){ 0 }
				  : arena_string(scratch, (uint64_t)length - 1, PATH_LIMIT);
}

/* Without /proc, as in a chroot, the kernel's data on the stack must do: the name that was
 * executed, and the arguments, whose count and pointers are below those of the environment. */
static struct mu_string string_from_execfn(void)
{
	const char *name = (const char *)getauxval(AT_EXECFN);
	long length = 0;

	if (!name || !name[0])
		return (struct mu_string){ 0 };
	if (name[0] != '/') {
		length = SYS2(SYS_getcwd, scratch, PATH_LIMIT);
		if (sys_failed(length))
			return (struct mu_string){ 0 };
		scratch[length - 1] = '/';
	}
	uint64_t more = strnlen(name, PATH_LIMIT);
	memcpy(scratch + length, name, more);
	return arena_string(scratch, (uint64_t)length + more, 2 * PATH_LIMIT);
}

static struct mu_string string_from_arguments(void)
{
	char *const *last = environ - 1;
	uint64_t count = 0, length = 0;

	/* The program may move environ or set it to NULL, as for the child of a raw clone(). */
	if (rec.program_has_begun || rec.state != STATE_STARTING || *last)
		return (struct mu_string){ 0 };
	while (count < CMDLINE_LIMIT && (uint64_t)last[-1 - (long)count] != count)
		count++;
	for (uint64_t i = 0; i < count; i++) {
		const char *argument = last[(long)i - (long)count];
		uint64_t more = strlen(argument) + 1;
		if (more > sizeof(scratch) - length)
			break;
		memcpy(scratch + length, argument, more);
		length += more;
	}
	return arena_string(scratch, length, sizeof(scratch));
}

/* Where ld.so was started as a program, the kernel does not know which one it has loaded: then
 * there is no AT_BASE, and ld.so has corrected AT_PHDR. */
static struct mu_string string_from_headers(void)
{
	uint64_t headers = getauxval(AT_BASE) ? 0 : getauxval(AT_PHDR);

	if (!headers || !maps_path_at(headers, false, scratch, PATH_LIMIT))
		return (struct mu_string){ 0 };
	return arena_string(scratch, strlen(scratch), PATH_LIMIT);
}

static void describe_process(struct mu_process *process)
{
	process->pid = rec.pid;
	process->ppid = (uint32_t)SYS1(SYS_getppid, 0);
	process->uid = (uint32_t)SYS1(SYS_getuid, 0);
	process->start_mono_ns = clock_ns(CLOCK_MONOTONIC);
	process->exe = string_from_headers();
	if (!process->exe.length)
		process->exe = string_from_link("/proc/self/exe");
	process->cmdline = string_from_file("/proc/self/cmdline");
	/* The first thread has ended. */
	if (!process->exe.length && !process->cmdline.length) {
		process->exe = string_from_link("/proc/thread-self/exe");
		process->cmdline = string_from_file("/proc/thread-self/cmdline");
	}
	if (!process->exe.length)
		process->exe = string_from_execfn();
	if (!process->cmdline.length)
		process->cmdline = string_from_arguments();
	rec.program_has_begun = true;
	process->cwd = string_from_cwd();
}

static void adopt_slot(const struct slot *slot)
{
	rec.base = slot->base;
	rec.capacity = slot->capacity;
	rec.image = (struct mu_image *)slot->base;
	memory_publish(&rec.image->recorder_private);
	rec.slot = slot->index;
	rec.segment = slot->segment;
	coarse_clock_check();
	rec.segment_mapped = slot->segment_mapped;
	rec.gap_start = rec.gap_end = 0;
	rec.pid = sys_getpid();
	gate.has_owner = 1;
}

bool image_begin(const struct slot *slot)
{
	adopt_slot(slot);
	struct mu_image *image = rec.image;
	uint64_t first = FIRST_POPULATED < slot->capacity ? FIRST_POPULATED : slot->capacity;

	if (!arena_populate(rec.base, first)) {
		slot_release(slot);
		return false;
	}
	image->version = MU_VERSION;
	image->header_size = sizeof(*image);
	image->features = MU_FEATURE(MU_SEC_PROCESS) | MU_FEATURE(MU_SEC_COUNTERS) |
			  MU_FEATURE(MU_SEC_DROPS);
	image->used = (sizeof(*image) + 63) & -UINT64_C(64);
	image->populated = first;
	image->capacity = slot->capacity;
	image->slot = slot->index;
	image->events_seen = 1;
	if (slot->capacity < rec.segment->slot_size)
		image->notes |= MU_NOTE_SMALL_ARENA;
	arena_table_init(MU_SEC_THREADS, (sizeof(struct thread) + 63) & ~63u, 0);
	if (rec.flags & MU_CFG_LOG)
		image->features |= MU_FEATURE(MU_SEC_LOG);
	if (!blocks_init(!recorder_keeps_sites()) ||
	    ((rec.flags & MU_CFG_MMAP) && !mapping_init())) {
		slot_release(slot);
		return false;
	}
	describe_process(&image->process);
	labels_init();
	examined_publish();
	marks_init();
	collector_query_init();
	pools_forget();
	if (rec.flags & MU_CFG_STACKS) {
		modules_init();
		if (!walk_init() || ((rec.flags & MU_CFG_POINTS) && !points_init()) ||
		    !sites_init() || !triggers_init() || !snapshots_init() ||
		    ((rec.flags & MU_CFG_ACCESSES) && !access_request_init())) {
			slot_release(slot);
			return false;
		}
	}
	if (rec.flags & MU_CFG_SAMPLE)
		sampling_begin();
	if (rec.flags & MU_CFG_TIMELINE)
		last_sample_init();
	__atomic_store_n(&image->magic, MU_IMAGE_MAGIC, __ATOMIC_RELEASE);
	slot_entry(slot->index)->pid = rec.pid;
	__atomic_store_n(&slot_entry(slot->index)->state, MU_SLOT_LIVE, __ATOMIC_RELEASE);
	recorder_wake();
	return true;
}

/* The own thread's record moves with the image; pointers into the parent's image are removed. */
static void relocate_threads(const uint8_t *parent_base)
{
	struct mu_table *threads = &rec.image->table[MU_SEC_THREADS];

	if (has_self())
		self = arena_at((uint64_t)((uint8_t *)self - parent_base));
	for (uint64_t i = 0; i < threads->count; i++) {
		struct thread *thread = arena_table_at(threads, i);
		log_reset(thread);
		thread->timer = -1;
		for (size_t k = 0; k < LEAF_CACHE; k++)
			thread->leaf[k].key = ~UINT64_C(0);
	}
	if (has_self())
		self->pub.tid = sys_gettid();
}

static void save_fork_history(struct mu_image *image)
{
	for (int fn = 0; fn < MU_FN_COUNT; fn++) {
		image->fork_calls[fn] = image->retired.calls[fn];
		image->fork_bytes[fn] = image->retired.bytes[fn];
		if (has_self()) {
			image->fork_calls[fn] += self->pub.counters.calls[fn];
			image->fork_bytes[fn] += self->pub.counters.bytes[fn];
		}
	}
}

static void clear_counters(struct mu_counters *counters)
{
	const uint64_t high = counters->hist_high;

	memset(counters, 0, sizeof(*counters));
	counters->hist_high = high;
	if (high)
		memset(arena_at(high), 0, MU_HIST_HIGH * sizeof(uint64_t));
}

/* The parent's image has these events too: a merge would count them twice. */
static void forget_parents_events(struct mu_image *image)
{
	uint64_t next;

	clear_counters(&image->retired);
	if (has_self())
		clear_counters(&self->pub.counters);
	for (uint64_t at = image->lifetimes; at; at = next) {
		struct mu_lifetimes *lives = arena_at(at);

		next = lives->next;
		memset(lives->blocks, 0, sizeof(lives->blocks));
	}
}

/* The cells so far remain as they were at the fork, and the peak is one of the child's own: so what
 * it has from its parent, whose image has it too, can be told apart at each place. */
static void begin_own_figures(struct mu_image *image)
{
	forget_parents_events(image);
	if (rec.flags & MU_CFG_SAMPLE)
		sampling_begin_own();
	if (has_self() && self->cell_of)
		memset(self->cell_of, 0, self->cell_sites * sizeof(*self->cell_of));
	if (has_self())
		self->cell_next = self->cell_end = 0;
	image->fork_cells = section_table(MU_SEC_CELLS)->count;
	image->heap.peak = image->heap.now;
	image->heap.epoch++;
}

void image_inherit(const struct slot *slot)
{
	const uint8_t *parent_base = rec.base;

	adopt_slot(slot);
	struct mu_image *image = rec.image;
	image->slot = slot->index;
	image->capacity = slot->capacity;
	image->log_bytes = 0;
	image->populated = (image->used + MU_PAGE - 1) & -(uint64_t)MU_PAGE;
	image->events_seen = 0;
	image->notes |= MU_NOTE_HISTORY;
	image->drops = (struct mu_drops){ 0 };
	image->labels_dropped = 0;
	image->examined.check = 0;
	/* Another thread of the parent was asking: the child would not ask, or wait for ever. A
	 * question that its own thread has interrupted has failed. */
	image->examined.exit_thread = 0;
	image->query_wanted = 0;
	image->query_state = MU_QUERY_FAILED;
	image->pages = 0;
	image->request = MU_REQUEST_NONE;
	image->served_serial = image->request_serial;
	image->snapshots_serial &= ~UINT64_C(1);
	locks_free_all(image);
	pages_forked();
	snapshot_log_forked();
	triggers_forked();
	collector_query_name_tracer();
	if (rec.flags & MU_CFG_TIMELINE)
		last_sample_init();
	relocate_threads(parent_base);
	blocks_inherit(parent_base);
	thread_keep_only_self();
	if (rec.flags & MU_CFG_SAMPLE)
		sampling_inherit();
	if (rec.flags & MU_CFG_FORK_CELLS)
		begin_own_figures(image);
	save_fork_history(image);
	image->fork_heap = image->heap.now;
	image->own_peak = image->heap.now > 0 ? image->heap.now : 1;
	image->process.pid = rec.pid;
	image->process.ppid = (uint32_t)SYS1(SYS_getppid, 0);
	image->process.fork_mono_ns = clock_ns(CLOCK_MONOTONIC);
	image->process.exit = MU_EXIT_RUNNING;
	image->process.exit_mono_ns = 0;
	image->end = MU_END_UNKNOWN;
	slot_entry(slot->index)->pid = rec.pid;
	__atomic_store_n(&slot_entry(slot->index)->state, MU_SLOT_FORKED, __ATOMIC_RELEASE);
	recorder_wake();
}

/* Memory for a private copy of a part of the image; NULL if there is none. */
static uint8_t *map_for_copy(uint64_t length)
{
	long copy = PROGRAM_SYS6(SYS_mmap, 0, length, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return sys_failed(copy) ? NULL : (uint8_t *)copy;
}

static void replace_by_copy(uint8_t *start, uint8_t *copy, uint64_t length)
{
	if (sys_failed(PROGRAM_SYS5(SYS_mremap, copy, length, length,
				    MREMAP_MAYMOVE | MREMAP_FIXED, start)))
		PROGRAM_SYS2(SYS_munmap, copy, length);
}

/* The part that is not filled yet has zeros, as new memory has. To populate the copy costs less
 * than faults do. */
static void replace_tables_with_copy(uint64_t length)
{
	uint8_t *copy = map_for_copy(length);

	if (!copy)
		return;
	arena_populate(copy, arena_filled());
	memcpy(copy, rec.base, arena_filled());
	replace_by_copy(rec.base, copy, length);
}

static void copy_chunk(uint8_t *copy, const uint8_t *start, const struct mu_log_chunk *chunk)
{
	if (chunk)
		memcpy(copy + ((const uint8_t *)chunk - start), chunk,
		       sizeof(*chunk) + chunk->capacity * sizeof(chunk->word[0]));
}

/* The chunks may have many megabytes. An event that ends touches three of them: the one that is
 * being filled, the oldest, which it takes if the first is full, and a new one. */
static void replace_logs_with_copy(uint64_t length)
{
	uint8_t *start = rec.base + rec.image->capacity - length, *copy = map_for_copy(length);

	if (!copy)
		return;
	copy_chunk(copy, start, self->log);
	copy_chunk(copy, start, self->log_oldest);
	replace_by_copy(start, copy, length);
}

void image_leave_to_parent(void)
{
	const struct arena_extent extent = arena_extent();

	if (extent.log_bytes)
		replace_logs_with_copy(extent.log_bytes);
	replace_tables_with_copy(extent.tables_end);
	shrink_to_contents();
}

void image_unmap(void)
{
	struct image_maps maps = image_maps_now();

	memory_publish(NULL);
	recorder_forget_sleep();
	self = &no_thread;
	rec.image = NULL;
	image_maps_drop(&maps);
}

void image_note_end(enum mu_end end, int status)
{
	struct mu_image *image = rec.image;

	if (!image || sandbox.is_on || rec.pid != sys_getpid())
		return;
	image->end_status = (uint32_t)status & 0xff;
	image->end = end;
	if (end == MU_END_IMMEDIATE && image->process.exit_mono_ns == 0)
		image->process.exit_mono_ns = clock_ns(CLOCK_MONOTONIC);
}

void image_note_reaped(pid_t pid, int status)
{
	struct mu_image *image = rec.image;
	struct mu_reaped *entry;
	uint32_t number;

	/* The gate is closed in a forked child that is not recorded. */
	if ((!WIFEXITED(status) && !WIFSIGNALED(status)) || !image || !gate.on)
		return;
	number = __atomic_fetch_add(&image->reaped.count, 1, __ATOMIC_RELAXED);
	entry = &image->reaped.child[number % MU_REAPED];
	__atomic_store_n(&entry->mono_ns, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&entry->pid, (uint32_t)pid, __ATOMIC_RELEASE);
	__atomic_store_n(&entry->status, (uint32_t)status, __ATOMIC_RELAXED);
	__atomic_store_n(&entry->mono_ns, clock_ns(CLOCK_MONOTONIC), __ATOMIC_RELEASE);
}

void image_exit(void)
{
	if (!gate.on || rec.pid != sys_getpid())
		return;
	if (has_self()) {
		stack_mark(self);
		accesses_flush(&self->access);
	}
	/* First: the C library's work for the sample would count as the program's. */
	points_exit();
	instructions_exit();
	if (rec.flags & MU_CFG_TIMELINE)
		last_sample_take();
	if (rec.flags & MU_CFG_PAGES)
		pages_exit();
	rec.image->process.exit_mono_ns = clock_ns(CLOCK_MONOTONIC);
	rec.image->process.exit = MU_EXIT_NORMAL;
}
