/* slot.h -- getting a slot of the segment and mapping it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "recording/recording.h"

struct slot {
	uint32_t index;
	uint64_t capacity; /* bytes mapped */
	uint8_t *base;
	struct mu_segment *segment; /* that contains it */
	uint64_t segment_mapped;    /* as rec.segment_mapped */
	uint64_t claimed_ns;	    /* of its entry, when it was claimed for a child */
	/* The mappings of slot_map(): everything, or a header and the slot. NULL: none. */
	void *own_map[2];
	uint64_t own_length[2];
};

/* slot_entry -- return the entry of slot `index` in the table of the mapped segment. */
struct mu_slot *slot_entry(uint32_t index);

/* slot_claim -- take a free slot of the mapped segment, without any system call.
 *
 * slot     set on success.
 * Returns  false if the table is full or only this process's own slot is mapped.
 * Async-signal-safe.
 */
bool slot_claim(struct slot *slot);

/* slot_note_claim -- remember when the collector claimed a slot that is mapped now. */
void slot_note_claim(struct slot *slot);

/* slot_adopt -- in a forked child: make sure that its slot is still its own.
 *
 * The collector frees a slot that was claimed seconds ago by a process that has ended: it may be
 * another process's by now. Returns false then; the slot is not to be touched any more. From then
 * on the child must set another state within seconds. Async-signal-safe.
 */
bool slot_adopt(const struct slot *slot);

/* slot_keep -- keep an unused slot from slot_claim() for the next claim.
 *
 * Its contents are overwritten then, since an image never shrinks. Async-signal-safe.
 */
void slot_keep(uint32_t index);

/* slot_forget -- in a child: forget the slot that was kept, which is the parent's. */
void slot_forget(void);

/* slot_release -- give up a slot that was claimed and not used; the collector clears it.
 *
 * slot  not yet unmapped.
 */
void slot_release(const struct slot *slot);

/* slot_leave -- give up the slot of the image, into which this process writes no more.
 *
 * slot  not yet unmapped.
 * If the image was announced, the collector reports it, also if it has not seen it before.
 * Async-signal-safe.
 */
void slot_leave(const struct slot *slot);

/* slot_unmap -- in the parent: undo what was mapped for a child's slot. */
void slot_unmap(struct slot *slot);

/* slot_map -- map a segment from its descriptor, and in it one slot.
 *
 * fd               of the segment; stays open.
 * size             of the segment, bytes.
 * slots, slot_size offset of the first slot, and bytes of each.
 * slot             its index is read, the rest set on success.
 * Returns false if there is no address space. Maps everything if there is enough, else the header
 * and as much of the slot as fits.
 * Async-signal-safe.
 */
bool slot_map(int fd, uint64_t size, uint64_t slots, uint64_t slot_size, struct slot *slot);

/* slot_limit -- have slot_map() map at most `bytes` from now on, and nothing of other slots. */
void slot_limit(uint64_t bytes);
