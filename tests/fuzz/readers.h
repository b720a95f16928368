/* readers.h -- everything that reads the recording of a process, one after the other.
 *
 * For targets whose recording is hostile: none of it may read or write out of bounds, or go on for
 * ever, whatever stands there and however it changes meanwhile.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "memusage/record/live_snapshot.h"
#include "profile/model/profile.h"
#include "profile/read/accesses.h"
#include "profile/read/lifetimes.h"
#include "profile/read/logmerge.h"
#include "profile/read/marks.h"
#include "profile/read/points.h"
#include "profile/read/result.h"
#include "profile/read/segment.h"
#include "profile/save/save.h"

enum { READERS_BATCH = 512, READERS_SLOTS = 4 };

/* The events of all threads, as the collector takes them while the process runs and when it is
 * dead. */
static inline void readers_merge(struct image *im, bool is_dead)
{
	static struct log_event batch[READERS_BATCH];
	struct log_clock clock;
	struct logmerge m;

	logmerge_init(&m, 0, 0, 1 << 16);
	log_clock_begin(&clock, 0, 0);
	for (uint64_t now = 1; now < 4; now++) {
		log_clock_advance(&clock, now << 40, now << 40);
		if (logmerge_begin(&m, im, &clock, is_dead) < 0)
			break;
		while (logmerge_read(&m, im, batch, READERS_BATCH) > 0)
			;
	}
	logmerge_discard(&m, im);
	logmerge_fini(&m);
}

/* As --record does. */
static inline void readers_keep(const struct segment *s, const struct image *im)
{
	int fd = memfd_create("kept", MFD_CLOEXEC);
	struct mu_error err;
	struct mu_slot slot = { 0 };
	struct save k;

	if (save_begin(&k, fd, &s->head, &err) == 0)
		save_add(&k, im, &slot, &err);
	save_end(&k);
	close(fd);
}

/* The lists of places of which reports are made. */
static inline void readers_profile(const struct image *im)
{
	struct points points = { .count = 0 };
	struct weight *weight;
	struct profile p;

	profile_load(&p, im);
	weight = calloc((size_t)p.sites.count + 1, sizeof(*weight));
	sites_lifetimes(&p.sites, im);
	free(sites_classes(&p.sites, im));
	for (uint64_t i = 0; weight && i < 4; i++)
		sites_weigh(&p.sites, im, METRIC_SNAPSHOT, i, weight);
	points_load(&points, &p.sites, im);
	points_free(&points);
	free(weight);
	profile_free(&p);
}

/* Snapshots from outside, of a process that is not asked: it has ended. */
static inline void readers_shots(const struct segment *s, uint32_t index)
{
	struct live_snapshots shots = { .count = 0 };
	struct mu_error err;
	struct mu_slot slot;
	struct live l;
	int fd;

	if (s->head.kind == MU_KIND_KEPT || !segment_slot(s, index, &slot) ||
	    s->head.slot_size < sizeof(struct mu_image) ||
	    s->head.slots + (index + 1) * s->head.slot_size > s->size ||
	    (s->head.slots | s->head.slot_size) % 64 != 0)
		return;
	live_from_view(&l, s, index, slot.generation);
	l.is_final = true;
	fd = memfd_create("shot", MFD_CLOEXEC);
	if (live_snapshot_take(&shots, &l, true, &err) == 0)
		live_snapshot_save(&shots, &l, 1, fd, &err);
	live_snapshot_free(&shots);
	if (live_snapshot_copy_all(&shots, &l, &err) == 0)
		live_snapshot_save(&shots, &l, 1, fd, &err);
	live_snapshot_free(&shots);
	close(fd);
}

/* Which reader to use: bits of readers_run()'s `which`. */
enum readers_which { READERS_RESULT = 1, READERS_KEEP = 2, READERS_MERGE = 4, READERS_PROFILE = 8,
		     READERS_SHOTS = 16, READERS_ALL = 31 };

/* readers_run -- read the recording of SIZE bytes at MEMORY. */
static inline void readers_run(const uint8_t *memory, size_t size, unsigned int which)
{
	static struct result result;
	struct mu_error err;
	struct segment s;
	struct image im;

	if (segment_view(&s, memory, size, &err) < 0)
		return;
	for (uint32_t i = 0; i < s.head.slot_count && i < READERS_SLOTS; i++) {
		if (segment_image(&s, i, &im, &err) < 0)
			continue;
		if (which & READERS_RESULT)
			result_take(&result, &im);
		save_verify(&s, &im, &err);
		if (which & READERS_KEEP)
			readers_keep(&s, &im);
		if (which & READERS_MERGE) {
			readers_merge(&im, false);
			readers_merge(&im, true);
		}
		if (which & READERS_PROFILE)
			readers_profile(&im);
		if (which & READERS_SHOTS)
			readers_shots(&s, i);
	}
}
