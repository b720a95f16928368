/* perfetto.c -- Writes a trace of Perfetto.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/viewers/perfetto.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "formats/base/protobuf.h"
#include "formats/base/triples.h"
#include "profile/read/snapshot_values.h"
#include "profile/read/timeline.h"

/* Field numbers, message by message. */
enum {
	TRACE_PACKET = 1,
	PACKET_CLOCKS = 6, PACKET_TIMESTAMP = 8, PACKET_SEQUENCE = 10, PACKET_EVENT = 11,
	PACKET_INTERNED = 12, PACKET_FLAGS = 13, PACKET_PROFILE = 37, PACKET_TRACK = 60,
	CLOCKS_CLOCK = 1, CLOCKS_PRIMARY = 2, CLOCK_ID = 1, CLOCK_TIMESTAMP = 2,
	TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PROCESS = 3, TRACK_PARENT = 5, TRACK_COUNTER = 8,
	PROCESS_PID = 1, PROCESS_COMMAND = 2, PROCESS_NAME = 6,
	COUNTER_UNIT = 3,
	EVENT_TYPE = 9, EVENT_TRACK = 11, EVENT_VALUE = 30,
	INTERNED_FUNCTION = 5, INTERNED_FRAME = 6, INTERNED_STACK = 7, INTERNED_BUILD_ID = 16,
	INTERNED_PATH = 17, INTERNED_SOURCE = 18, INTERNED_MAPPING = 19,
	TEXT_ID = 1, TEXT_BYTES = 2,
	FRAME_ID = 1, FRAME_FUNCTION = 2, FRAME_MAPPING = 3, FRAME_PC = 4, FRAME_SOURCE = 5,
	FRAME_LINE = 6,
	STACK_ID = 1, STACK_FRAMES = 2,
	MAPPING_ID = 1, MAPPING_BUILD_ID = 2, MAPPING_START = 4, MAPPING_END = 5,
	MAPPING_BIAS = 6, MAPPING_PATH = 7,
	PROFILE_DUMP = 5, PROFILE_INDEX = 7,
	DUMP_PID = 1, DUMP_SAMPLE = 2, DUMP_FROM_STARTUP = 3, DUMP_TIMESTAMP = 9, DUMP_HEAP = 11,
	DUMP_INTERVAL = 12,
	SAMPLE_STACK = 1, SAMPLE_ALLOCATED = 2, SAMPLE_FREED = 3, SAMPLE_ALLOCATIONS = 5,
	SAMPLE_FREES = 6, SAMPLE_MAX = 8, SAMPLE_MAX_COUNT = 9
};

enum {
	CLOCK_REAL = 1, CLOCK_MONO = 3, CLOCK_MONO_COARSE = 4, CLOCK_BOOT = 6,
	STATE_CLEARED = 1, STATE_NEEDED = 2, TYPE_COUNTER = 4, UNIT_BYTES = 3,
	SEQUENCE = 1, DEPTH_MAX = 512
};

enum counter { COUNTER_HEAP, COUNTER_RESIDENT, COUNTER_PRIVATE, COUNTER_SWAP, COUNTERS };

static const char *const counter_names[COUNTERS] = { "heap", "resident", "private", "swap" };

/* The totals of each stack so far. */
struct running {
	int64_t live, live_blocks;
	uint64_t allocated, freed, allocations, frees;
};

struct perfetto {
	FILE *out;
	const struct export *e;
	struct protobuf packet, part, inner, innermost;
	struct strings functions, sources, paths;
	struct triples frames;	/* location, level, 0; the number less 1 of a frame */
	struct running *running;	/* by site */
	struct weight *weight;
	uint64_t dumps;
};

/* ---- packets ------------------------------------------------------------------------------- */

static void end_packet(struct perfetto *t)
{
	struct protobuf trace = { .size = 0 };

	protobuf_number(&t->packet, PACKET_SEQUENCE, SEQUENCE);
	protobuf_message(&trace, TRACE_PACKET, &t->packet);
	fwrite(trace.data, 1, trace.size, t->out);
	protobuf_free(&trace);
}

