/* stat_compat.c -- the same data give the same picture as glibc's memusagestat, pixel by pixel.
 *
 * Compared is the whole picture by number of calls, and by time all but the texts below the
 * axis, which ours has right. The runs are made here: sparse and dense ones, with values and
 * times that are awkward in some way.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <fcntl.h>
#include <gd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/message.h"
#include "memusagestat/data_input.h"
#include "memusagestat/classic_picture.h"
#include "tests/lib/tap.h"

#define GLIBC "/usr/bin/memusagestat"

enum kind { RANDOM, WALK, SPIKES, WIDE, FLAT, UNIT, NO_HEAP, NO_STACK, KINDS };

static const char *const file_type_name[KINDS] = {
	"random values", "a random walk", "rare spikes", "2^0 to 2^50 and times that go back",
	"few values, times that stand still", "peaks at the border of a unit",
	"stack without heap", "heap without stack",
};

static uint64_t seed;

static uint64_t next_random(uint64_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % below;
}

/* The next event of a run of this KIND. */
static void make_event(enum kind kind, unsigned i, uint64_t *heap, uint64_t *stack,
		       uint64_t *time)
{
	*time += kind == FLAT ? i % 50 == 0 : next_random(1000);
	*stack = next_random(5000);
	switch (kind) {
	case WALK:
		*heap += next_random(1000);
		*heap -= i % 3 ? 0 : next_random(*heap + 1) / 2;
		*stack = next_random(10) * 16 + i / 100 % 50 * 320;
		break;
	case SPIKES:
		*heap = next_random(40) ? *heap : next_random(UINT64_C(3) << 30);
		*stack = 64;
		break;
	case WIDE:
		*heap = UINT64_C(1) << next_random(50);
		*stack = next_random(UINT64_C(1) << (1 + next_random(40)));
		*time -= next_random(600) < *time ? next_random(600) : 0;
		break;
	case UNIT:
		*heap = 1024 + next_random(2);
		*stack = 1022 + next_random(2);
		break;
	default:
		*heap = kind == NO_HEAP ? 0 : next_random(kind == FLAT ? 7 : 300000);
		*stack = kind == NO_STACK ? 0 : *stack;
	}
}

static void write_run(const char *name, enum kind kind, unsigned events)
{
	const uint64_t start = UINT64_C(0x300000005);
	struct dat_record *record = malloc((events + 1) * sizeof(*record));
	uint64_t heap = 0, stack = 0, time = start, end = start + 1;
	struct dat_totals totals = { 0 };
	struct dat_writer w;
	int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);

	seed = 88172645463325252u + kind * 1000 + events;
	for (unsigned i = 0; i < events; i++) {
		make_event(kind, i, &heap, &stack, &time);
		time = time < start ? start : time;
		record[i] = dat_make(heap, stack, time);
		totals.heap_peak = heap > totals.heap_peak ? heap : totals.heap_peak;
		totals.stack_peak = stack > totals.stack_peak ? stack : totals.stack_peak;
		if (heap + stack > totals.total_peak)
			totals.total_peak = heap + stack;
		end = time >= end ? time + 1 : end;
	}
	totals.end = end;
	if (fd < 0 || dat_create(&w, fd, start, false, NULL) < 0 ||
	    dat_append(&w, record, events, NULL) < 0 || dat_finish(&w, &totals, NULL) < 0)
		abort();
	close(fd);
	free(record);
}

/* What glibc's program draws, or NULL. */
static gdImagePtr draw_theirs(const char *name, const struct settings *s)
{
	char width[16], height[16];
	gdImagePtr image;
	FILE *png;
	int status;

	snprintf(width, sizeof(width), "-x%u", s->width);
	snprintf(height, sizeof(height), "-y%u", s->height);
	fflush(stdout);
	if (fork() == 0) {
		execl(GLIBC, GLIBC, width, height, name, "theirs.png",
		      s->by_time ? "-t" : s->with_total ? "-T" : "-stitle",
		      s->by_time && s->with_total ? "-T" : NULL, NULL);
		_exit(127);
	}
	if (wait(&status) < 0 || status != 0)
		return NULL;
	png = fopen("theirs.png", "rb");
	image = gdImageCreateFromPng(png);
	fclose(png);
	return image;
}

static gdImagePtr draw_ours(const char *name, struct settings *s)
{
	struct data_input in;
	gdImagePtr image;

	s->title = s->by_time || s->with_total ? NULL : "title";
	data_input_open(&in, name);
	image = classic_picture_draw(&in, s);
	data_input_close(&in);
	return image;
}

/* Colours, not indices, and not transparency, which is given by the file. */
static int color_at(gdImagePtr image, int x, int y)
{
	return gdImageGetTrueColorPixel(image, x, y) & 0xffffff;
}

static int count_differing(gdImagePtr a, gdImagePtr b, int rows)
{
	int count = 0;

	for (int y = 0; y < rows; y++) {
		for (int x = 0; x < gdImageSX(a); x++)
			count += color_at(a, x, y) != color_at(b, x, y);
	}
	return count;
}

static void compare(const char *name, const char *what, struct settings s)
{
	gdImagePtr theirs = draw_theirs(name, &s), ours = draw_ours(name, &s);
	int rows = (int)s.height - (s.by_time ? 13 : 0);
	int differing = theirs ? count_differing(theirs, ours, rows) : -1;

	OK(differing == 0, "%s, %u x %u%s%s: %d pixels differ", what, s.width, s.height,
	   s.by_time ? " by time" : "", s.with_total ? " with total" : "", differing);
	if (theirs)
		gdImageDestroy(theirs);
	gdImageDestroy(ours);
}

int main(void)
{
	static const unsigned sizes[] = { 1, 2, 19, 20, 21, 333, 719, 720, 721, 5000 };
	static const struct settings all[] = {
		{ .width = 800, .height = 600 },
		{ .width = 500, .height = 333, .with_total = true },
		{ .width = 800, .height = 800, .by_time = true },
		{ .width = 400, .height = 300, .by_time = true, .with_total = true },
		{ .width = 1500, .height = 80 },
		{ .width = 100, .height = 80, .by_time = true },
	};
	char what[128];

	if (access(GLIBC, X_OK) != 0)
		skip_all("no " GLIBC " here");
	message_init("memusagestat", 1);
	for (unsigned i = 0; i < sizeof(sizes) / sizeof(*sizes) * KINDS; i++) {
		enum kind kind = i % KINDS;
		unsigned events = sizes[i / KINDS];

		write_run("run.dat", kind, events);
		snprintf(what, sizeof(what), "%u events, %s", events, file_type_name[kind]);
		compare("run.dat", what, all[i % 6]);
		compare("run.dat", what, all[(i + 1 + i / 6) % 6]);
	}
	write_run("run.dat", WALK, 100000);
	compare("run.dat", "100000 events", all[0]);
	compare("run.dat", "100000 events", all[3]);
	return done_testing();
}
