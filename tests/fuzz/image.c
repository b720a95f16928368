/* image.c -- a recording that a hostile program has written, read in every way we have.
 *
 * The input is the start of a recording of any kind; behind it come zeros, as in a sparse file.
 * What is read must stay within it and come to an end.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "profile/keep.h"
#include "profile/logmerge.h"
#include "profile/result.h"
#include "profile/segment.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ROOM = 256 << 10, BATCH = 512 };

static struct result result;

static void merge(struct image *im, bool is_dead)
{
	static struct log_event batch[BATCH];
	struct log_clock clock;
	struct logmerge m;

	logmerge_init(&m, 0, 0, 1 << 16);
	log_clock_begin(&clock, 0, 0);
	for (uint64_t now = 1; now < 4; now++) {
		log_clock_advance(&clock, now << 40, now << 40);
		if (logmerge_begin(&m, im, &clock, is_dead) < 0)
			break;
		while (logmerge_read(&m, im, batch, BATCH) > 0)
			;
	}
	logmerge_discard(&m, im);
	logmerge_fini(&m);
}

static void keep(const struct segment *s, const struct image *im)
{
	int fd = memfd_create("kept", MFD_CLOEXEC);
	struct mu_error err;
	struct mu_slot slot = { 0 };
	struct keep k;

	if (keep_begin(&k, fd, &s->head, &err) == 0)
		keep_add(&k, im, &slot, &err);
	keep_end(&k);
	close(fd);
}

static void read_image(const struct segment *s, uint32_t index)
{
	struct mu_error err;
	struct image im;

	if (segment_image(s, index, &im, &err) < 0)
		return;
	result_take(&result, &im);
	keep_verify(s, &im, &err);
	keep(s, &im);
	merge(&im, false);
	merge(&im, true);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *memory = aligned_alloc(4096, ROOM);
	struct mu_error err;
	struct segment s;

	memset(memory, 0, ROOM);
	memcpy(memory, data, size < ROOM ? size : ROOM);
	if (segment_view(&s, memory, ROOM, &err) == 0) {
		for (uint32_t i = 0; i < s.head.slot_count && i < 4; i++)
			read_image(&s, i);
	}
	free(memory);
	return 0;
}
