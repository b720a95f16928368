/* merge.c -- hostile recordings that are merged: what is read stays within them, no sum overflows in a
 * way that C does not define, and what is written is a recording again, of which a page can be made.
 *
 * The input is two recordings, the first of as many bytes as its first four tell; behind each come
 * zeros. The first one is there twice.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "formats/page/page_image.h"
#include "formats/page/page_merge.h"
#include "profile/merge/merge.h"
#include "profile/merge/merge_image.h"
#include "tests/fuzz/readers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const unsigned int replay_truncations;
const unsigned int replay_truncations = 500;

enum { ROOM = 256 << 10, RECORDINGS = 3, PLACES = 4, PARTS = 16 };

struct recordings {
	uint8_t *memory[2];
};

static int open_recording(void *data, uint32_t number, struct segment *s)
{
	const struct recordings *r = data;
	struct mu_error err;

	return segment_view(s, r->memory[number % 2], ROOM, &err);
}

static void close_recording(void *data, struct segment *s)
{
}

static uint8_t *copy_recording(const uint8_t *data, size_t size)
{
	uint8_t *memory = aligned_alloc(4096, ROOM);

	memset(memory, 0, ROOM);
	memcpy(memory, data, size < ROOM ? size : ROOM);
	return memory;
}

static void compare_processes(struct merge *m)
{
	uint32_t *place = calloc((size_t)m->places.sites + 1, sizeof(*place));
	struct merge_spread spread[PLACES];
	struct mu_error err;

	for (uint32_t i = 0; i < m->places.sites; i++)
		place[i] = i % (PLACES + 1);
	for (int figure = 0; figure < MERGE_FIGURES; figure++)
		merge_spreads(m, (enum merge_figure)figure, place, spread, PLACES, &err);
	free(place);
}

static void sum_curves(const struct merge *m)
{
	int64_t *part = calloc((size_t)m->processes + 1, PARTS * sizeof(*part));

	merge_curve_parts(&m->curve, m->processes, NULL, m->processes, part, PARTS);
	free(part);
	for (uint32_t i = 0; i < MERGE_MOMENTS; i++)
		merge_course_sum(&m->course, i);
}

static void make_page(struct merge *m, const struct segment *s)
{
	const struct page_budget budget = { .nodes = 50, .name_bytes = 64, .values = 100,
					    .points = 20 };
	static struct result result;
	struct page_merge with = { .merge = m };
	struct page_json j = { .out = fopen("/dev/null", "w") };
	struct profile p;
	struct filter f;
	struct image im;
	const struct export e = { .filter = &f, .image = &im, .command = "a", .version = "b" };
	struct page_image page = { .export = &e, .segment = &s->head, .result = &result,
				   .merge = &with };

	if (segment_image(s, 0, &im, NULL) < 0 || save_verify(s, &im, NULL) < 0)
		abort();
	profile_load(&p, &im);
	filter_init(&f, &p, NULL);
	sites_lifetimes(&p.sites, &im);
	result_take(&result, &im);
	page_image_init(&page);
	if (page_merge_init(&with, m, &p.sites, &page.stacks, NULL) < 0)
		abort();
	page_image_fill(&j, &page, &budget);
	fclose(j.out);
	page_merge_free(&with);
	page_image_free(&page);
	filter_free(&f);
	profile_free(&p);
}

/* It is as any other recording for what reads it. */
static void read_again(struct merge *m, int fd)
{
	struct mu_error err;
	struct segment s;

	if (segment_open_fd(&s, fd, &err) < 0)
		abort();
	make_page(m, &s);
	readers_run(s.base, s.size, READERS_PROFILE);
	segment_close(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const int out = memfd_create("out", MFD_CLOEXEC);
	struct recordings r;
	const struct merge_source source = { .count = RECORDINGS, .readers = 2, .data = &r,
					     .open = open_recording, .close = close_recording };
	uint32_t first = 0;
	struct mu_error err;
	struct merge m;

	if (size > sizeof(first)) {
		memcpy(&first, data, sizeof(first));
		data += sizeof(first);
		size -= sizeof(first);
	}
	first = first < size ? first : (uint32_t)size;
	r.memory[0] = copy_recording(data, first);
	r.memory[1] = copy_recording(data + first, size - first);
	if (merge_run(&m, &source, memfd_create("spool", MFD_CLOEXEC), &err) == 0) {
		compare_processes(&m);
		sum_curves(&m);
		if (merge_image_write(&m, out, &err) == 0)
			read_again(&m, out);
	}
	merge_free(&m);
	close(out);
	free(r.memory[0]);
	free(r.memory[1]);
	return 0;
}
