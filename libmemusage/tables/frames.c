/* frames.c -- the tree of frames.
 *
 * The key of a node is the hash of its whole path, which the walk has at every frame, not its
 * parent and return address. So the search begins at the innermost frame, which is most often new,
 * ends at the first known path, and touches nothing outside of it. Programs that recurse have
 * hundreds of thousands of different stacks with most of their frames in common. Hashes have 64
 * bits, as those of sites.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/tables/frames.h"

#include <stddef.h>

#include "libmemusage/base/hash.h"
#include "libmemusage/image/arena.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/tables/modules.h"
#include "libmemusage/unwind/patched_pc.h"

#define PATHS_LOG2 10
#define FRAMES_FIRST_LOG2 6

static struct hash_table paths; /* numbers of nodes by the hash of their path */

/* The meaning of an address depends on the objects that are open. */
static uint64_t path_key_of_frame(const struct walk_frame *frame)
{
	uint64_t key = hash_spread(frame->hash ^ hash_spread(rec.image->dl_generation));

	return key + !key;
}

/* Functions that replace the C library's (hooks/) may call the real ones, which allocate: their
 * frames are not the program's. */
static bool is_recorder_code(uint64_t pc)
{
	extern const char __ehdr_start[], _end[] __attribute__((visibility("hidden")));

	return pc - (uint64_t)__ehdr_start < (uint64_t)_end - (uint64_t)__ehdr_start;
}

/* An interrupted instruction is recorded as a return address: readers look at pc - 1. */
static uint64_t recorded_pc_of(const struct walk_frame *frame)
{
	return patched_pc_behind(frame->pc) + (frame->slot & WALK_EXACT);
}

/* Makes the node of a frame below `parent`. Returns 0 if the tables are full. */
static uint32_t add_frame_node(uint32_t parent, const struct walk_frame *at)
{
	struct mu_table *frames = &rec.image->table[MU_SEC_FRAMES];
	uint64_t number = frames->count;
	struct mu_frame *frame = NULL;

	if (number < UINT32_MAX && hash_reserve(&paths, PATHS_LOG2))
		frame = arena_table_at(frames, number);
	if (!frame) {
		rec.image->drops.frames++;
		return 0;
	}
	*frame = (struct mu_frame){ recorded_pc_of(at), parent, rec.image->dl_generation };
	modules_note(frame->pc - 1);
	__atomic_store_n(&frames->count, number + 1, __ATOMIC_RELEASE);
	hash_put(&paths, path_key_of_frame(at), number);
	return (uint32_t)number;
}

uint32_t frames_find_node(const struct walk *walk)
{
	uint32_t known = walk->count, node = 0;

	for (; known > 0; known--) {
		const struct walk_frame *at = &walk->frame[known - 1];
		const uint64_t *number = hash_find(&paths, path_key_of_frame(at));

		if (number && !is_recorder_code(at->pc)) {
			node = (uint32_t)*number;
			break;
		}
	}
	for (uint32_t i = known; i < walk->count; i++) {
		if (is_recorder_code(walk->frame[i].pc))
			continue;
		node = add_frame_node(node, &walk->frame[i]);
		if (!node)
			return 0;
	}
	return node;
}

bool frames_init(void)
{
	struct mu_table *frames = arena_table_init(MU_SEC_FRAMES, sizeof(struct mu_frame),
						   FRAMES_FIRST_LOG2);

	paths = (struct hash_table){ 0 };
	if (!arena_table_at(frames, 0) || !hash_reserve(&paths, PATHS_LOG2))
		return false;
	frames->count = 1; /* the root is all zero */
	return true;
}
