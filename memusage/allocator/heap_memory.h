/* heap_memory.h -- The memory of a stopped process, as a walk of its heap reads it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memusage/examine/address_space.h"

struct heap_memory {
	const struct address_space *space; /* mappings; its descriptors may be -1 */
	const uint64_t *thread;		   /* the thread pointer of each thread */
	uint32_t threads;

	/* read -- Copies SIZE bytes. Returns false if not all of them are there. */
	bool (*read)(const void *data, uint64_t address, void *to, size_t size);
	const void *data;
};

/* heap_memory_read -- Copies memory. Returns false if not all of it is there. */
static inline bool heap_memory_read(const struct heap_memory *m, uint64_t address, void *to,
				    size_t size)
{
	return m->read(m->data, address, to, size);
}

/* heap_memory_is_data -- Tells whether a block may begin at an address: memory that can be written
 * and is no file's. */
bool heap_memory_is_data(const struct heap_memory *m, uint64_t address);

/* Words that are read in ascending order: a part of the memory is copied at once. */
struct heap_window {
	const struct heap_memory *memory;
	uint64_t start, end;	/* of what is there, equal: nothing */
	size_t size;		/* of the last part that was read */
	unsigned char *bytes;
	const struct area *area; /* of the last part */
};

/* heap_window_open -- Begins to read. heap_window_close() releases W. */
void heap_window_open(struct heap_window *w, const struct heap_memory *m);

/* heap_window_fetch -- Reads the part around the word at ADDRESS. Returns false if it is not
 * there. */
bool heap_window_fetch(struct heap_window *w, uint64_t address);

/* heap_window_word -- Reads one word. Returns false if it is not there. */
static inline bool heap_window_word(struct heap_window *w, uint64_t address, uint64_t *word)
{
	if ((address < w->start || address + sizeof(*word) > w->end) &&
	    !heap_window_fetch(w, address))
		return false;
	__builtin_memcpy(word, w->bytes + (address - w->start), sizeof(*word));
	return true;
}

/* heap_window_close -- Releases everything. */
void heap_window_close(struct heap_window *w);
