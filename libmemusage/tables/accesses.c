/* accesses.c -- the directory of blocks by address, and the sums of reads and writes.
 *
 * Each block has one owner at a time (it is entered after the real malloc and taken out before
 * the real free), so that entries never race; what several blocks share, the words of their
 * pages, is made under a lock and then only read. A page that is covered by one block gives up
 * its 8-byte entries for another page.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/tables/accesses.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#include "libmemusage/base/locks.h"
#include "libmemusage/base/memory.h"
#include "libmemusage/base/sandbox.h"
#include "libmemusage/base/spin.h"
#include "libmemusage/base/sys.h"
#include "libmemusage/image/arena.h"

/* Far from everything, as the recording itself (slot.c); grown in place. */
#define RECORDS_PLACE UINT64_C(0x2e0000000000)
#define RECORDS_BYTES (UINT64_C(1) << 20)
#define RECORDS_MOST (UINT64_C(1) << 31)
#define RECORD_RUN 64u		/* numbers that a thread takes at a time */
#define GRANULE_BYTES (ACCESS_GRANULES * sizeof(uint32_t))
#define CHUNK_BYTES (UINT64_C(256) << 10) /* of 8-byte entries, mapped at a time */
#define CELLS_FIRST_LOG2 4
#define CELL_RUN 4u
#define LENGTHS 4096u	   /* sites per chunk of lengths */
#define LENGTH_CHUNKS 4096u
#define LENGTH_MIXED UINT64_MAX

#ifndef MU_IN_EMULATOR
struct accesses access_table;
#endif

static uint64_t records;	/* given out */
static uint64_t records_mapped; /* bytes */
static uint8_t *chunk, *chunk_end;
static uint64_t *spare_page;	/* linked by their first word */
static uint64_t *lengths[LENGTH_CHUNKS]; /* of the blocks of a site: 0 none yet, or MIXED */

bool accesses_init(void)
{
	memset(access_table.top, 0, sizeof(access_table.top));
	memset(lengths, 0, sizeof(lengths));
	records = 1;
	arena_table_init(MU_SEC_ACCESSES, sizeof(struct mu_access), CELLS_FIRST_LOG2);
	if (records_mapped)
		return true;
	access_table.record = (struct tracked *)RECORDS_PLACE;
	return true;
}

/* ---- records ----------------------------------------------------------------------------- */

