/* merge_spool.c -- What each process of a merge has at each place, in a file.
 *
 * Numbers are written with 7 bits in each byte, the lowest first; signs are in the lowest bit.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/merge/merge_spool.h"

#include <errno.h>
#include <unistd.h>

static void put_number(FILE *file, uint64_t number)
{
	for (; number > 0x7f; number >>= 7)
		putc_unlocked((int)(number & 0x7f) | 0x80, file);
	putc_unlocked((int)number, file);
}

static bool get_number(FILE *file, uint64_t *number)
{
	unsigned int shift = 0;
	int byte;

	*number = 0;
	do {
		byte = getc_unlocked(file);
		if (byte == EOF || shift > 63)
			return false;
		*number |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return true;
}

int merge_spool_open(struct merge_spool *s, int fd)
{
	s->file = fdopen(fd, "w+");
	if (!s->file)
		close(fd);
	return s->file ? 0 : -1;
}

void merge_spool_begin(struct merge_spool *s, uint32_t process, uint32_t count)
{
	put_number(s->file, process);
	put_number(s->file, count);
}

void merge_spool_put(struct merge_spool *s, const struct merge_value *value)
{
	put_number(s->file, value->site);
	for (int i = 0; i < MERGE_FIGURES; i++) {
		const uint64_t bits = (uint64_t)value->figure[i];

		put_number(s->file, bits << 1 ^ (0 - (bits >> 63)));
	}
}

int merge_spool_rewind(struct merge_spool *s)
{
	if (fflush(s->file) != 0 || ferror(s->file)) {
		errno = errno ? errno : EIO;
		return -1;
	}
	rewind(s->file);
	return 0;
}

bool merge_spool_next(struct merge_spool *s, uint32_t *process, uint32_t *count)
{
	uint64_t a, b;

	if (!get_number(s->file, &a) || !get_number(s->file, &b))
		return false;
	*process = (uint32_t)a;
	*count = (uint32_t)b;
	return true;
}

bool merge_spool_get(struct merge_spool *s, struct merge_value *value)
{
	uint64_t number;

	if (!get_number(s->file, &number))
		return false;
	value->site = (uint32_t)number;
	for (int i = 0; i < MERGE_FIGURES; i++) {
		if (!get_number(s->file, &number))
			return false;
		value->figure[i] = (int64_t)(number >> 1 ^ (0 - (number & 1)));
	}
	return true;
}

void merge_spool_close(struct merge_spool *s)
{
	if (s->file)
		fclose(s->file);
	s->file = NULL;
}
