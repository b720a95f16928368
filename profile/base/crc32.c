/* crc32.c -- the checksum of kept recordings.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/base/crc32.h"

#include <string.h>

#define POLYNOMIAL 0xedb88320u

enum { SLICES = 8 };	/* as add_eight_bytes() has them */

/* table[k][b]: the effect of byte b with k more bytes behind it. Eight bytes at a time are
 * three times as fast as one. */
static uint32_t table[SLICES][256];

static void make_crc_tables(void)
{
	for (uint32_t byte = 0; byte < 256; byte++) {
		uint32_t crc = byte;

		for (int bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ POLYNOMIAL : crc >> 1;
		table[0][byte] = crc;
	}
	for (int k = 1; k < SLICES; k++) {
		for (int byte = 0; byte < 256; byte++) {
			uint32_t crc = table[k - 1][byte];

			table[k][byte] = crc >> 8 ^ table[0][crc & 0xff];
		}
	}
}

static uint32_t add_eight_bytes(uint32_t crc, const unsigned char *data)
{
	uint64_t word;

	memcpy(&word, data, sizeof(word));
	word ^= crc;
	return table[7][word & 0xff] ^ table[6][word >> 8 & 0xff] ^ table[5][word >> 16 & 0xff] ^
	       table[4][word >> 24 & 0xff] ^ table[3][word >> 32 & 0xff] ^
	       table[2][word >> 40 & 0xff] ^ table[1][word >> 48 & 0xff] ^ table[0][word >> 56];
}

uint32_t crc32_add(uint32_t crc, const void *data, size_t size)
{
	const unsigned char *at = data;

	if (table[0][1] == 0)
		make_crc_tables();
	crc = ~crc;
	for (; size >= SLICES; size -= SLICES, at += SLICES)
		crc = add_eight_bytes(crc, at);
	for (; size > 0; size--, at++)
		crc = crc >> 8 ^ table[0][(crc ^ *at) & 0xff];
	return ~crc;
}
