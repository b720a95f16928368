/* strings.c -- a pool of strings in which every text has one number.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/base/strings.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "cli/xmalloc.h"

enum { CHUNK_BYTES = 64 << 10, FIRST_SLOTS = 256 };

struct strings_chunk {
	struct strings_chunk *older;
	char text[];
};

/* Names come from files that may be made to collide, which would take time by the square of
 * their number; so the hash has a secret of the process in it: the 16 random bytes that the
 * kernel gives each program. */
static void read_hash_secret(uint64_t secret[2])
{
	const void *random = (const void *)getauxval(AT_RANDOM);

	if (random)
		memcpy(secret, random, 2 * sizeof(*secret));
	secret[1] |= 1;
}

static uint64_t multiply_and_fold(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint32_t hash_text(const uint64_t secret[2], const char *text, size_t length)
{
	uint64_t hash, word;

	hash = secret[0] ^ length;
	for (; length > 8; length -= 8, text += 8) {
		memcpy(&word, text, 8);
		hash = multiply_and_fold(hash ^ word, secret[1]);
	}
	word = 0;
	memcpy(&word, text, length);
	return (uint32_t)multiply_and_fold(hash ^ word, secret[1]);
}

static void grow_hash_slots(struct strings *pool)
{
	uint32_t slots = pool->slot ? (pool->slot_mask + 1) * 2 : FIRST_SLOTS;
	uint32_t *slot = xcalloc(slots, sizeof(*slot));

	if (!pool->slot)
		read_hash_secret(pool->secret);
	for (uint32_t number = 1; number <= pool->count; number++) {
		uint32_t at = pool->hash[number - 1] & (slots - 1);

		while (slot[at])
			at = (at + 1) & (slots - 1);
		slot[at] = number;
	}
	free(pool->slot);
	pool->slot = slot;
	pool->slot_mask = slots - 1;
}

static void grow_text_arrays(struct strings *pool)
{
	pool->room = pool->room ? pool->room * 2 : FIRST_SLOTS;
	pool->text = xreallocarray(pool->text, pool->room, sizeof(*pool->text));
	pool->hash = xreallocarray(pool->hash, pool->room, sizeof(*pool->hash));
}

/* A long text gets a chunk of its own. */
static char *reserve_text_bytes(struct strings *pool, size_t bytes)
{
	size_t size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
	struct strings_chunk *chunk = pool->chunk;

	if (!chunk || bytes > pool->chunk_size - pool->chunk_used) {
		chunk = xmalloc(sizeof(*chunk) + size);
		chunk->older = pool->chunk;
		pool->chunk = chunk;
		pool->chunk_size = size;
		pool->chunk_used = 0;
	}
	pool->chunk_used += bytes;
	return chunk->text + pool->chunk_used - bytes;
}

uint32_t strings_add(struct strings *pool, const char *text, size_t length)
{
	uint32_t hash, at;
	char *copy;

	if (length == 0)
		return 0;
	if (!pool->slot || pool->count > pool->slot_mask / 2)
		grow_hash_slots(pool);
	hash = hash_text(pool->secret, text, length);
	for (at = hash & pool->slot_mask; pool->slot[at]; at = (at + 1) & pool->slot_mask) {
		uint32_t number = pool->slot[at];
		const char *known = pool->text[number - 1];

		if (pool->hash[number - 1] == hash && strncmp(known, text, length) == 0 &&
		    known[length] == '\0')
			return number;
	}
	if (pool->count == pool->room)
		grow_text_arrays(pool);
	copy = reserve_text_bytes(pool, length + 1);
	memcpy(copy, text, length);
	copy[length] = '\0';
	pool->text[pool->count] = copy;
	pool->hash[pool->count] = hash;
	pool->slot[at] = ++pool->count;
	return pool->count;
}

const char *strings_get(const struct strings *pool, uint32_t number)
{
	return number > 0 && number <= pool->count ? pool->text[number - 1] : "";
}

void strings_free(struct strings *pool)
{
	while (pool->chunk) {
		struct strings_chunk *older = pool->chunk->older;

		free(pool->chunk);
		pool->chunk = older;
	}
	free(pool->text);
	free(pool->hash);
	free(pool->slot);
	*pool = (struct strings){ 0 };
}
