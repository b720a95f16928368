/* slot.c -- getting a slot of the segment and mapping it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/image/slot.h"

#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#include "libmemusage/base/clock.h"
#include "libmemusage/base/memory.h"
#include "libmemusage/base/spin.h"
#include "libmemusage/base/sys.h"
#include "libmemusage/image/recorder.h"

#define CAPACITY_MIN (UINT64_C(256) << 10)
/* Far from where the kernel puts libraries and stacks, so that the program's own mappings get the
 * addresses that they have without us. It is a hint: the kernel may choose another address. */
#define PLACE UINT64_C(0x300000000000)
#define PLACE_STEP (UINT64_C(2) << 20)
#define PLACES (UINT64_C(1) << 22)

static struct {
	uint64_t limit; /* bytes, see slot_limit() */
	uint64_t base;	/* where the first mapping is to be, 0: not chosen yet */
	uint32_t spare; /* slot + 1, see slot_keep() */
} placement = { .limit = UINT64_MAX };

static void *map_shared(int fd, uint64_t hint, uint64_t length, uint64_t offset)
{
	long result = SYS6(SYS_mmap, hint, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);

	if (sys_failed(result))
		return NULL;
	/* Else a core dump of the program holds the whole arena (measured: 200 MB). */
	SYS3(SYS_madvise, result, length, MADV_DONTDUMP);
	memory_register((uint64_t)result, length);
	return (void *)result;
}

static uint8_t *slot_base_address(uint32_t index)
{
	return (uint8_t *)rec.segment + rec.segment->slots + index * rec.segment->slot_size;
}

static struct mu_slot *entry_in_segment(struct mu_segment *segment, uint32_t index)
{
	return (struct mu_slot *)((uint8_t *)segment + segment->slot_table) + index;
}

struct mu_slot *slot_entry(uint32_t index)
{
	return entry_in_segment(rec.segment, index);
}

/* A slot that a failed fork gave back is still claimed by this process. Returns the index of
 * one that is CLAIMED now, slot_count if there is none. */
