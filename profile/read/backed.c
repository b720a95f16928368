/* backed.c -- which parts of an image have memory behind them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/read/backed.h"

#include <errno.h>
#include <unistd.h>

#include "recording/recording.h"

void backed_init(struct backed *b, int fd, uint64_t start, uint64_t size)
{
	*b = (struct backed){ .fd = fd, .start = start, .size = size };
}

/* The first byte from OFFSET on that is data, or a hole. Source lseek(2). */
static uint64_t seek_data_or_hole(const struct backed *b, uint64_t offset, int whence)
{
	off_t at = lseek(b->fd, (off_t)(b->start + offset), whence);

	/* ENXIO: only a hole from here on. Other errors: unknown, so all counts as data. */
	if (at < 0)
		return (errno == ENXIO) == (whence == SEEK_HOLE) ? offset : b->size;
	at -= (off_t)b->start;
	return (uint64_t)at < b->size ? (uint64_t)at : b->size;
}

static struct backed_range *find_backed_range(struct backed *b, uint64_t offset)
{
	for (int i = 0; i < BACKED_RANGES; i++) {
		if (offset >= b->known[i].from && offset < b->known[i].to)
			return &b->known[i];
	}
	return NULL;
}

uint64_t backed_run(struct backed *b, uint64_t offset, uint64_t length)
{
	struct backed_range *range;

	if (offset >= b->size)
		return 0;
	range = find_backed_range(b, offset);
	if (!range) {
		range = &b->known[b->next];
		b->next = (b->next + 1) % BACKED_RANGES;
		range->from = offset & ~(uint64_t)(MU_PAGE - 1);
		range->to = seek_data_or_hole(b, offset, SEEK_HOLE);
		if (range->to <= offset)
			*range = (struct backed_range){ 0, 0 };
	} else if (range->to - offset < length && range->to < b->size) {
		/* Images grow. */
		range->to = seek_data_or_hole(b, range->to, SEEK_HOLE);
	}
	return range->to > offset ? range->to - offset : 0;
}

uint64_t backed_bytes(const struct backed *b)
{
	uint64_t sum = 0, at = 0;

	while (at < b->size) {
		uint64_t data = seek_data_or_hole(b, at, SEEK_DATA), hole;

		if (data >= b->size)
			break;
		hole = seek_data_or_hole(b, data, SEEK_HOLE);
		if (hole <= data)
			break;
		sum += hole - data;
		at = hole;
	}
	return sum;
}
