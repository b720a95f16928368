/* strings.c -- a pool of strings in which every text has one number.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/strings.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 64 << 10, FIRST_SLOTS = 256 };

/* FNV-1a; the pool is private to a process, so the function may change. */
static uint32_t hash_of(const char *text, size_t length)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
	return (uint32_t)(hash ^ hash >> 32);
}

static bool grow_slots(struct strings *pool)
{
	uint32_t slots = pool->slot ? (pool->slot_mask + 1) * 2 : FIRST_SLOTS;
	uint32_t *slot = calloc(slots, sizeof(*slot));

	if (!slot)
		return false;
	for (uint32_t number = 1; number <= pool->count; number++) {
		uint32_t at = pool->hash[number - 1] & (slots - 1);

		while (slot[at])
			at = (at + 1) & (slots - 1);
		slot[at] = number;
	}
	free(pool->slot);
	pool->slot = slot;
	pool->slot_mask = slots - 1;
	return true;
}

static bool grow_texts(struct strings *pool)
{
	uint32_t room = pool->room ? pool->room * 2 : FIRST_SLOTS;
	const char **text = reallocarray(pool->text, room, sizeof(*text));
	uint32_t *hash;

	if (!text)
		return false;
	pool->text = text;
	hash = reallocarray(pool->hash, room, sizeof(*hash));
	if (!hash)
		return false;
	pool->hash = hash;
	pool->room = room;
	return true;
}

/* A long text gets a chunk of its own. */
static char *room_for(struct strings *pool, size_t bytes)
{
	size_t size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
	char **chunk;

	if (pool->chunk_count == 0 || bytes > pool->chunk_size - pool->chunk_used) {
		chunk = reallocarray(pool->chunk, pool->chunk_count + 1, sizeof(*chunk));
		if (!chunk)
			return NULL;
		pool->chunk = chunk;
		chunk[pool->chunk_count] = malloc(size);
		if (!chunk[pool->chunk_count])
			return NULL;
		pool->chunk_count++;
		pool->chunk_size = size;
		pool->chunk_used = 0;
	}
	pool->chunk_used += bytes;
	return pool->chunk[pool->chunk_count - 1] + pool->chunk_used - bytes;
}

uint32_t strings_add(struct strings *pool, const char *text, size_t length)
{
	uint32_t hash, at;
	char *copy;

	if (length == 0)
		return 0;
	if ((!pool->slot || pool->count > pool->slot_mask / 2) && !grow_slots(pool))
		return 0;
	hash = hash_of(text, length);
	for (at = hash & pool->slot_mask; pool->slot[at]; at = (at + 1) & pool->slot_mask) {
		uint32_t number = pool->slot[at];
		const char *known = pool->text[number - 1];

		if (pool->hash[number - 1] == hash && strncmp(known, text, length) == 0 &&
		    known[length] == '\0')
			return number;
	}
	if (pool->count == pool->room && !grow_texts(pool))
		return 0;
	copy = room_for(pool, length + 1);
	if (!copy)
		return 0;
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
	for (uint32_t i = 0; i < pool->chunk_count; i++)
		free(pool->chunk[i]);
	free(pool->chunk);
	free(pool->text);
	free(pool->hash);
	free(pool->slot);
	*pool = (struct strings){ 0 };
}
