/* moving.c -- a recording that changes between any two reads of it is read within its bounds.
 *
 * Input: the number of a scene, which readers to use, how many changes come before; then changes
 * (struct moving_change) of 4 bytes: those, at places; the rest, each so many reads after the one
 * before, of the word that was read last.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/fuzz/moving.h"
#include "tests/fuzz/readers.h"
#include "tests/fuzz/scenes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A truncation is the same with fewer changes. */
extern const unsigned int replay_truncations, replay_mutations;
const unsigned int replay_truncations = 30, replay_mutations = 40;

enum { CHANGES_MAX = 256, HEADER = 3 };

static uint8_t *map(void)
{
	uint8_t *memory = mmap(NULL, SCENES_ROOM, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		abort();
	return memory;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct moving_change change[CHANGES_MAX];
	static uint8_t *memory, *origin;
	size_t length, changes, before;
	const uint8_t *scene;

	if (size < HEADER)
		return 0;
#ifdef __x86_64__
	memory = memory ? memory : map();
	origin = origin ? origin : map();
	scene = scenes_get(data[0], &length);
	memset(memory, 0, SCENES_ROOM);
	memcpy(memory, scene, length);
	changes = (size - HEADER) / sizeof(*change);
	changes = changes < CHANGES_MAX ? changes : CHANGES_MAX;
	memcpy(change, data + HEADER, changes * sizeof(*change));
	before = data[2] < changes ? data[2] : changes;
	moving.base = memory;
	moving.size = SCENES_ROOM;
	moving.origin = memory;
	for (size_t i = 0; i < before; i++)
		moving_apply((size_t)change[i].where * 16 + (change[i].how & 128 ? 8 : 0),
			     &change[i]);
	memcpy(origin, memory, SCENES_ROOM);
	if (before == changes)
		return 0;
	moving_begin(memory, SCENES_ROOM, origin, change + before, changes - before);
	readers_run(memory, SCENES_ROOM, data[1]);
	if (moving_end() == 0)
		abort();
#else
	(void)scene, (void)length, (void)changes, (void)before, (void)change, (void)map;
#endif
	return 0;
}
