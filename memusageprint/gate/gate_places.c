/* gate_places.c -- The places that make the difference, for a broken condition.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/gate/gate_places.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cli/xmalloc.h"
#include "profile/compare/comparison.h"
#include "profile/model/position.h"
#include "profile/model/shortname.h"
#include "profile/model/top.h"

enum { NAME_BYTES = 160 };

/* ---- frames -------------------------------------------------------------------------------- */

static struct gate_frame make_frame(const struct profile *p, const struct position *at)
{
	const uint32_t location = p->frame[at->frame].location;
	const struct symbols_level *level = position_level(p, at);
	const uint32_t module = p->location[location].module;
	const uint64_t address = p->location[location].pc - 1;
	struct gate_frame f = { .line = level ? level->line : 0 };
	char name[NAME_BYTES];

	/* The address in the file is the same in every run; the address in memory is not. */
	if (level && level->full)
		f.function = xstrdup(shortname(symbols_text(&p->symbols, level->full), name,
					       sizeof(name)));
	else
		f.function = xasprintf("0x%" PRIx64, module < p->modules.count ?
					address - p->modules.module[module].bias : address);
	f.file = xstrdup(level ? symbols_text(&p->symbols, level->file) : "");
	f.object = xstrdup(profile_object(p, location));
	return f;
}

static void fill_frames(struct gate_place *to, const struct profile *p, struct position at)
{
	bool goes_on = at.left > 0;

	while (goes_on && to->frames < GATE_FRAMES) {
		to->frame[to->frames++] = make_frame(p, &at);
		goes_on = position_step(p, &at);
	}
	to->has_more = goes_on;
}

/* ---- places of one run --------------------------------------------------------------------- */

static int find_largest(struct gate_finding *f, const struct condition *c, struct gate_side *side)
{
	struct top top;

	if (gate_side_weigh(side, c) < 0)
		return 0;
	top_build(&top, &side->subject.filter, side->weight, TOP_BY_FUNCTION, TOP_BY_BYTES);
	while (top.count > 0 && top.entry[top.count - 1].bytes == 0)
		top.count--;
	for (uint32_t i = 0; i < top.count && f->places < GATE_PLACES; i++) {
		struct gate_place *to = &f->place[f->places++];

		to->new = (double)top.entry[i].bytes;
		fill_frames(to, &side->subject.profile, top.entry[i].at);
	}
	f->more = top.count > f->places ? top.count - f->places : 0;
	top_free(&top);
	return 0;
}

/* ---- places of two runs -------------------------------------------------------------------- */

/* The weights of both runs by site of the comparison. */
struct compared {
	struct comparison comparison;
	struct weight *weight[SIDES], *change;
};

static void compare_sides(struct compared *c, const struct gate_side *const side[SIDES])
{
	struct compare_side from[SIDES];
	size_t room;

	for (int i = 0; i < SIDES; i++)
		from[i] = (struct compare_side){ .filter = &side[i]->subject.filter,
						 .weight = side[i]->weight };
	comparison_init(&c->comparison, from);
	room = (size_t)c->comparison.profile.sites.count + 1;
	c->change = xcalloc(room, sizeof(*c->change));
	for (int i = 0; i < SIDES; i++) {
		c->weight[i] = xcalloc(room, sizeof(*c->weight[i]));
		comparison_weigh(&c->comparison, i, side[i]->weight, c->weight[i], NULL);
	}
	comparison_change(&c->comparison, c->weight[SIDE_OLD], c->weight[SIDE_NEW], c->change,
			  NULL);
}

static void fill_grown(struct gate_finding *f, const struct compared *c, const struct top *top)
{
	const struct profile *p = &c->comparison.profile;
	uint32_t *group = xcalloc((size_t)p->sites.count + 1, sizeof(*group));
	const uint32_t groups = top_group_sites(group, &c->comparison.filter, TOP_BY_FUNCTION);

	for (uint32_t i = 0; i < top->count && top->entry[i].bytes > 0; i++) {
		struct gate_place *to = &f->place[f->places];

		if (f->places == GATE_PLACES) {
			f->more++;
			continue;
		}
		f->places++;
		for (uint32_t k = 0; k < p->sites.count; k++) {
			if (group[k] >= groups || group[k] != group[top->entry[i].site])
				continue;
			to->old += (double)c->weight[SIDE_OLD][k].bytes;
			to->new += (double)c->weight[SIDE_NEW][k].bytes;
		}
		fill_frames(to, p, top->entry[i].at);
	}
	free(group);
}

static int find_grown(struct gate_finding *f, const struct condition *condition,
		      struct gate_side *old, struct gate_side *new)
{
	const struct gate_side *const side[SIDES] = { [SIDE_OLD] = old, [SIDE_NEW] = new };
	struct compared c;
	struct top top;

	if (gate_side_weigh(old, condition) < 0 || gate_side_weigh(new, condition) < 0)
		return 0;
	compare_sides(&c, side);
	top_build(&top, &c.comparison.filter, c.change, TOP_BY_FUNCTION, TOP_BY_CHANGE);
	fill_grown(f, &c, &top);
	top_free(&top);
	comparison_free(&c.comparison);
	for (int i = 0; i < SIDES; i++)
		free(c.weight[i]);
	free(c.change);
	return 0;
}

int gate_places_find(struct gate_finding *f, size_t number, struct gate_side *old,
		     struct gate_side *new)
{
	struct condition c = *f->condition;

	if (c.metric == CONDITION_RSS_PEAK)
		c.metric = CONDITION_HEAP_PEAK;
	if (!condition_has_places(c.metric))
		return 0;
	if (gate_side_show(new, number) < 0 || (old && gate_side_show(old, number) < 0))
		return -1;
	return old ? find_grown(f, &c, old, new) : find_largest(f, &c, new);
}
