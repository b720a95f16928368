/* strings.h -- a pool of strings in which every text has one number.
 *
 * Names repeat: ten thousand addresses of a program have some hundred files. With one number
 * per text, comparing two names is comparing two integers.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct strings_chunk;

/* Zeroed, it is an empty pool. The fields are private. */
struct strings {
	struct strings_chunk *chunk;	/* texts lie in these and never move */
	size_t chunk_used;		/* of the newest */
	size_t chunk_size;
	const char **text;	/* by number - 1 */
	uint32_t *hash;
	uint32_t count;
	uint32_t room;
	uint32_t *slot;		/* number or 0; open addressing */
	uint32_t slot_mask;
	uint64_t secret[2];	/* of the hash */
};

/* strings_add -- Returns the number of a text; adds the text if it is new.
 *
 * text    LENGTH bytes without a zero byte; copied. It need not be terminated.
 * Returns a number from 1 on; 0 for the empty text.
 */
uint32_t strings_add(struct strings *pool, const char *text, size_t length);

/* strings_get -- the text with a number.
 *
 * Returns a text that lives as long as the pool; "" for 0 and for numbers never given.
 */
const char *strings_get(const struct strings *pool, uint32_t number);

/* strings_free -- release everything; the pool is empty then. */
void strings_free(struct strings *pool);
