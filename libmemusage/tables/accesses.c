/* accesses.c -- the directory of blocks by address, and the sums of reads and writes.
 *
 * Each block has one owner at a time (it is entered after the real malloc and removed before the
 * real free), so entries never race. Blocks share the words of their pages: these are made under a
 * lock, and then only read. A page that one block covers gives its 8-byte entries to another page.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/tables/accesses.h"

#include <string.h>
#include <sys/mman.h>

#include "libmemusage/base/locks.h"
#include "libmemusage/base/memory.h"
#include "libmemusage/base/signal_mask.h"
#include "libmemusage/base/spin.h"
#include "libmemusage/base/sys.h"
#include "libmemusage/image/arena.h"

/* Far from other mappings, as the recording (slot.c), to grow in place. */
#define RECORDS_PLACE UINT64_C(0x2e0000000000)
#define RECORDS_BYTES (UINT64_C(1) << 20)
#define RECORDS_MOST (UINT64_C(1) << 31)
#define RECORD_RUN 64u		/* numbers that a thread takes at a time */
#define GRANULE_BYTES (ACCESS_GRANULES * sizeof(uint32_t))
#define CHUNK_BYTES (UINT64_C(256) << 10) /* of 8-byte entries, mapped at a time */
#define CELLS_FIRST_LOG2 4
#define LENGTHS 4096u	   /* sites per chunk of lengths */
#define LENGTH_CHUNKS 4096u
#define LENGTH_MIXED UINT64_MAX

#ifndef MU_IN_EMULATOR
struct accesses access_table;
#endif

/* Under the lock, but for lengths. */
static struct {
	uint64_t records; /* numbers given out */
	uint64_t mapped;  /* bytes of records */
	uint8_t *chunk, *chunk_end;
	uint64_t *spare_page;		  /* linked by their first word */
	uint64_t *lengths[LENGTH_CHUNKS]; /* of the blocks of a site: 0 none yet, or MIXED */
} memory;

bool accesses_init(void)
{
	memset(access_table.top, 0, sizeof(access_table.top));
	memset(memory.lengths, 0, sizeof(memory.lengths));
	memory.records = 1;
	arena_table_init(MU_SEC_ACCESSES, sizeof(struct mu_access), CELLS_FIRST_LOG2);
	if (memory.mapped)
		return true;
	access_table.record = (struct access_block *)RECORDS_PLACE;
	return true;
}

/* ---- records ------------------------------------------------------------------------------ */

