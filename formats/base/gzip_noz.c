/* gzip_noz.c -- write a stream in the format of gzip(1) without compressing it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/base/gzip.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/crc32.h"

enum { BLOCK_BYTES = 65535 };	/* the most that one block can hold */

struct gzip {
	FILE *out;
	uint32_t crc;
	uint32_t size;
	size_t used;
	unsigned char block[BLOCK_BYTES];
};

struct gzip *gzip_open(FILE *out)
{
	/* Magic, deflate, no flags, no time, any system. */
	static const unsigned char head[10] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255 };
	struct gzip *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	g->out = out;
	fwrite(head, 1, sizeof(head), out);
	return g;
}

static void put_number(FILE *out, uint32_t value, int bytes)
{
	for (; bytes > 0; bytes--, value >>= 8)
		putc((int)(value & 0xff), out);
}

/* A stored block: whether it is the last, its length and the complement of that. */
static void put_block(struct gzip *g, int is_last)
{
	putc(is_last, g->out);
	put_number(g->out, (uint32_t)g->used, 2);
	put_number(g->out, ~(uint32_t)g->used, 2);
	fwrite(g->block, 1, g->used, g->out);
	g->used = 0;
}

void gzip_write(struct gzip *g, const void *data, size_t size)
{
	const unsigned char *from = data;

	g->crc = crc32_add(g->crc, data, size);
	g->size += (uint32_t)size;
	while (size > 0) {
		size_t part = BLOCK_BYTES - g->used < size ? BLOCK_BYTES - g->used : size;

		memcpy(g->block + g->used, from, part);
		g->used += part;
		from += part;
		size -= part;
		if (g->used == BLOCK_BYTES)
			put_block(g, 0);
	}
}

void gzip_close(struct gzip *g)
{
	if (!g)
		return;
	put_block(g, 1);
	put_number(g->out, g->crc, 4);
	put_number(g->out, g->size, 4);
	free(g);
}