/* All times are of CLOCK_MONOTONIC, which stands for the clock of the boot: nothing tells what the
 * machine slept. */
static void put_clocks(struct perfetto *t)
{
	const struct mu_process *process = &t->e->image->head.process;
	const uint64_t mono = process->start_mono_ns;
	const uint64_t real = t->e->start_real_ns ? t->e->start_real_ns : mono;
	const struct { uint64_t id, ns; } clocks[] = {
		{ CLOCK_BOOT, mono }, { CLOCK_MONO, mono }, { CLOCK_MONO_COARSE, mono },
		{ CLOCK_REAL, real } };

	for (size_t i = 0; i < sizeof(clocks) / sizeof(*clocks); i++) {
		protobuf_number(&t->inner, CLOCK_ID, clocks[i].id);
		protobuf_number(&t->inner, CLOCK_TIMESTAMP, clocks[i].ns);
		protobuf_message(&t->part, CLOCKS_CLOCK, &t->inner);
	}
	protobuf_number(&t->part, CLOCKS_PRIMARY, CLOCK_BOOT);
	protobuf_message(&t->packet, PACKET_CLOCKS, &t->part);
	protobuf_number(&t->packet, PACKET_FLAGS, STATE_CLEARED);
	end_packet(t);
}

/* ---- counters ------------------------------------------------------------------------------ */

/* A merge has no process ID, but Perfetto takes 0 for the idle process. */
static uint64_t pid_of(const struct perfetto *t)
{
	return t->e->pid ? t->e->pid : 1;
}

static uint64_t track_of_process(const struct perfetto *t)
{
	return pid_of(t) << 8 | 0xff;
}

static void put_tracks(struct perfetto *t)
{
	protobuf_number(&t->part, TRACK_UUID, track_of_process(t));
	protobuf_number(&t->inner, PROCESS_PID, pid_of(t));
	protobuf_text(&t->inner, PROCESS_COMMAND, t->e->command);
	protobuf_text(&t->inner, PROCESS_NAME, t->e->command);
	protobuf_message(&t->part, TRACK_PROCESS, &t->inner);
	protobuf_message(&t->packet, PACKET_TRACK, &t->part);
	end_packet(t);
	for (uint64_t i = 0; i < COUNTERS; i++) {
		protobuf_number(&t->part, TRACK_UUID, pid_of(t) << 8 | i);
		protobuf_text(&t->part, TRACK_NAME, counter_names[i]);
		protobuf_number(&t->part, TRACK_PARENT, track_of_process(t));
		protobuf_number(&t->inner, COUNTER_UNIT, UNIT_BYTES);
		protobuf_message(&t->part, TRACK_COUNTER, &t->inner);
		protobuf_message(&t->packet, PACKET_TRACK, &t->part);
		end_packet(t);
	}
}

static void put_counter(struct perfetto *t, enum counter counter, uint64_t mono_ns, uint64_t value)
{
	protobuf_number(&t->packet, PACKET_TIMESTAMP, mono_ns);
	protobuf_number(&t->part, EVENT_TYPE, TYPE_COUNTER);
	protobuf_number(&t->part, EVENT_TRACK, pid_of(t) << 8 | counter);
	protobuf_number(&t->part, EVENT_VALUE, value);
	protobuf_message(&t->packet, PACKET_EVENT, &t->part);
	end_packet(t);
}

static uint64_t not_below_zero(int64_t value)
{
	return value > 0 ? (uint64_t)value : 0;
}