/* Needs the lock. The records are one array, which can only grow in place. */
static bool grow_block_records(void)
{
	uint64_t place = (uint64_t)access_table.record + memory.mapped;
	long got = SYS6(SYS_mmap, place, RECORDS_BYTES, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (sys_failed(got) || memory.mapped >= RECORDS_MOST)
		return false;
	if ((uint64_t)got != place) { /* before Linux 4.17 */
		SYS2(SYS_munmap, got, RECORDS_BYTES);
		return false;
	}
	memory.mapped += RECORDS_BYTES;
	return true;
}

/* The number of an unused record, 0 if there is none. */
static inline uint32_t take_block_record(struct access_part *part)
{
	uint32_t number = part->record_free;

	if (likely(number)) {
		part->record_free = (uint32_t)access_table.record[number].start;
		return number;
	}
	if (part->record_next == part->record_end) {
		if (!spin_lock(&locks.accesses))
			return 0;
		uint64_t end = (memory.records + RECORD_RUN) * sizeof(struct access_block);
		bool ok = end <= memory.mapped || grow_block_records();
		if (ok) {
			part->record_next = (uint32_t)memory.records;
			part->record_end = part->record_next + RECORD_RUN;
			memory.records += RECORD_RUN;
		}
		spin_unlock(&locks.accesses);
		if (!ok)
			return 0;
	}
	return part->record_next++;
}

/* Entries of the directory keep its number, which is harmless: a look-up compares the address with
 * the record, whichever block it then has. */
static inline void free_block_record(struct access_part *part, uint32_t number)
{
	struct access_block *record = &access_table.record[number];

	record->size = 0;
	record->start = part->record_free;
	part->record_free = number;
}

/* ---- pages ------------------------------------------------------------------------------- */

/* Returns the table at *place, which it makes if there is none; NULL without memory. */
static __attribute__((noinline)) void *make_directory_table(void **place, uint64_t bytes)
{
	void *table;

	if (!spin_lock(&locks.accesses))
		return NULL;
	table = *place;
	if (!table) {
		table = memory_map(bytes);
		__atomic_store_n(place, table, __ATOMIC_RELEASE);
	}
	spin_unlock(&locks.accesses);
	return table;
}

static inline void *find_or_make_table(void **place, uint64_t bytes)
{
	void *table = __atomic_load_n(place, __ATOMIC_ACQUIRE);

	return likely(table) ? table : make_directory_table(place, bytes);
}

static inline uint64_t *find_page_word(uint64_t address)
{
	uint64_t **mid =
		find_or_make_table((void **)&access_table.top[address >> 38 & (ACCESS_TOP - 1)],
				   ACCESS_MID * sizeof(*mid));

	if (!mid)
		return NULL;
	uint64_t *leaf = find_or_make_table((void **)&mid[address >> 25 & (ACCESS_MID - 1)],
					    ACCESS_LEAF * sizeof(*leaf));
	return leaf ? &leaf[address >> 12 & (ACCESS_LEAF - 1)] : NULL;
}

/* Needs the lock. Takes memory for the 8-byte entries of a page: zeroes, or old entries. */
static uint32_t *take_page_memory(void)
{
	uint64_t *spare = memory.spare_page;

	if (spare) {
		memory.spare_page = (uint64_t *)*spare;
		*spare = 0;
		return (uint32_t *)spare;
	}
	if (memory.chunk == memory.chunk_end) {
		memory.chunk = memory_map(CHUNK_BYTES);
		memory.chunk_end = memory.chunk ? memory.chunk + CHUNK_BYTES : NULL;
	}
	uint32_t *page = (uint32_t *)memory.chunk;
	if (memory.chunk)
		memory.chunk += GRANULE_BYTES;
	return page;
}

static __attribute__((noinline)) uint32_t *make_page_entries(uint64_t *word)
{
	uint64_t value;

	if (!spin_lock(&locks.accesses))
		return NULL;
	value = *word;
	if (!value || value & ACCESS_WHOLE) {
		value = (uint64_t)take_page_memory();
		__atomic_store_n(word, value, __ATOMIC_RELEASE);
	}
	spin_unlock(&locks.accesses);
	return (uint32_t *)value;
}

/* The 8-byte entries of a page; NULL without memory. */
static inline uint32_t *find_page_entries(uint64_t *word)
{
	uint64_t value = __atomic_load_n(word, __ATOMIC_ACQUIRE);

	return likely(value && !(value & ACCESS_WHOLE)) ? (uint32_t *)value :
							  make_page_entries(word);
}

/* Gives a whole page to one block, and its 8-byte entries, now useless, to other pages. */
static void give_page_to_block(uint64_t *word, uint32_t number)
{
	uint64_t old = *word;

	__atomic_store_n(word, (uint64_t)number << 1 | ACCESS_WHOLE, __ATOMIC_RELEASE);
	if (!old || old & ACCESS_WHOLE || !spin_lock(&locks.accesses))
		return;
	*(uint64_t *)old = (uint64_t)memory.spare_page;
	memory.spare_page = (uint64_t *)old;
	spin_unlock(&locks.accesses);
}

/* Stores two entries in one instruction, not necessarily aligned. */
static inline void put_two_entries(uint32_t *entry, uint64_t two)
{
	__builtin_memcpy(entry, &two, sizeof(two));
}

static inline void put_eight_entries(uint32_t *entry, uint64_t two)
{
	put_two_entries(entry, two);
	put_two_entries(entry + 2, two);
	put_two_entries(entry + 4, two);
	put_two_entries(entry + 6, two);
}

/* Stores a record's number in `count` entries, at least 1. The last stores overlap, because
 * branches cost more than stores, above all in the emulator. */
static inline void fill_entries(uint32_t *entry, uint64_t count, uint32_t number)
{
	const uint64_t two = (uint64_t)number << 32 | number;
	uint32_t *end = entry + count;

	if (count >= 8) {
		for (; end - entry > 32; entry += 32) {
			put_eight_entries(entry, two);
			put_eight_entries(entry + 8, two);
			put_eight_entries(entry + 16, two);
			put_eight_entries(entry + 24, two);
		}
		for (; end - entry > 8; entry += 8)
			put_eight_entries(entry, two);
		put_eight_entries(end - 8, two);
	} else if (count >= 4) {
		put_two_entries(entry, two);
		put_two_entries(entry + 2, two);
		put_two_entries(end - 4, two);
		put_two_entries(end - 2, two);
	} else if (count >= 2) {
		put_two_entries(entry, two);
		put_two_entries(end - 2, two);
	} else {
		*entry = number;
	}
}

/* Enters a record in the part of a page that its block covers: [from, to), offsets. */
static inline bool enter_in_page(uint64_t *word, uint64_t from, uint64_t to, uint32_t number)
{
	uint32_t *entry = find_page_entries(word);

	if (entry)
		fill_entries(&entry[from >> 3], ((to - 1) >> 3) - (from >> 3) + 1, number);
	return entry != NULL;
}

/* ---- sites ------------------------------------------------------------------------------- */

/* The word with the length of a site's blocks, NULL without memory. */
static inline uint64_t *length_of_site(uint32_t site)
{
	if (site / LENGTHS >= LENGTH_CHUNKS)
		return NULL;
	uint64_t *part = find_or_make_table((void **)&memory.lengths[site / LENGTHS],
					    LENGTHS * sizeof(*part));
	return part ? &part[site % LENGTHS] : NULL;
}

/* Notes the size of the first block of a site, or of the first with another size. */
static __attribute__((noinline)) bool note_block_size(struct access_part *part, uint32_t site,
						      uint64_t *length, uint64_t size)
{
	uint64_t seen = 0;

	bool is_first = __atomic_compare_exchange_n(length, &seen, size, false, __ATOMIC_RELAXED,
						    __ATOMIC_RELAXED);
	if (!is_first && (seen == size || seen == LENGTH_MIXED))
		return seen == size;
	struct mu_access *cell = accesses_cell(part, site);
	if (!is_first)
		__atomic_store_n(length, LENGTH_MIXED, __ATOMIC_RELAXED);
	if (!cell)
		return false;
	if (is_first && cell->state == MU_ACCESS_UNKNOWN)
		cell->length = size;
	cell->state = is_first ? MU_ACCESS_EXACT : MU_ACCESS_MIXED;
	return is_first;
}

/* Returns whether all blocks of the site have had this size so far, and notes a new size. */
static inline bool has_uniform_size(struct access_part *part, uint32_t site, uint64_t size)
{
	uint64_t *length = length_of_site(site);
	uint64_t seen = length ? __atomic_load_n(length, __ATOMIC_RELAXED) : LENGTH_MIXED;

	if (likely(seen == size) || likely(seen == LENGTH_MIXED))
		return seen == size;
	return note_block_size(part, site, length, size);
}

/* ---- signals ----------------------------------------------------------------------------- */

/* A handler may leave an access by longjmp, which is no fault of the program, as it would be in
 * malloc. So changes that must be complete are made with signals blocked. They are rare. In the
 * emulator no handler runs here. */
static void block_all_signals(struct signal_mask *mask)
{
	*mask = (struct signal_mask){ .is_masked = false };
#ifndef MU_IN_EMULATOR
	signal_mask_all(mask);
#endif
}

static void restore_signals(const struct signal_mask *mask)
{
	(void)mask;
#ifndef MU_IN_EMULATOR
	signal_mask_restore(mask);
#endif
}

/* ---- cells, as in sites.c ---------------------------------------------------------------- */

static struct mu_access *make_access_cell(struct access_part *part, uint32_t site)
{
	if ((site >= part->sites && !memory_grow_numbers(&part->cell_of, &part->sites, site)) ||
	    (part->cell_next == part->cell_end &&
	     !arena_reserve_run(MU_SEC_ACCESSES, &part->cell_next, &part->cell_end))) {
		count_drop(accesses);
		return NULL;
	}
	uint32_t number = part->cell_next++;
	struct mu_access *cell = arena_at((uint64_t)number * sizeof(*cell));
	cell->site = site;
	part->cell_of[site] = number;
	return cell;
}

struct mu_access *accesses_cell_slow(struct access_part *part, uint32_t site)
{
	struct signal_mask mask;
	struct mu_access *cell;

	block_all_signals(&mask);
	cell = make_access_cell(part, site);
	restore_signals(&mask);
	return cell;
}

static bool make_byte_counts(struct mu_access *cell, uint64_t length)
{
	struct signal_mask mask;

	block_all_signals(&mask);
	cell->length = length;
	cell->counts = arena_alloc((length + 15) / 8 * 8 * sizeof(uint16_t), 16);
	if (cell->counts)
		cell->counted = length;
	restore_signals(&mask);
	if (!cell->counts)
		count_drop(accesses);
	return cell->counts;
}

void accesses_bytes_slow(struct mu_access *cell, const struct access_block *block, uint64_t offset,
			 uint64_t size)
{
	if (!cell->counts && !make_byte_counts(cell, block->size))
		return;
	uint16_t *count = arena_at(cell->counts);
	uint64_t end = size < cell->length - offset ? offset + size : cell->length;
	for (uint64_t i = offset; i < end; i++)
		if (count[i] != UINT16_MAX)
			count[i]++;
}

/* ---- accesses of signal handlers ----------------------------------------------------------- */

void accesses_defer(struct access_part *part, uint64_t address, uint64_t size, bool is_write)
{
	if (!part->queue)
		part->queue = memory_map(sizeof(*part->queue));
	struct access_queue *queue = part->queue;
	uint64_t i = queue ? __atomic_fetch_add(&queue->count, 1, __ATOMIC_RELAXED)
			   : ACCESS_QUEUE;

	if (i < ACCESS_QUEUE)
		queue->item[i] = (struct access_deferred){ address, size << 1 | is_write };
	else
		count_drop(accesses);
	part->deferred = 1;
}

static void count_deferred_access(struct access_part *part, const struct access_deferred *item)
{
	const struct access_block *block = accesses_find(item->address);
	struct mu_access *cell = block ? accesses_cell(part, block->site) : NULL;
	uint64_t size = item->size_and_write >> 1;

	if (!cell)
		return;
	if (item->size_and_write & 1)
		cell->written_bytes += size;
	else
		cell->read_bytes += size;
	if (block->is_counted)
		accesses_bytes_slow(cell, block, item->address - block->start, size);
}

void accesses_flush(struct access_part *part)
{
	if (!part->deferred || !part->queue)
		return;
	struct access_queue *queue = part->queue;
	struct signal_mask mask;
	block_all_signals(&mask);
	/* In a sandbox a handler may add to the queue meanwhile. */
	for (uint64_t i = 0; i < __atomic_load_n(&queue->count, __ATOMIC_RELAXED) &&
			     i < ACCESS_QUEUE; i++)
		count_deferred_access(part, &queue->item[i]);
	queue->count = 0;
	part->deferred = 0;
	restore_signals(&mask);
}

/* ---- blocks ------------------------------------------------------------------------------ */

/* Enters a record in the directory for [start, end). */
static inline bool enter_in_directory(uint64_t start, uint64_t end, uint32_t number)
{
	uint64_t page = MU_PAGE;

	for (uint64_t from = start, to; from < end; from = to) {
		to = (from & -page) + page < end ? (from & -page) + page : end;
		uint64_t *word = find_page_word(from);
		uint64_t first = from & (page - 1), last = first + (to - from);
		if (unlikely(!word))
			return false;
		if (unlikely(last - first == page))
			give_page_to_block(word, number);
		else if (unlikely(!enter_in_page(word, first, last, number)))
			return false;
	}
	return true;
}

void accesses_add_block(struct access_part *part, uint64_t address, uint64_t size, uint32_t site)
{
	uint32_t number = take_block_record(part);

	size += !size; /* DHAT: an empty block has one byte */
	if (number) {
		bool is_uniform_site = has_uniform_size(part, site, size);
		access_table.record[number] = (struct access_block){
			.start = address,
			.size = size,
			.site = site,
			.is_counted = is_uniform_site && size <= ACCESS_COUNTED,
		};
	}
	if (unlikely(!number) || unlikely(!enter_in_directory(address, address + size, number)))
		count_drop(accesses);
}

void accesses_remove_block(struct access_part *part, uint64_t address)
{
	const struct access_block *block = accesses_find(address);

	if (!block || block->start != address)
		return;
	if (unlikely(part->deferred))
		accesses_flush(part);
	free_block_record(part, (uint32_t)(block - access_table.record));
}

void accesses_note_copy(struct access_part *part, uint32_t from, uint32_t to, uint64_t bytes)
{
	struct mu_access *cell = accesses_cell(part, from);

	if (cell)
		cell->read_bytes += bytes;
	cell = accesses_cell(part, to);
	if (cell)
		cell->written_bytes += bytes;
}

enum access_request accesses_request(struct access_part *part, uint64_t address, uint64_t *size)
{
	struct access_block *block = (struct access_block *)accesses_find(address);

	if (!block)
		return ACCESS_REQUEST_UNKNOWN;
	*size = block->size;
	if (block->size <= ACCESS_COUNTED)
		return ACCESS_REQUEST_TOO_SMALL;
	if (block->size > ACCESS_REQUESTED)
		return ACCESS_REQUEST_TOO_LARGE;
	/* Blocks of different sizes have no common bytes to count. */
	block->is_counted = has_uniform_size(part, block->site, block->size);
	return ACCESS_REQUEST_DONE;
}
