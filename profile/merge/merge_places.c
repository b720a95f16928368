/* merge_places.c -- The places of several processes as one set: modules, frames and sites.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/merge/merge_places.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "profile/base/array.h"
#include "profile/model/profile.h"

/* Linux maps nothing between the heap of a program at fixed addresses and one at 0x55..., so that
 * code without a module, whose addresses stay, is not taken for one of these. */
#define FIRST_ADDRESS (UINT64_C(1) << 40)
#define LAST_ADDRESS (UINT64_C(0x40) << 40)
#define MODULE_ROUND (UINT64_C(1) << 16)

/* ---- hash tables --------------------------------------------------------------------------- */

static uint32_t mix_words(uint64_t a, uint64_t b)
{
	uint64_t h = (a ^ (b << 32 | b >> 32)) * UINT64_C(0x9E3779B97F4A7C15);

	h ^= h >> 29;
	h *= UINT64_C(0xBF58476D1CE4E5B9);
	return (uint32_t)(h >> 32);
}

static uint32_t hash_frame(const void *entries, uint32_t number)
{
	const struct merge_frame *f = (const struct merge_frame *)entries + number;

	return mix_words(f->pc, f->parent);
}

static uint32_t hash_site(const void *entries, uint32_t number)
{
	const struct merge_site *s = (const struct merge_site *)entries + number;

	return mix_words((uint64_t)s->label << 32 | (uint64_t)s->fn << 16 | s->flags, s->frame);
}

/* Doubles an index that is half full, and enters all its entries again. */
static void grow_index(struct merge_index *x, const void *entries,
		       uint32_t (*hash)(const void *entries, uint32_t number))
{
	const uint32_t *old = x->slot;
	const uint32_t slots = x->slot ? x->mask + 1 : 0, room = slots ? 2 * slots : 1024;

	if (2 * x->used < slots)
		return;
	x->slot = xcalloc(room, sizeof(*x->slot));
	x->mask = room - 1;
	for (uint32_t i = 0; i < slots; i++) {
		uint32_t at;

		if (!old[i])
			continue;
		at = hash(entries, old[i] - 1) & x->mask;
		while (x->slot[at])
			at = (at + 1) & x->mask;
		x->slot[at] = old[i];
	}
	free((void *)old);
}

static uint32_t find_or_add_frame(struct merge_places *p, uint64_t pc, uint32_t parent)
{
	uint32_t at;

	grow_index(&p->frame_index, p->frame, hash_frame);
	at = mix_words(pc, parent) & p->frame_index.mask;
	for (; p->frame_index.slot[at]; at = (at + 1) & p->frame_index.mask) {
		const uint32_t number = p->frame_index.slot[at] - 1;

		if (p->frame[number].pc == pc && p->frame[number].parent == parent)
			return number;
	}
	if (p->frames >= PROFILE_FRAMES_MAX)
		return 0;
	array_reserve(&p->frame, &p->frame_room, (size_t)p->frames + 1, sizeof(*p->frame));
	p->frame[p->frames] = (struct merge_frame){ .pc = pc, .parent = parent };
	p->frame_index.slot[at] = ++p->frames;
	p->frame_index.used++;
	return p->frames - 1;
}

static bool is_same_site(const struct merge_site *a, const struct merge_site *b)
{
	return a->frame == b->frame && a->fn == b->fn && a->flags == b->flags &&
	       a->label == b->label;
}

static uint32_t find_or_add_site(struct merge_places *p, const struct merge_site *site)
{
	uint32_t at;

	grow_index(&p->site_index, p->site, hash_site);
	at = hash_site(site, 0) & p->site_index.mask;
	for (; p->site_index.slot[at]; at = (at + 1) & p->site_index.mask) {
		if (is_same_site(&p->site[p->site_index.slot[at] - 1], site))
			return p->site_index.slot[at] - 1;
	}
	if (p->sites >= SITES_MAX)
		return 0;
	array_reserve(&p->site, &p->site_room, (size_t)p->sites + 1, sizeof(*p->site));
	p->site[p->sites] = *site;
	p->site_index.slot[at] = ++p->sites;
	p->site_index.used++;
	return p->sites - 1;
}

/* ---- modules ------------------------------------------------------------------------------- */