static uint32_t claim_free_entry(struct mu_segment *segment)
{
	uint32_t count = segment->slot_count;
	uint32_t index = __atomic_exchange_n(&placement.spare, 0, __ATOMIC_RELAXED);

	if (index)
		return index - 1;
	uint32_t first = __atomic_fetch_add(&segment->slot_hint, 1, __ATOMIC_RELAXED);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t expected = MU_SLOT_FREE;
		index = (first + i) % count;
		struct mu_slot *entry = slot_entry(index);
		if (__atomic_load_n(&entry->state, __ATOMIC_RELAXED) == MU_SLOT_FREE &&
		    __atomic_compare_exchange_n(&entry->state, &expected, MU_SLOT_CLAIMED, false,
						__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return index;
	}
	return count;
}

bool slot_claim(struct slot *slot)
{
	struct mu_segment *segment = rec.segment;
	uint32_t index = rec.segment_mapped ? claim_free_entry(segment) : 0;

	if (!rec.segment_mapped || index == segment->slot_count)
		return false;
	struct mu_slot *entry = slot_entry(index);
	entry->pid = 0;
	entry->claimed_by = sys_getpid();
	entry->parent_slot = rec.slot + 1;
	uint64_t now = clock_ns(CLOCK_BOOTTIME);
	__atomic_store_n(&entry->claimed_ns, now, __ATOMIC_RELEASE);
	*slot = (struct slot){ .index = index,
			       .claimed_ns = now,
			       .capacity = segment->slot_size,
			       .base = slot_base_address(index),
			       .segment = segment,
			       .segment_mapped = rec.segment_mapped };
	return true;
}

void slot_note_claim(struct slot *slot)
{
	const struct mu_slot *entry = entry_in_segment(slot->segment, slot->index);

	slot->claimed_ns = __atomic_load_n(&entry->claimed_ns, __ATOMIC_RELAXED);
}

/* Whoever changes the time first has the slot: the child, or the collector. */
bool slot_adopt(const struct slot *slot)
{
	struct mu_slot *entry = entry_in_segment(slot->segment, slot->index);
	uint64_t claimed = slot->claimed_ns;

	return __atomic_compare_exchange_n(&entry->claimed_ns, &claimed, claimed + 1, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

void slot_keep(uint32_t index)
{
	__atomic_store_n(&placement.spare, index + 1, __ATOMIC_RELAXED);
}

void slot_forget(void)
{
	placement.spare = 0;
}

void slot_release(const struct slot *slot)
{
	struct mu_slot *entry = entry_in_segment(slot->segment, slot->index);

	__atomic_store_n(&entry->state, MU_SLOT_ENDED, __ATOMIC_RELEASE);
	recorder_wake();
}

void slot_leave(const struct slot *slot)
{
	struct mu_slot *entry = entry_in_segment(slot->segment, slot->index);
	const bool is_live = __atomic_load_n(&entry->state, __ATOMIC_RELAXED) == MU_SLOT_LIVE;

	__atomic_store_n(&entry->state, is_live ? MU_SLOT_LEFT : MU_SLOT_ENDED, __ATOMIC_RELEASE);
	recorder_wake();
}

void slot_unmap(struct slot *slot)
{
	for (int i = 0; i < 2; i++)
		if (slot->own_map[i]) {
			memory_unregister((uint64_t)slot->own_map[i]);
			PROGRAM_SYS2(SYS_munmap, slot->own_map[i], slot->own_length[i]);
		}
	slot->own_map[0] = slot->own_map[1] = NULL;
}

/* Bytes of address space that the recorder may take: a sixteenth of a limit that the program
 * was given to live with. */
static uint64_t address_space_share(void)
{
	uint64_t limit[2];
	uint64_t share = placement.limit;

	if (!sys_failed(SYS4(SYS_prlimit64, 0, RLIMIT_AS, 0, limit)) &&
	    limit[0] != (uint64_t)RLIM_INFINITY && limit[0] / 16 < share)
		share = limit[0] / 16 & -(uint64_t)MU_PAGE;
	return share < CAPACITY_MIN ? CAPACITY_MIN : share;
}

void slot_limit(uint64_t bytes)
{
	placement.limit = bytes;
}

/* The address of a writable mapping with known contents must not be predictable: it is a hash of
 * the random bytes that the kernel gives to a process, of which libc makes its canaries. */
static uint64_t choose_address(void)
{
	uint64_t chance[2];

	if (placement.base)
		return placement.base;
	const void *bytes = (const void *)getauxval(AT_RANDOM);
	if (!bytes)
		return PLACE;
	memcpy(chance, bytes, sizeof(chance));
	for (int i = 0; i < 3; i++) {
		chance[0] ^= chance[0] >> 31 ^ chance[1];
		chance[0] *= UINT64_C(0x9E3779B97F4A7C15);
		chance[1] ^= chance[1] >> 29 ^ chance[0];
		chance[1] *= UINT64_C(0xBF58476D1CE4E5B9);
	}
	return placement.base = PLACE + (chance[1] >> 40) % PLACES * PLACE_STEP;
}

static void *map_for_slot(struct slot *slot, int i, int fd, uint64_t length, uint64_t offset)
{
	slot->own_map[i] = map_shared(fd, i ? 0 : choose_address(), length, offset);
	slot->own_length[i] = length;
	return slot->own_map[i];
}

bool slot_map(int fd, uint64_t size, uint64_t slots, uint64_t slot_size, struct slot *slot)
{
	uint64_t share = address_space_share();
	uint64_t length = slot_size < share ? slot_size : share;

	*slot = (struct slot){ .index = slot->index };
	if (size <= share && (slot->segment = map_for_slot(slot, 0, fd, size, 0))) {
		slot->segment_mapped = size;
		slot->base = (uint8_t *)slot->segment + slots + slot->index * slot_size;
		slot->capacity = slot_size;
		return true;
	}
	slot->segment = map_for_slot(slot, 0, fd, slots, 0);
	for (; slot->segment && length >= CAPACITY_MIN; length = length / 2 & -(uint64_t)MU_PAGE) {
		slot->base = map_for_slot(slot, 1, fd, length, slots + slot->index * slot_size);
		slot->capacity = length;
		if (slot->base)
			return true;
	}
	slot_unmap(slot);
	return false;
}
