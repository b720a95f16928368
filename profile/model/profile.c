/* profile.c -- who allocated: the call stacks of one image and what was done at each.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/model/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "profile/base/array.h"
#include "profile/model/holder_frames.h"

#define NO_REQUEST UINT32_MAX
#define OBJECT_NAME 200

static uint32_t limited_section_count(const struct image *im, enum mu_section section, uint32_t max)
{
	uint64_t count = image_count(im, section);

	return count < max ? (uint32_t)count : max;
}

/* ---- locations ----------------------------------------------------------------------------- */

/* A frame while locations are made. */
struct frame_place {
	uint64_t pc;
	uint32_t module;
	uint32_t frame;
};

static int compare_frame_places(const void *a, const void *b)
{
	const struct frame_place *x = a, *y = b;

	if (x->pc != y->pc)
		return x->pc < y->pc ? -1 : 1;
	return (x->module > y->module) - (x->module < y->module);
}

/* Number the different places, and tell each frame its own. */
static void make_locations(struct profile *p, struct frame_place *place, uint32_t count)
{
	qsort(place, count, sizeof(*place), compare_frame_places);
	p->location = xcalloc((size_t)count + 1, sizeof(*p->location));
	for (uint32_t i = 0; i < count; i++) {
		if (i == 0 || compare_frame_places(&place[i - 1], &place[i]) != 0)
			p->location[p->location_count++] = (struct location){
				.pc = place[i].pc, .module = place[i].module,
				.request = NO_REQUEST };
		p->frame[place[i].frame].location = p->location_count - 1;
	}
}

/* Frames of the recorder itself (its operator new calls the real one; its start routine calls the
 * thread's) are none of the program's: such a frame becomes another copy of its caller's. */
static struct frame_place add_frame_location(struct profile *p, uint32_t i,
					     const struct mu_frame *from,
					     const struct frame_place *place)
{
	uint32_t module = modules_find(&p->modules, from->pc - 1, from->generation);

	if (from->parent && module != MODULES_NONE && p->modules.module[module].is_recorder) {
		p->frame[i] = p->frame[from->parent];
		return (struct frame_place){ place[from->parent - 1].pc,
					     place[from->parent - 1].module, i };
	}
	p->frame[i].parent = from->parent;
	p->frame[i].depth = p->frame[from->parent].depth + 1;
	return (struct frame_place){ from->pc, module, i };
}

/* Frames that hold blocks have a location, but no place in the tree. */
static void make_all_locations(struct profile *p, struct frame_place *place, uint32_t places,
			       const struct holder_frames *held)
{
	for (uint32_t i = 0; i < held->count; i++)
		place[places++] = (struct frame_place){ held->frame[i].pc, held->frame[i].module,
							0 };
	make_locations(p, place, places);
	p->frame[0].location = 0;
}

static void load_frame_tree(struct profile *p, const struct image *im)
{
	uint32_t count = limited_section_count(im, MU_SEC_FRAMES, PROFILE_FRAMES_MAX), places = 0;
	struct frame_place *place;
	struct holder_frames held;

	holder_frames_read(&held, im, &p->modules);
	place = xreallocarray(NULL, (size_t)count + held.count + 1, sizeof(*place));
	p->frame = xcalloc((size_t)count + 1, sizeof(*p->frame));
	for (uint32_t i = 1; i < count; i++) {
		struct mu_frame from;

		if (!image_copy_entry(im, MU_SEC_FRAMES, i, &from, sizeof(from)))
			break;
		/* Callers are written first, so a chain of parents ends. */
		if (from.parent >= i || p->frame[from.parent].depth >= PROFILE_DEPTH_MAX)
			from.parent = 0;
		place[places++] = add_frame_location(p, i, &from, place);
	}
	p->frame_count = places + 1;
	make_all_locations(p, place, places, &held);
	holder_frames_free(&held);
	free(place);
}

static void load_stack_table(struct profile *p, const struct image *im)
{
	uint32_t count = limited_section_count(im, MU_SEC_STACKS, PROFILE_STACKS_MAX);

	p->stack = xcalloc((size_t)count + 1, sizeof(*p->stack));
	for (; p->stack_count < count; p->stack_count++) {
		struct mu_stack from;

		if (!image_copy_entry(im, MU_SEC_STACKS, p->stack_count, &from, sizeof(from)))
			break;
		p->stack[p->stack_count] = (struct profile_stack){
			.frame = from.frame < p->frame_count ? from.frame : 0,
			.flags = from.flags & 0xff };
	}
}

void profile_load_places(struct profile *p, const struct image *im)
{
	*p = (struct profile){ .notes = im->head.notes & (MU_NOTE_PAGES | MU_NOTE_ATTACHED) };
	modules_load(&p->modules, im);
	load_frame_tree(p, im);
}

void profile_load(struct profile *p, const struct image *im)
{
	profile_load_places(p, im);
	image_forget(im);
	load_stack_table(p, im);
	image_forget(im);
	if (sites_load(&p->sites, im, p->stack_count, NULL) < 0)
		xno_memory();
	labels_load(&p->labels, im);
}

