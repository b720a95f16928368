/* frames.c -- the tree of frames.
 *
 * A node is looked up by its whole path, of which the walk has a rolling hash at every frame, not
 * by its parent and return address: so the search begins at the innermost frame, which is most
 * often new, ends at the first path that is known, and touches nothing outside of it. Programs
 * that recurse have hundreds of thousands of stacks, all different, with most of their frames in
 * common. Hashes have 64 bits, as those of sites.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/tables/frames.h"

#include <stddef.h>

#include "libmemusage/base/memory.h"
#include "libmemusage/image/arena.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/tables/modules.h"
#include "libmemusage/unwind/patched_pc.h"

#define PATHS_LOG2 10
#define FRAMES_FIRST_LOG2 6

/* Open addressing; the numbers lie behind the keys, since most look-ups end at a key. */
static struct paths {
	unsigned int log2;
	uint64_t *key; /* 0: empty */
	uint32_t *number;
} paths;

static uint64_t spread(uint64_t value)
{
	return value * UINT64_C(0x9E3779B97F4A7C15);
}

/* What an address means depends on the objects that are open. */
static uint64_t path_key_of_frame(const struct walk_frame *frame)
{
	uint64_t key = spread(frame->hash ^ spread(rec.image->dl_generation));

	return key + !key;
}

static bool paths_make(struct paths *p, unsigned int log2)
{
	uint64_t size = UINT64_C(1) << log2;

	p->log2 = log2;
	p->key = memory_map(size * (sizeof(*p->key) + sizeof(*p->number)));
	p->number = (uint32_t *)(p->key + size);
	return p->key;
}

/* Where a key is, or would be. */
static uint64_t paths_place(const struct paths *p, uint64_t key)
{
	uint64_t mask = (UINT64_C(1) << p->log2) - 1;
	uint64_t i = key >> (64 - p->log2);

	while (p->key[i] && p->key[i] != key)
		i = (i + 1) & mask;
	return i;
}

static void paths_put(struct paths *p, uint64_t key, uint32_t number)
{
	uint64_t i = paths_place(p, key);

	p->key[i] = key;
	p->number[i] = number;
}

static bool paths_grow(void)
{
	uint64_t size = UINT64_C(1) << paths.log2;
	struct paths bigger;

	if (!paths_make(&bigger, paths.log2 + 1))
		return false;
	for (uint64_t i = 0; i < size; i++)
		if (paths.key[i])
			paths_put(&bigger, paths.key[i], paths.number[i]);
	memory_unmap(paths.key, size * (sizeof(*paths.key) + sizeof(*paths.number)));
	paths = bigger;
	return true;
}

/* Functions that stand in for the C library's (hooks/) may call the real ones, which allocate:
 * that frame is none of the program's. */
static bool is_recorder_code(uint64_t pc)
{
	extern const char __ehdr_start[], _end[] __attribute__((visibility("hidden")));

	return pc - (uint64_t)__ehdr_start < (uint64_t)_end - (uint64_t)__ehdr_start;
}

/* An interrupted instruction is noted as if it was called from: readers look at pc - 1. */
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

	if (number < UINT32_MAX &&
	    (number * 4 <= UINT64_C(3) << paths.log2 || paths_grow()))
		frame = arena_table_at(frames, number);
	if (!frame) {
		rec.image->drops.frames++;
		return 0;
	}
	*frame = (struct mu_frame){ recorded_pc_of(at), parent, rec.image->dl_generation };
	modules_note(frame->pc - 1);
	__atomic_store_n(&frames->count, number + 1, __ATOMIC_RELEASE);
	paths_put(&paths, path_key_of_frame(at), (uint32_t)number);
	return (uint32_t)number;
}

uint32_t frames_find_node(const struct walk *walk)
{
	uint32_t known = walk->count, node = 0;

	for (; known > 0; known--) {
		const struct walk_frame *at = &walk->frame[known - 1];
		uint64_t i = paths_place(&paths, path_key_of_frame(at));

		if (paths.key[i] && !is_recorder_code(at->pc)) {
			node = paths.number[i];
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

	if (!arena_table_at(frames, 0) || !paths_make(&paths, PATHS_LOG2))
		return false;
	frames->count = 1; /* the root is all zero */
	return true;
}
