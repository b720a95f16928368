/* arena.c -- memory of this process's image.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/image/arena.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "libmemusage/base/locks.h"
#include "libmemusage/base/sandbox.h"
#include "libmemusage/base/spin.h"
#include "libmemusage/base/sys.h"
#include "libmemusage/image/recorder.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

#define CELL_RUN 4u /* cells that a thread takes at a time; they never cross an extent */
#define POPULATE_MIN (UINT64_C(64) << 10)
#define POPULATE_MAX (UINT64_C(1) << 20)
#define SANDBOX_AHEAD (UINT64_C(4) << 20)

static struct {
	/* Memory of the image that was populated before the sandbox, with MU_CFG_DURABLE. */
	const uint8_t *prepared, *prepared_end;
	/* Where the parts of the image will end for which memory is being populated; 0: for none.
	 * A handler may fork meanwhile. Its child goes on with what is mapped here, and with no
	 * more: so each is set before the last look at the limits, which are lower in the child. */
	struct arena_extent growing;
} backing;

struct arena_locks *arena_locks = &locks.arena;

static uint64_t note_arena_full(void)
{
	__atomic_fetch_or(&rec.image->notes, MU_NOTE_ARENA_FULL, __ATOMIC_RELAXED);
	return 0;
}

/* The offset at which the part for tables ends. */
static uint64_t find_tables_end(const struct mu_image *image)
{
	uint64_t end = image->capacity - __atomic_load_n(&image->log_bytes, __ATOMIC_RELAXED);

	return rec.gap_end && rec.gap_start < end ? rec.gap_start : end;
}

static bool populate_tables(uint64_t from, uint64_t to, uint64_t end)
{
	bool ok;

	__atomic_store_n(&backing.growing.tables_end, to, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	ok = to >= end && to <= find_tables_end(rec.image) &&
	     arena_populate(rec.base + from, to - from);
	if (ok)
		__atomic_store_n(&rec.image->populated, to, __ATOMIC_RELEASE);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&backing.growing.tables_end, 0, __ATOMIC_RELAXED);
	return ok;
}

/* Populates in steps that grow with the image, so that a small program stays small and a
 * big one makes few calls. */
static bool populate_until(uint64_t end)
{
	struct mu_image *image = rec.image;
	bool ok = true;

	if (!spin_lock(&arena_locks->populate))
		return false;
	uint64_t from = image->populated;
	if (end > from) {
		uint64_t step = from / 4;
		step = step < POPULATE_MIN ? POPULATE_MIN : step;
		step = step > POPULATE_MAX ? POPULATE_MAX : step;
		uint64_t to = (end + step - 1) & -(uint64_t)MU_PAGE;
		if (to > find_tables_end(image))
			to = find_tables_end(image);
		ok = populate_tables(from, to, end);
	}
	spin_unlock(&arena_locks->populate);
	return ok;
}

static unsigned int extent_number_of(const struct mu_table *table, uint64_t index)
{
	return 63 - (unsigned int)__builtin_clzll((index >> table->first_log2) + 1);
}

static uint64_t allocate_extent(struct mu_table *table, unsigned int extent)
{
	uint64_t offset;

	if (!spin_lock(&arena_locks->table))
		return 0;
	offset = table->extent[extent];
	if (!offset) {
		uint64_t entries = (UINT64_C(1) << table->first_log2) << extent;
		offset = arena_alloc(entries * table->entry_size, 128);
		__atomic_store_n(&table->extent[extent], offset, __ATOMIC_RELEASE);
	}
	spin_unlock(&arena_locks->table);
	return offset;
}

static bool touch_every_page(void *start, uint64_t length)
{
	volatile uint8_t *page = start;

	/* No other thread knows these pages yet. */
	for (uint64_t at = 0; at < length; at += MU_PAGE)
		page[at] = page[at];
	return true;
}

/* For Linux before 5.14. A system call that writes to a page fails if there is no memory; a write
 * of our own would kill the process. No other thread knows these pages yet, and they are zero. */
static bool write_every_page(void *start, uint64_t length)
{
	for (uint64_t at = 0; at < length; at += MU_PAGE) {
		struct timespec *page = (struct timespec *)((uint8_t *)start + at);
		if (sys_failed(SYS2(SYS_clock_gettime, CLOCK_MONOTONIC, page)))
			return false;
		*page = (struct timespec){ 0 };
	}
	return true;
}

/* Returns whether a page is there after it was populated. qemu-user accepts any advice and does
 * nothing. */
static bool is_page_resident(const void *start)
{
	unsigned char resident = 0;
	long result = SYS3(SYS_mincore, start, 1, &resident);

	return sys_failed(result) || resident & 1;
}

/* No system call tells then whether the disk is full: a write to a new page could kill. */
static bool may_be_touched(const uint8_t *start, uint64_t length)
{
	return !rec.segment || !(rec.segment->config.flags & MU_CFG_DURABLE) ||
	       (start >= backing.prepared && start + length <= backing.prepared_end);
}

void arena_prepare(void)
{
	uint8_t *from = rec.base;
	uint64_t length = SANDBOX_AHEAD;

	if (!rec.image || !rec.segment || !(rec.segment->config.flags & MU_CFG_DURABLE))
		return;
	from += rec.image->populated;
	if (length > find_tables_end(rec.image) - rec.image->populated)
		length = find_tables_end(rec.image) - rec.image->populated;
	if (!arena_populate(from, length))
		return;
	backing.prepared = from;
	backing.prepared_end = from + length;
}