void profile_free(struct profile *p)
{
	modules_free(&p->modules);
	free(p->location);
	free(p->frame);
	free(p->stack);
	sites_free(&p->sites);
	labels_free(&p->labels);
	symbols_free(&p->symbols);
	*p = (struct profile){ .frame_count = 0 };
}

/* ---- names --------------------------------------------------------------------------------- */

struct wanted {
	struct symbols_request request;
	uint32_t location;
};

static int compare_requests(const void *a, const void *b)
{
	const struct symbols_request *x = &((const struct wanted *)a)->request;
	const struct symbols_request *y = &((const struct wanted *)b)->request;

	if (x->module != y->module)
		return x->module < y->module ? -1 : 1;
	return (x->address > y->address) - (x->address < y->address);
}

/* Makes the requests for all locations, in the order that symbols_resolve() wants. Code made at run
 * time belongs to a module behind the last. */
static void request_all_frames(const struct profile *p, struct wanted *wanted)
{
	for (uint32_t i = 0; i < p->location_count; i++) {
		const struct location *l = &p->location[i];
		bool has_module = l->module != MODULES_NONE;
		uint64_t bias = has_module ? p->modules.module[l->module].bias : 0;

		wanted[i] = (struct wanted){
			.request = { .address = l->pc - 1 - bias,
				     .module = has_module ? l->module : p->modules.count },
			.location = i };
	}
	qsort(wanted, p->location_count, sizeof(*wanted), compare_requests);
}

static size_t list_requests(struct profile *p, const struct wanted *wanted,
			    struct symbols_request *request)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < p->location_count; i++) {
		if (i == 0 || compare_requests(&wanted[i - 1], &wanted[i]) != 0)
			request[count++] = wanted[i].request;
		p->location[wanted[i].location].request = count - 1;
	}
	return count;
}

/* Memory mapped at the start has stacks without calls: the address 0 and, for an object, its first
 * address. Blocks from before an attach have the address 0 alone. */
static void name_start(struct profile *p)
{
	const bool has_pages = p->notes & MU_NOTE_PAGES;
	char name[OBJECT_NAME + 3];

	for (uint32_t i = 0; i < p->location_count; i++) {
		const struct location *l = &p->location[i];
		const char *path = profile_object(p, i);

		if (l->pc == 1 && !*path)
			strcpy(name, has_pages ? "[program start]" : "[before the attach]");
		else if (has_pages && *path && l->pc - 1 == p->modules.module[l->module].start)
			snprintf(name, sizeof(name), "[%.*s]", OBJECT_NAME, basename(path));
		else
			continue;
		symbols_name(&p->symbols, l->request, name);
	}
}

int profile_resolve(struct profile *p, const struct symbols_options *o, struct mu_error *err)
{
	const uint32_t modules = p->modules.count + 1;
	size_t room = (size_t)p->location_count + 1;
	struct wanted *wanted = xreallocarray(NULL, room, sizeof(*wanted));
	struct symbols_request *request = xreallocarray(NULL, room, sizeof(*request));
	struct symbols_module *module = xcalloc(modules, sizeof(*module));
	int result;

	for (uint32_t i = 0; i < p->modules.count; i++)
		module[i] = (struct symbols_module){ .path = p->modules.module[i].path,
						     .id = p->modules.module[i].id };
	request_all_frames(p, wanted);
	symbols_free(&p->symbols);
	result = symbols_resolve(&p->symbols, module, modules, request,
				 list_requests(p, wanted, request), o, err);
	if (result == 0 && p->notes)
		name_start(p);
	free(wanted);
	free(request);
	free(module);
	return result;
}

const struct symbols_level *profile_levels(const struct profile *p, uint32_t location,
					   uint32_t *count)
{
	const struct symbols *s = &p->symbols;
	uint32_t request;

	*count = 0;
	if (location >= p->location_count)
		return NULL;
	request = p->location[location].request;
	if (request >= s->count || s->symbol[request].count == 0)
		return NULL;
	*count = s->symbol[request].count;
	return &s->level[s->symbol[request].first];
}

uint32_t profile_location(const struct profile *p, uint64_t pc, uint32_t module)
{
	uint32_t i = (uint32_t)array_first_from(p->location, p->location_count,
						sizeof(*p->location),
						offsetof(struct location, pc), pc);

	for (; i < p->location_count && p->location[i].pc == pc; i++) {
		if (p->location[i].module == module)
			return i;
	}
	return PROFILE_NO_LOCATION;
}

const char *profile_function(const struct profile *p, uint32_t location)
{
	uint32_t count;
	const struct symbols_level *level = profile_levels(p, location, &count);

	return count ? symbols_text(&p->symbols, level[count - 1].name) : "";
}

const char *profile_object(const struct profile *p, uint32_t location)
{
	uint32_t module = location < p->location_count ? p->location[location].module :
							 MODULES_NONE;

	return module < p->modules.count ? p->modules.module[module].path : "";
}