/* Snapshots know the heap at more moments than the kernel was asked about resident memory. */
static void put_counters(struct perfetto *t)
{
	const uint64_t snapshots = image_count(t->e->image, MU_SEC_SNAPSHOTS);
	struct timeline line;
	struct mu_snapshot shot;

	for (uint64_t i = 0; i < snapshots && image_snapshot(t->e->image, i, &shot); i++)
		put_counter(t, COUNTER_HEAP, shot.mono_ns, not_below_zero(shot.heap));
	if (timeline_load(&line, t->e->image, NULL) < 0)
		return;
	for (uint32_t i = 0; i < line.count; i++) {
		const struct mu_sample *s = &line.sample[i];

		put_counter(t, COUNTER_HEAP, s->mono_ns, not_below_zero(s->heap));
		put_counter(t, COUNTER_RESIDENT, s->mono_ns, timeline_resident(s));
		put_counter(t, COUNTER_PRIVATE, s->mono_ns, s->rss_anon);
		put_counter(t, COUNTER_SWAP, s->mono_ns, s->swap);
	}
	timeline_free(&line);
}

/* ---- names --------------------------------------------------------------------------------- */

static uint32_t add_text(struct strings *texts, const char *text)
{
	return strings_add(texts, text, strlen(text));
}

static void put_interned_text(struct perfetto *t, unsigned int field, uint64_t id,
			      const void *bytes, size_t size)
{
	protobuf_number(&t->inner, TEXT_ID, id);
	protobuf_bytes(&t->inner, TEXT_BYTES, bytes, size);
	protobuf_message(&t->part, field, &t->inner);
}

static void put_texts(struct perfetto *t, unsigned int field, const struct strings *texts)
{
	for (uint32_t i = 1; i <= texts->count; i++) {
		const char *text = strings_get(texts, i);

		put_interned_text(t, field, i, text, strlen(text));
	}
}

static void put_mappings(struct perfetto *t)
{
	const struct modules *m = &t->e->filter->profile->modules;

	for (uint32_t i = 0; i < m->count; i++) {
		const struct module *from = &m->module[i];

		if (from->id.length > 0)
			put_interned_text(t, INTERNED_BUILD_ID, (uint64_t)i + 1, from->id.byte,
					  from->id.length);
		protobuf_number(&t->inner, MAPPING_ID, (uint64_t)i + 1);
		if (from->id.length > 0)
			protobuf_number(&t->inner, MAPPING_BUILD_ID, (uint64_t)i + 1);
		protobuf_number(&t->inner, MAPPING_START, from->start);
		protobuf_number(&t->inner, MAPPING_END, from->end);
		protobuf_number(&t->inner, MAPPING_BIAS, from->bias);
		protobuf_number(&t->inner, MAPPING_PATH, add_text(&t->paths, from->path));
		protobuf_message(&t->part, INTERNED_MAPPING, &t->inner);
	}
	put_texts(t, INTERNED_PATH, &t->paths);
}

/* An inlined call is a frame of its own at the same address. */
static void put_frames(struct perfetto *t)
{
	const struct profile *p = t->e->filter->profile;

	for (uint32_t i = 0; i < t->frames.count; i++) {
		const struct triple *f = &t->frames.triple[i];
		const struct location *l = &p->location[f->a];
		const bool has_module = l->module < p->modules.count;
		uint32_t count;
		const struct symbols_level *level = profile_levels(p, f->a, &count);

		protobuf_number(&t->inner, FRAME_ID, (uint64_t)i + 1);
		if (f->b < count) {
			protobuf_number(&t->inner, FRAME_FUNCTION,
					add_text(&t->functions,
						 symbols_text(&p->symbols, level[f->b].full)));
			protobuf_number(&t->inner, FRAME_SOURCE,
					add_text(&t->sources,
						 symbols_text(&p->symbols, level[f->b].file)));
			protobuf_number(&t->inner, FRAME_LINE, level[f->b].line);
		}
		protobuf_number(&t->inner, FRAME_MAPPING, has_module ? (uint64_t)l->module + 1 : 0);
		protobuf_number(&t->inner, FRAME_PC,
				l->pc - 1 - (has_module ? p->modules.module[l->module].bias : 0));
		protobuf_message(&t->part, INTERNED_FRAME, &t->inner);
	}
	put_texts(t, INTERNED_FUNCTION, &t->functions);
	put_texts(t, INTERNED_SOURCE, &t->sources);
}