static bool is_same_module(const struct merge_module *m, const struct module *of,
			   uint32_t path)
{
	if (m->size < of->end - of->start)
		return false;
	if (m->id.length != of->id.length || m->low != of->start - of->bias)
		return false;
	if (m->id.length > 0)
		return memcmp(m->id.byte, of->id.byte, m->id.length) == 0;
	return m->path == path;
}

/* Returns a module's number; MODULES_NONE if there is no room for its addresses. */
static uint32_t find_or_add_module(struct merge_places *p, const struct module *of)
{
	const uint32_t path = strings_add(&p->texts, of->path, strlen(of->path));
	const uint64_t size = of->end - of->start;
	struct merge_module *m;

	for (uint32_t i = 0; i < p->modules; i++) {
		if (is_same_module(&p->module[i], of, path))
			return i;
	}
	if (p->next_address == 0)
		p->next_address = FIRST_ADDRESS;
	if (size > LAST_ADDRESS - p->next_address)
		return MODULES_NONE;
	array_reserve(&p->module, &p->module_room, (size_t)p->modules + 1, sizeof(*p->module));
	m = &p->module[p->modules];
	*m = (struct merge_module){ .start = p->next_address, .size = size, .id = of->id,
				    .low = of->start - of->bias, .path = path };
	/* An address just behind a module is not the next one's first. */
	p->next_address += (size + 2 * MODULE_ROUND) & -MODULE_ROUND;
	return p->modules++;
}

/* ---- one image ----------------------------------------------------------------------------- */

/* The numbers of an image in the result. */
struct image_map {
	const struct image_places *from;
	uint32_t *module, *frame, *label;
};

/* The program comes first, then what was loaded after it: reports tell it by its place. */
static void map_modules(struct merge_places *p, struct image_map *map)
{
	const struct modules *m = &map->from->modules;

	map->module = xcalloc((size_t)m->count + 1, sizeof(*map->module));
	for (uint32_t i = 0; i < m->count; i++)
		map->module[i] = find_or_add_module(p, &m->module[i]);
}

static uint64_t map_address(const struct merge_places *p, const struct image_map *map,
			    const struct image_frame *f)
{
	if (f->module == MODULES_NONE || map->module[f->module] == MODULES_NONE)
		return f->pc;
	return f->pc - map->from->modules.module[f->module].start +
	       p->module[map->module[f->module]].start;
}

static void map_frames(struct merge_places *p, struct image_map *map)
{
	map->frame = xcalloc((size_t)map->from->frames + 1, sizeof(*map->frame));
	for (uint32_t i = 1; i < map->from->frames; i++) {
		const struct image_frame *f = &map->from->frame[i];

		map->frame[i] = find_or_add_frame(p, map_address(p, map, f),
						  map->frame[f->parent]);
	}
}

static uint32_t map_site(struct merge_places *p, const struct image_map *map,
			 const struct image_site *from)
{
	if (from->is_unknown)
		return 0;
	return find_or_add_site(p, &(struct merge_site){
		.frame = map->frame[from->frame], .fn = from->fn, .flags = from->flags,
		.stack_flags = from->stack_flags, .label = map->label[from->label] });
}

/* Number 0 is what no stack is known of, in every image. */
static void add_roots(struct merge_places *p)
{
	if (p->frames > 0)
		return;
	find_or_add_frame(p, 0, 0);
	find_or_add_site(p, &(struct merge_site){ .fn = MU_FN_MALLOC,
						  .stack_flags = MU_STACK_TRUNCATED });
}

uint32_t *merge_places_add(struct merge_places *p, const struct image_places *from)
{
	struct image_map map = { .from = from };
	uint32_t *number;

	add_roots(p);
	map_modules(p, &map);
	map_frames(p, &map);
	map.label = merge_labels_add(&p->labels, &from->labels, from->labels_dropped);
	number = xcalloc((size_t)from->sites + 1, sizeof(*number));
	for (uint32_t i = 0; i < from->sites; i++)
		number[i] = map_site(p, &map, &from->site[i]);
	free(map.module);
	free(map.frame);
	free(map.label);
	return number;
}

void merge_places_free(struct merge_places *p)
{
	free(p->module);
	free(p->frame);
	free(p->site);
	free(p->frame_index.slot);
	free(p->site_index.slot);
	strings_free(&p->texts);
	merge_labels_free(&p->labels);
	*p = (struct merge_places){ .modules = 0 };
}
