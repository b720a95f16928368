/* dhat.c -- the model of DHAT's profiles: points, merged by stack.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/dhat.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "profile/base/array.h"
#include "profile/read/accesses.h"

enum { FIRST_SLOTS = 256 };

void dhat_set(char **field, const char *text)
{
	free(*field);
	*field = xstrdup(text);
}

void dhat_init(struct dhat *d, enum dhat_mode mode)
{
	static const char *const modes[] = { "heap", "copy", "ad-hoc" };
	static const char *const verbs[] = { "Allocated", "Copied", "Occurred" };

	*d = (struct dhat){ .has_lifetimes = mode == DHAT_HEAP, .short_lived = 500 };
	dhat_set(&d->mode, modes[mode]);
	dhat_set(&d->verb, verbs[mode]);
	dhat_set(&d->time_unit, "instrs");
	dhat_set(&d->time_mega, "Minstr");
	dhat_set(&d->command, "");
	if (mode == DHAT_AD_HOC) {
		dhat_set(&d->byte, "unit");
		dhat_set(&d->bytes, "units");
		dhat_set(&d->blocks, "events");
	}
}

uint32_t dhat_frame(struct dhat *d, const char *text)
{
	/* The pool has no empty text. */
	if (*text == '\0')
		text = "???";
	if (d->frame.count >= DHAT_FRAMES_MAX)
		return 0;
	return strings_add(&d->frame, text, strlen(text));
}

const char *dhat_text(const struct dhat *d, uint32_t frame)
{
	return frame ? strings_get(&d->frame, frame) : "[root]";
}

/* ---- points ------------------------------------------------------------------------------ */

/* Where the slots are is another in every run, so that no file can be made to collide. */
static uint32_t hash_frames(const struct dhat *d, const uint32_t *frame, uint32_t frames)
{
	uint64_t hash = (uintptr_t)d->slot ^ frames;

	for (uint32_t i = 0; i < frames; i++) {
		hash = (hash ^ frame[i]) * UINT64_C(0x9E3779B97F4A7C15);
		hash ^= hash >> 29;
	}
	return (uint32_t)(hash >> 32);
}

static void grow_hash_slots(struct dhat *d)
{
	uint32_t slots = d->slots ? 2 * d->slots : FIRST_SLOTS;
	uint32_t *slot = xcalloc(slots, sizeof(*slot));

	free(d->slot);
	d->slot = slot;
	d->slots = slots;
	for (uint32_t i = 0; i < d->count; i++) {
		const struct dhat_point *p = &d->point[i];
		const uint32_t *frame = p->frames ? d->stacked + p->first_frame : NULL;
		uint32_t at = hash_frames(d, frame, p->frames) & (slots - 1);

		while (slot[at])
			at = (at + 1) & (slots - 1);
		slot[at] = i + 1;
	}
}

/* The slot of a stack, empty if there is no such point yet. */
static uint32_t *find_slot_of_stack(struct dhat *d, const struct dhat_stack *s)
{
	uint32_t at = hash_frames(d, s->frame, s->frames) & (d->slots - 1);

	for (; d->slot[at]; at = (at + 1) & (d->slots - 1)) {
		const struct dhat_point *p = &d->point[d->slot[at] - 1];

		if (p->frames == s->frames &&
		    (s->frames == 0 || memcmp(d->stacked + p->first_frame, s->frame,
					      s->frames * sizeof(*s->frame)) == 0))
			break;
	}
	return &d->slot[at];
}

static int append_new_point(struct dhat *d, const struct dhat_point *values,
			    const struct dhat_stack *s, struct mu_error *err)
{
	struct dhat_point *p;

	if (d->count >= DHAT_POINTS_MAX || s->frames > DHAT_STACKED_MAX - d->stacked_count ||
	    s->counts > DHAT_STACKED_MAX - d->access_count)
		return mu_error_set(err, MU_ERROR_FORMAT, 0, "too many program points");
	array_reserve(&d->point, &d->room, d->count + 1, sizeof(*d->point));
	array_reserve(&d->stacked, &d->stacked_room, d->stacked_count + s->frames,
		      sizeof(*d->stacked));
	array_reserve(&d->access, &d->access_room, d->access_count + s->counts, sizeof(*d->access));
	p = &d->point[d->count++];
	*p = *values;
	p->first_frame = d->stacked_count;
	p->frames = s->frames;
	p->first_count = d->access_count;
	p->counts = s->counts;
	if (s->frames)
		memcpy(d->stacked + d->stacked_count, s->frame, s->frames * sizeof(*s->frame));
	if (s->counts)
		memcpy(d->access + d->access_count, s->count, s->counts * sizeof(*s->count));
	d->stacked_count += s->frames;
	d->access_count += s->counts;
	return 0;
}

void dhat_add_figures(struct dhat_point *to, const struct dhat_point *from)
{
	to->total_bytes += from->total_bytes;
	to->total_blocks += from->total_blocks;
	to->lifetimes += from->lifetimes;
	to->max_bytes += from->max_bytes;
	to->max_blocks += from->max_blocks;
	to->peak_bytes += from->peak_bytes;
	to->peak_blocks += from->peak_blocks;
	to->end_bytes += from->end_bytes;
	to->end_blocks += from->end_blocks;
	to->read_bytes += from->read_bytes;
	to->written_bytes += from->written_bytes;
}

int dhat_add(struct dhat *d, const struct dhat_point *values, const struct dhat_stack *stack,
	     struct mu_error *err)
{
	uint32_t *slot;

	if (stack->counts > DHAT_ACCESSES_MAX)
		return mu_error_set(err, MU_ERROR_FORMAT, 0, "too many access counts");
	if (2 * d->count >= d->slots)
		grow_hash_slots(d);
	slot = find_slot_of_stack(d, stack);
	if (*slot == 0) {
		if (append_new_point(d, values, stack, err) < 0)
			return -1;
		*slot = d->count;
		return 0;
	}
	struct dhat_point *p = &d->point[*slot - 1];
	dhat_add_figures(p, values);
	if (p->counts != stack->counts)
		p->counts = 0;
	else if (p->counts)
		accesses_add_counts(d->access + p->first_count, stack->count, p->counts);
	return 0;
}

struct dhat_point dhat_sum(const struct dhat *d)
{
	struct dhat_point sum = { .total_bytes = 0 };

	for (uint32_t i = 0; i < d->count; i++)
		dhat_add_figures(&sum, &d->point[i]);
	sum.max_bytes = sum.max_blocks = 0;
	return sum;
}

void dhat_free(struct dhat *d)
{
	free(d->mode);
	free(d->verb);
	free(d->byte);
	free(d->bytes);
	free(d->blocks);
	free(d->time_unit);
	free(d->time_mega);
	free(d->command);
	free(d->point);
	free(d->stacked);
	free(d->access);
	free(d->slot);
	strings_free(&d->frame);
	*d = (struct dhat){ .count = 0 };
}