/* Innermost first into LIST; returns how many. */
static uint32_t list_frames(struct perfetto *t, uint32_t site, uint32_t list[DEPTH_MAX])
{
	const struct profile *p = t->e->filter->profile;
	const struct filtered stack = filter_stack(t->e->filter, p->sites.site[site].stack);
	uint32_t frame = stack.frame, count = 0;

	for (uint32_t i = 0; i < stack.count && frame; i++, frame = p->frame[frame].parent) {
		const uint32_t location = p->frame[frame].location;
		uint32_t levels;

		profile_levels(p, location, &levels);
		for (uint32_t k = 0; (k < levels || k == 0) && count < DEPTH_MAX; k++)
			list[count++] = triples_add(&t->frames, location, k, 0) + 1;
	}
	return count;
}

static bool is_shown(const struct perfetto *t, uint32_t site)
{
	const struct profile *p = t->e->filter->profile;

	return sites_is_counted(&p->sites.site[site]) &&
	       !filter_stack(t->e->filter, p->sites.site[site].stack).is_ignored;
}

/* Perfetto's stacks begin at the outermost frame. A stack has the number of its site, plus 1. */
static void put_names(struct perfetto *t)
{
	const struct profile *p = t->e->filter->profile;
	uint32_t list[DEPTH_MAX];

	for (uint32_t i = 0; i < p->sites.count; i++) {
		uint32_t count = is_shown(t, i) ? list_frames(t, i, list) : 0;

		if (!is_shown(t, i))
			continue;
		protobuf_number(&t->inner, STACK_ID, (uint64_t)i + 1);
		while (count > 0)
			protobuf_number(&t->inner, STACK_FRAMES, list[--count]);
		protobuf_message(&t->part, INTERNED_STACK, &t->inner);
	}
	put_frames(t);
	put_mappings(t);
	protobuf_message(&t->packet, PACKET_INTERNED, &t->part);
	protobuf_number(&t->packet, PACKET_FLAGS, STATE_NEEDED);
	end_packet(t);
}

/* ---- profiles ------------------------------------------------------------------------------ */

static void end_dump(struct perfetto *t, uint64_t mono_ns, const char *heap)
{
	const struct mu_image *head = &t->e->image->head;

	protobuf_number(&t->inner, DUMP_PID, pid_of(t));
	protobuf_number(&t->inner, DUMP_FROM_STARTUP, 1);
	protobuf_number(&t->inner, DUMP_TIMESTAMP, mono_ns);
	protobuf_text(&t->inner, DUMP_HEAP, heap);
	protobuf_number(&t->inner, DUMP_INTERVAL,
			head->sampling.log2 ? UINT64_C(1) << (head->sampling.log2 & 63) : 1);
	protobuf_message(&t->part, PROFILE_DUMP, &t->inner);
	protobuf_number(&t->part, PROFILE_INDEX, t->dumps++);
	protobuf_message(&t->packet, PACKET_PROFILE, &t->part);
	protobuf_number(&t->packet, PACKET_TIMESTAMP, mono_ns);
	protobuf_number(&t->packet, PACKET_FLAGS, STATE_NEEDED);
	end_packet(t);
}

static void put_running(struct perfetto *t, uint32_t site)
{
	const struct running *r = &t->running[site];

	if (r->allocated == 0 && r->allocations == 0)
		return;
	protobuf_number(&t->innermost, SAMPLE_STACK, (uint64_t)site + 1);
	protobuf_number(&t->innermost, SAMPLE_ALLOCATED, r->allocated);
	protobuf_number(&t->innermost, SAMPLE_FREED, r->freed);
	protobuf_number(&t->innermost, SAMPLE_ALLOCATIONS, r->allocations);
	protobuf_number(&t->innermost, SAMPLE_FREES, r->frees);
	protobuf_message(&t->inner, DUMP_SAMPLE, &t->innermost);
}

