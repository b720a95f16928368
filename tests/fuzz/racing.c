/* racing.c -- a recording that another thread writes to all the time is read within its bounds.
 *
 * Input: the number of a scene, which readers to use, how often; then the changes (struct
 * moving_change) of 4 bytes, at places, that are made in turn, over and over. What meets what is
 * chance: moving.c is the one that does the same again.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/fuzz/moving.h"
#include "tests/fuzz/readers.h"
#include "tests/fuzz/scenes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const unsigned int replay_mutations;
const unsigned int replay_mutations = 40;

enum { CHANGES_MAX = 256, HEADER = 3, ROUNDS = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct moving_change change[CHANGES_MAX];
	static uint8_t *memory;
	const uint8_t *scene;
	size_t length, changes;

	if (size < HEADER)
		return 0;
	scene = scenes_get(data[0], &length);
	memory = memory ? memory : aligned_alloc(MU_PAGE, SCENES_ROOM);
	memset(memory, 0, SCENES_ROOM);
	memcpy(memory, scene, length);
	changes = (size - HEADER) / sizeof(*change);
	changes = changes < CHANGES_MAX ? changes : CHANGES_MAX;
	memcpy(change, data + HEADER, changes * sizeof(*change));
	if (!racing_begin(memory, length, scene, change, changes))
		return 0;
	for (unsigned int i = 0; i <= data[2] % ROUNDS; i++)
		readers_run(memory, SCENES_ROOM, data[1]);
	racing_end();
	return 0;
}