bool arena_populate(void *start, uint64_t length)
{
	if (unlikely(sandbox.is_on))
		return may_be_touched(start, length) && touch_every_page(start, length);
	long result = SYS3(SYS_madvise, start, length, MADV_POPULATE_WRITE);

	/* Readers treat memory without a page as missing (profile/read/backed.h). */
	if (!rec.populate_does_nothing && !sys_failed(result) && length && !is_page_resident(start))
		rec.populate_does_nothing = true;
	if (rec.populate_does_nothing || result == -EINVAL || result == -ENOSYS)
		return write_every_page(start, length);
	return !sys_failed(result);
}

uint64_t arena_alloc(uint64_t size, uint64_t align)
{
	struct mu_image *image = rec.image;
	uint64_t old = __atomic_load_n(&image->used, __ATOMIC_RELAXED);
	uint64_t offset, end;

	do {
		offset = (old + align - 1) & -align;
		end = offset + size;
		if (end < offset || end > find_tables_end(image))
			return note_arena_full();
	} while (!__atomic_compare_exchange_n(&image->used, &old, end, true, __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	if (unlikely(end > __atomic_load_n(&image->populated, __ATOMIC_ACQUIRE)) &&
	    !populate_until(end))
		return note_arena_full();
	return offset;
}

uint64_t arena_alloc_log(uint64_t size)
{
	struct mu_image *image = rec.image;
	uint64_t offset = 0;

	size = (size + MU_PAGE - 1) & -(uint64_t)MU_PAGE;
	if (!spin_lock(&arena_locks->populate))
		return 0;
	uint64_t bytes = image->log_bytes + size;
	uint64_t used = __atomic_load_n(&image->used, __ATOMIC_RELAXED);
	__atomic_store_n(&backing.growing.log_bytes, bytes, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (bytes < image->capacity && image->capacity - bytes > used &&
	    image->capacity - bytes >= rec.gap_end &&
	    arena_populate(rec.base + image->capacity - bytes, size)) {
		__atomic_store_n(&image->log_bytes, bytes, __ATOMIC_RELAXED);
		offset = image->capacity - bytes;
	}
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&backing.growing.log_bytes, 0, __ATOMIC_RELAXED);
	spin_unlock(&arena_locks->populate);
	return offset ? offset : note_arena_full();
}

struct arena_extent arena_extent(void)
{
	const struct mu_image *image = rec.image;
	struct arena_extent extent = {
		.tables_end = __atomic_load_n(&backing.growing.tables_end, __ATOMIC_RELAXED),
		.log_bytes = __atomic_load_n(&backing.growing.log_bytes, __ATOMIC_RELAXED),
	};

	if (extent.tables_end < image->populated || extent.tables_end > find_tables_end(image))
		extent.tables_end = image->populated;
	const uint64_t low = extent.tables_end > rec.gap_end ? extent.tables_end : rec.gap_end;
	if (extent.log_bytes < image->log_bytes || image->capacity < low ||
	    extent.log_bytes > image->capacity - low)
		extent.log_bytes = image->log_bytes;
	return extent;
}

uint64_t arena_filled(void)
{
	uint64_t used = __atomic_load_n(&rec.image->used, __ATOMIC_RELAXED);
	uint64_t populated = __atomic_load_n(&rec.image->populated, __ATOMIC_ACQUIRE);

	return used < populated ? used : populated;
}

void *arena_table_at(struct mu_table *table, uint64_t index)
{
	unsigned int extent = extent_number_of(table, index);

	if (extent >= MU_TABLE_EXTENTS)
		return NULL;
	uint64_t offset = __atomic_load_n(&table->extent[extent], __ATOMIC_ACQUIRE);
	if (!offset)
		offset = allocate_extent(table, extent);
	if (!offset)
		return NULL;
	uint64_t first = ((UINT64_C(1) << extent) - 1) << table->first_log2;
	return rec.base + offset + (index - first) * table->entry_size;
}

bool arena_reserve_run(unsigned int section, uint32_t *next, uint32_t *end)
{
	struct mu_table *cells = section_table(section);
	uint64_t first = __atomic_fetch_add(&cells->count, CELL_RUN, __ATOMIC_RELAXED);
	const uint8_t *run = arena_table_at(cells, first);

	if (!run)
		return false;
	*next = (uint32_t)((uint64_t)(run - rec.base) / cells->entry_size);
	*end = *next + CELL_RUN;
	return true;
}

struct mu_table *arena_table_init(unsigned int section, uint32_t entry_size, uint32_t first_log2)
{
	struct mu_table *table = &rec.image->table[section];

	table->entry_size = entry_size;
	table->first_log2 = first_log2;
	rec.image->features |= MU_FEATURE(section);
	return table;
}

struct mu_string arena_string(const char *bytes, uint64_t length, uint64_t limit)
{
	struct mu_string string = { 0 };

	if (length > limit) {
		length = limit;
		string.flags = MU_STRING_CUT;
	}
	string.offset = arena_alloc(length + 1, 1);
	if (!string.offset)
		return (struct mu_string){ 0 };
	memcpy(arena_at(string.offset), bytes, length);
	string.length = (uint32_t)length;
	return string;
}