static void move_to(int64_t *live, int64_t now, uint64_t *up, uint64_t *down)
{
	now = now > 0 ? now : 0;
	if (now > *live)
		*up += (uint64_t)(now - *live);
	else
		*down += (uint64_t)(*live - now);
	*live = now;
}

static void put_snapshots(struct perfetto *t)
{
	const struct profile *p = t->e->filter->profile;
	const uint64_t count = image_count(t->e->image, MU_SEC_SNAPSHOTS);
	struct mu_snapshot shot;

	for (uint64_t i = 0; i < count && image_snapshot(t->e->image, i, &shot); i++) {
		if (shot.heap <= 0 ||
		    sites_weigh(&p->sites, t->e->image, METRIC_SNAPSHOT, i, t->weight) < 0)
			continue;
		for (uint32_t k = 0; k < p->sites.count; k++) {
			struct running *r = &t->running[k];

			if (!is_shown(t, k))
				continue;
			move_to(&r->live, t->weight[k].bytes, &r->allocated, &r->freed);
			move_to(&r->live_blocks, t->weight[k].blocks, &r->allocations, &r->frees);
			put_running(t, k);
		}
		end_dump(t, shot.mono_ns, "malloc");
	}
}

static uint64_t end_of_image(const struct perfetto *t)
{
	const struct mu_process *process = &t->e->image->head.process;

	return process->exit_mono_ns > process->start_mono_ns ? process->exit_mono_ns :
								process->start_mono_ns + 1;
}

/* At the end all that was allocated is known. */
static void put_end(struct perfetto *t)
{
	const struct profile *p = t->e->filter->profile;

	for (uint32_t i = 0; i < p->sites.count; i++) {
		const struct site *s = &p->sites.site[i];
		const uint64_t live = not_below_zero(s->live_bytes);
		const uint64_t blocks = not_below_zero(s->live_blocks);

		if (!is_shown(t, i))
			continue;
		t->running[i] = (struct running){
			.allocated = s->total_bytes, .allocations = s->total_blocks,
			.freed = s->total_bytes > live ? s->total_bytes - live : 0,
			.frees = s->total_blocks > blocks ? s->total_blocks - blocks : 0 };
		put_running(t, i);
	}
	end_dump(t, end_of_image(t), "malloc");
}

static void put_peak(struct perfetto *t)
{
	const struct profile *p = t->e->filter->profile;

	for (uint32_t i = 0; i < p->sites.count; i++) {
		const struct site *s = &p->sites.site[i];

		if (!is_shown(t, i) || (s->peak_bytes <= 0 && s->peak_blocks <= 0))
			continue;
		protobuf_number(&t->innermost, SAMPLE_STACK, (uint64_t)i + 1);
		protobuf_number(&t->innermost, SAMPLE_MAX, not_below_zero(s->peak_bytes));
		protobuf_number(&t->innermost, SAMPLE_MAX_COUNT, not_below_zero(s->peak_blocks));
		protobuf_message(&t->inner, DUMP_SAMPLE, &t->innermost);
	}
	end_dump(t, end_of_image(t), "malloc, at the peak");
}

void perfetto_write(FILE *out, const struct export *e)
{
	const size_t sites = (size_t)e->filter->profile->sites.count + 1;
	struct perfetto t = { .out = out, .e = e,
			      .running = xcalloc(sites, sizeof(*t.running)),
			      .weight = xcalloc(sites, sizeof(*t.weight)) };

	put_clocks(&t);
	put_tracks(&t);
	put_counters(&t);
	put_names(&t);
	put_snapshots(&t);
	put_end(&t);
	put_peak(&t);
	protobuf_free(&t.packet);
	protobuf_free(&t.part);
	protobuf_free(&t.inner);
	protobuf_free(&t.innermost);
	strings_free(&t.functions);
	strings_free(&t.sources);
	strings_free(&t.paths);
	triples_free(&t.frames);
	free(t.running);
	free(t.weight);
}