/* Under the lock. The records are one array, so it can only grow where it is. */
static bool records_grow(void)
{
	uint64_t place = (uint64_t)access_table.record + records_mapped;
	long got = SYS6(SYS_mmap, place, RECORDS_BYTES, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (sys_failed(got) || records_mapped >= RECORDS_MOST)
		return false;
	if ((uint64_t)got != place) { /* before Linux 4.17 */
		SYS2(SYS_munmap, got, RECORDS_BYTES);
		return false;
	}
	records_mapped += RECORDS_BYTES;
	return true;
}

/* The number of an unused record, 0 if there is none. */
static inline uint32_t record_take(struct access_own *own)
{
	uint32_t number = own->record_free;

	if (likely(number)) {
		own->record_free = (uint32_t)access_table.record[number].start;
		return number;
	}
	if (own->record_next == own->record_end) {
		if (!spin_lock(&locks.accesses))
			return 0;
		uint64_t end = (records + RECORD_RUN) * sizeof(struct tracked);
		bool ok = end <= records_mapped || records_grow();
		if (ok) {
			own->record_next = (uint32_t)records;
			own->record_end = own->record_next + RECORD_RUN;
			records += RECORD_RUN;
		}
		spin_unlock(&locks.accesses);
		if (!ok)
			return 0;
	}
	return own->record_next++;
}

/* Entries of the directory still name it, which does no harm: what looks there compares the address
 * with the record's, whosesoever it then is. */
static inline void record_give(struct access_own *own, uint32_t number)
{
	struct tracked *record = &access_table.record[number];

	record->size = 0;
	record->start = own->record_free;
	own->record_free = number;
}

/* ---- pages ------------------------------------------------------------------------------- */

/* A table that is there, or made now; NULL without memory. */
static __attribute__((noinline)) void *table_make(void **place, uint64_t bytes)
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

static inline void *table_at(void **place, uint64_t bytes)
{
	void *table = __atomic_load_n(place, __ATOMIC_ACQUIRE);

	return likely(table) ? table : table_make(place, bytes);
}

static inline uint64_t *page_word(uint64_t address)
{
	uint64_t **mid = table_at((void **)&access_table.top[address >> 38 & (ACCESS_TOP - 1)],
				  ACCESS_MID * sizeof(*mid));

	if (!mid)
		return NULL;
	uint64_t *leaf = table_at((void **)&mid[address >> 25 & (ACCESS_MID - 1)],
				  ACCESS_LEAF * sizeof(*leaf));
	return leaf ? &leaf[address >> 12 & (ACCESS_LEAF - 1)] : NULL;
}

/* Under the lock. Room for the 8-byte entries of a page: zeroes, or of blocks that are gone. */
static uint32_t *page_take(void)
{
	uint64_t *spare = spare_page;

	if (spare) {
		spare_page = (uint64_t *)*spare;
		*spare = 0;
		return (uint32_t *)spare;
	}
	if (chunk == chunk_end) {
		chunk = memory_map(CHUNK_BYTES);
		chunk_end = chunk ? chunk + CHUNK_BYTES : NULL;
	}
	uint32_t *page = (uint32_t *)chunk;
	if (chunk)
		chunk += GRANULE_BYTES;
	return page;
}

static __attribute__((noinline)) uint32_t *page_make(uint64_t *word)
{
	uint64_t value;

	if (!spin_lock(&locks.accesses))
		return NULL;
	value = *word;
	if (!value || value & ACCESS_WHOLE) {
		value = (uint64_t)page_take();
		__atomic_store_n(word, value, __ATOMIC_RELEASE);
	}
	spin_unlock(&locks.accesses);
	return (uint32_t *)value;
}

/* The 8-byte entries of a page; NULL without memory. */
static inline uint32_t *page_entries(uint64_t *word)
{
	uint64_t value = __atomic_load_n(word, __ATOMIC_ACQUIRE);

	return likely(value && !(value & ACCESS_WHOLE)) ? (uint32_t *)value : page_make(word);
}

/* A page that belongs to one block alone: its entries, of no use now, are for others. */
static void page_whole(uint64_t *word, uint32_t number)
{
	uint64_t old = *word;

	__atomic_store_n(word, (uint64_t)number << 1 | ACCESS_WHOLE, __ATOMIC_RELEASE);
	if (!old || old & ACCESS_WHOLE || !spin_lock(&locks.accesses))
		return;
	*(uint64_t *)old = (uint64_t)spare_page;
	spare_page = (uint64_t *)old;
	spin_unlock(&locks.accesses);
}

/* One or two entries at once, not necessarily aligned. */
static inline void put_two(uint32_t *entry, uint64_t two)
{
	__builtin_memcpy(entry, &two, sizeof(two));
}

static inline void put_eight(uint32_t *entry, uint64_t two)
{
	put_two(entry, two);
	put_two(entry + 2, two);
	put_two(entry + 4, two);
	put_two(entry + 6, two);
}

/* Enters a record for count entries, at least 1. The last pieces overlap: branches cost more than
 * stores, above all in the emulator. */
static inline void fill(uint32_t *entry, uint64_t count, uint32_t number)
{
	const uint64_t two = (uint64_t)number << 32 | number;
	uint32_t *end = entry + count;

	if (count >= 8) {
		for (; end - entry > 32; entry += 32) {
			put_eight(entry, two);
			put_eight(entry + 8, two);
			put_eight(entry + 16, two);
			put_eight(entry + 24, two);
		}
		for (; end - entry > 8; entry += 8)
			put_eight(entry, two);
		put_eight(end - 8, two);
	} else if (count >= 4) {
		put_two(entry, two);
		put_two(entry + 2, two);
		put_two(end - 4, two);
		put_two(end - 2, two);
	} else if (count >= 2) {
		put_two(entry, two);
		put_two(end - 2, two);
	} else {
		*entry = number;
	}
}

/* Enters a record in the part of a page that its block covers: [from, to), offsets. */
static inline bool page_enter(uint64_t *word, uint64_t from, uint64_t to, uint32_t number)
{
	uint32_t *entry = page_entries(word);

	if (entry)
		fill(&entry[from >> 3], ((to - 1) >> 3) - (from >> 3) + 1, number);
	return entry != NULL;
}

/* ---- sites ------------------------------------------------------------------------------- */

/* What is known of the length of a site's blocks, NULL without memory. */
static inline uint64_t *length_of(uint32_t site)
{
	if (site / LENGTHS >= LENGTH_CHUNKS)
		return NULL;
	uint64_t *part = table_at((void **)&lengths[site / LENGTHS], LENGTHS * sizeof(*part));
	return part ? &part[site % LENGTHS] : NULL;
}

/* The first block of a site, or the first of another size. */
static __attribute__((noinline)) bool note_size(struct access_own *own, uint32_t site,
						uint64_t *length, uint64_t size)
{
	uint64_t seen = 0;

	bool is_first = __atomic_compare_exchange_n(length, &seen, size, false, __ATOMIC_RELAXED,
						    __ATOMIC_RELAXED);
	if (!is_first && (seen == size || seen == LENGTH_MIXED))
		return seen == size;
	struct mu_access *cell = accesses_cell(own, site);
	if (!is_first)
		__atomic_store_n(length, LENGTH_MIXED, __ATOMIC_RELAXED);
	if (!cell)
		return false;
	if (is_first && cell->state == MU_ACCESS_UNKNOWN)
		cell->length = size;
	cell->state = is_first ? MU_ACCESS_EXACT : MU_ACCESS_MIXED;
	return is_first;
}

/* Whether all blocks of the site have had this size so far; notes what is new. */
static inline bool is_uniform(struct access_own *own, uint32_t site, uint64_t size)
{
	uint64_t *length = length_of(site);
	uint64_t seen = length ? __atomic_load_n(length, __ATOMIC_RELAXED) : LENGTH_MIXED;

	if (likely(seen == size) || likely(seen == LENGTH_MIXED))
		return seen == size;
	return note_size(own, site, length, size);
}

/* ---- signals ----------------------------------------------------------------------------- */

/* A handler may leave by longjmp whatever access it interrupts, which is no fault of the program's
 * as it would be in malloc: so what must be whole is done with signals blocked. It is rare. In the
 * emulator no handler runs here. */
static uint64_t signals_hold(void)
{
	uint64_t all = ~UINT64_C(0), before = 0;

#ifndef MU_IN_EMULATOR
	if (!sandbox_is_on)
		SYS4(SYS_rt_sigprocmask, SIG_BLOCK, &all, &before, sizeof(all));
#endif
	return all ? before : 0;
}

static void signals_release(uint64_t before)
{
#ifndef MU_IN_EMULATOR
	if (!sandbox_is_on)
		SYS4(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof(before));
#else
	(void)before;
#endif
}

/* ---- cells, as in sites.c ---------------------------------------------------------------- */

/* Cells are published empty: an entry of site 0 without counts changes no sum. */
static bool cells_reserve(struct access_own *own)
{
	struct mu_table *cells = &rec.image->table[MU_SEC_ACCESSES];
	uint64_t first = __atomic_fetch_add(&cells->count, CELL_RUN, __ATOMIC_RELAXED);
	struct mu_access *run = arena_table_at(cells, first);

	if (!run)
		return false;
	own->cell_next = (uint32_t)((uint64_t)((uint8_t *)run - rec.base) / sizeof(*run));
	own->cell_end = own->cell_next + CELL_RUN;
	return true;
}

static struct mu_access *make_cell(struct access_own *own, uint32_t site)
{
	if ((site >= own->sites && !memory_grow_numbers(&own->cell_of, &own->sites, site)) ||
	    (own->cell_next == own->cell_end && !cells_reserve(own))) {
		__atomic_fetch_add(&rec.image->drops.accesses, 1, __ATOMIC_RELAXED);
		return NULL;
	}
	uint32_t number = own->cell_next++;
	struct mu_access *cell = arena_at((uint64_t)number * sizeof(*cell));
	cell->site = site;
	own->cell_of[site] = number;
	return cell;
}

struct mu_access *accesses_cell_slow(struct access_own *own, uint32_t site)
{
	uint64_t before = signals_hold();
	struct mu_access *cell = make_cell(own, site);

	signals_release(before);
	return cell;
}

static bool make_counts(struct mu_access *cell, uint64_t length)
{
	uint64_t before = signals_hold();

	cell->length = length;
	cell->counts = arena_alloc((length + 15) / 8 * 8 * sizeof(uint16_t), 16);
	if (cell->counts)
		cell->counted = length;
	signals_release(before);
	if (!cell->counts)
		__atomic_fetch_add(&rec.image->drops.accesses, 1, __ATOMIC_RELAXED);
	return cell->counts;
}

void accesses_bytes_slow(struct mu_access *cell, const struct tracked *block, uint64_t offset,
			 uint64_t size)
{
	if (!cell->counts && !make_counts(cell, block->size))
		return;
	uint16_t *count = arena_at(cell->counts);
	uint64_t end = size < cell->length - offset ? offset + size : cell->length;
	for (uint64_t i = offset; i < end; i++)
		if (count[i] != UINT16_MAX)
			count[i]++;
}

/* ---- accesses of signal handlers ----------------------------------------------------------- */

void accesses_defer(struct access_own *own, uint64_t address, uint64_t size, bool is_write)
{
	if (!own->queue)
		own->queue = memory_map(sizeof(*own->queue));
	struct access_queue *queue = own->queue;
	uint64_t i = queue ? __atomic_fetch_add(&queue->count, 1, __ATOMIC_RELAXED)
			   : ACCESS_QUEUE;

	if (i < ACCESS_QUEUE)
		queue->item[i] = (struct access_deferred){ address, size << 1 | is_write };
	else
		__atomic_fetch_add(&rec.image->drops.accesses, 1, __ATOMIC_RELAXED);
	own->deferred = 1;
}

static void count_deferred(struct access_own *own, const struct access_deferred *item)
{
	const struct tracked *block = accesses_find(item->address);
	struct mu_access *cell = block ? accesses_cell(own, block->site) : NULL;
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

void accesses_flush(struct access_own *own)
{
	if (!own->deferred || !own->queue)
		return;
	uint64_t before = signals_hold();
	struct access_queue *queue = own->queue;
	/* In a sandbox a handler may add to it meanwhile. */
	for (uint64_t i = 0; i < __atomic_load_n(&queue->count, __ATOMIC_RELAXED) &&
			     i < ACCESS_QUEUE; i++)
		count_deferred(own, &queue->item[i]);
	queue->count = 0;
	own->deferred = 0;
	signals_release(before);
}

/* ---- blocks ------------------------------------------------------------------------------ */

/* Enters a record for [start, end). */
static inline bool enter(uint64_t start, uint64_t end, uint32_t number)
{
	uint64_t page = MU_PAGE;

	for (uint64_t from = start, to; from < end; from = to) {
		to = (from & -page) + page < end ? (from & -page) + page : end;
		uint64_t *word = page_word(from);
		uint64_t first = from & (page - 1), last = first + (to - from);
		if (unlikely(!word))
			return false;
		if (unlikely(last - first == page))
			page_whole(word, number);
		else if (unlikely(!page_enter(word, first, last, number)))
			return false;
	}
	return true;
}

void accesses_born(struct access_own *own, uint64_t address, uint64_t size, uint32_t site)
{
	uint32_t number = record_take(own);

	size += !size; /* DHAT: an empty block has one byte */
	if (number) {
		bool is_uniform_site = is_uniform(own, site, size);
		access_table.record[number] = (struct tracked){
			.start = address,
			.size = size,
			.site = site,
			.is_counted = is_uniform_site && size <= ACCESS_COUNTED,
		};
	}
	if (unlikely(!number) || unlikely(!enter(address, address + size, number)))
		__atomic_fetch_add(&rec.image->drops.accesses, 1, __ATOMIC_RELAXED);
}

void accesses_died(struct access_own *own, uint64_t address)
{
	const struct tracked *block = accesses_find(address);

	if (!block || block->start != address)
		return;
	if (unlikely(own->deferred))
		accesses_flush(own);
	record_give(own, (uint32_t)(block - access_table.record));
}

void accesses_copied(struct access_own *own, uint32_t from, uint32_t to, uint64_t bytes)
{
	struct mu_access *cell = accesses_cell(own, from);

	if (cell)
		cell->read_bytes += bytes;
	cell = accesses_cell(own, to);
	if (cell)
		cell->written_bytes += bytes;
}

enum access_request accesses_request(struct access_own *own, uint64_t address, uint64_t *size)
{
	struct tracked *block = (struct tracked *)accesses_find(address);

	if (!block)
		return ACCESS_REQUEST_UNKNOWN;
	*size = block->size;
	if (block->size <= ACCESS_COUNTED)
		return ACCESS_REQUEST_TOO_SMALL;
	if (block->size > ACCESS_REQUESTED)
		return ACCESS_REQUEST_TOO_LARGE;
	/* Blocks of different sizes have no common bytes to count. */
	block->is_counted = is_uniform(own, block->site, block->size);
	return ACCESS_REQUEST_DONE;
}
