/* arena.h -- the shared memory that a process tree records into.
 *
 * One sparse memfd for the whole tree, cut into slots, one slot per process image; see
 * docs/format.md, section 1. The collector makes it; the programs map it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_RECORD_ARENA_H
#define MEMUSAGE_RECORD_ARENA_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/base/error.h"
#include "profile/read/segment.h"
#include "recording/recording.h"

/* view.head is the geometry as it was made: the shared header is never asked for it again. */
struct arena {
	int fd;				/* -1 if closed */
	struct segment view;
	struct mu_segment *shared;	/* the header that everybody writes */
	struct mu_slot *slot;		/* slot_count entries */
};

/* arena_create -- make, size, seal and map the memory.
 *
 * As large as the kernel and RLIMIT_AS allow: a sparse TiB if it can be had. Nothing of it is
 * backed by memory yet, and it is left out of core dumps.
 * Returns 0, or -1 with ERR.
 */
int arena_create(struct arena *a, const struct mu_config *config, struct mu_error *err);

/* arena_close -- unmap and close. Processes that have it mapped keep it. */
void arena_close(struct arena *a);

/* arena_leave_header -- unmap all but the header, which stays until the process ends.
 *
 * A leak checker that looks at everything mapped would fill the whole arena with pages
 * (valgrind: 22 GB).
 */
void arena_leave_header(struct arena *a);

/* arena_claim -- take a free slot for a process that asked for one.
 *
 * Returns its index, state CLAIMED and memory zeroed, or -1 if there is none.
 */
int arena_claim(struct arena *a);

/* arena_state -- the state of slot K now. */
enum mu_slot_state arena_state(const struct arena *a, uint32_t k);

/* arena_share_start -- let the times in A begin with those in FIRST: images move between them. */
void arena_share_start(struct arena *a, const struct arena *first);

/* arena_copy_slot -- copy what slot FROM_K of another arena holds into slot K of A, and its state.
 *
 * k  CLAIMED, memory zeroed. The other slot becomes CLAIMED: its process releases it.
 * Returns false if the arenas have different slots or there is no memory.
 */
bool arena_copy_slot(struct arena *a, uint32_t k, const struct arena *from, uint32_t from_k);

/* arena_image -- Reads the state of the image in slot K. Returns false if it cannot be read. */
bool arena_image(const struct arena *a, uint32_t k, struct image *im);

/* arena_free -- remove the memory behind slot K and give it to whoever wants it next. */
void arena_free(struct arena *a, uint32_t k);

#endif
