/* image_places.c -- The modules, call stacks and sites of an image, as merging needs them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/merge/image_places.h"

#include <stddef.h>
#include <stdlib.h>

#include "cli/xmalloc.h"
#include "profile/model/profile.h"

static void load_frames(struct image_places *p, const struct image *im)
{
	const uint64_t count = image_count(im, MU_SEC_FRAMES);
	const uint32_t most = count < PROFILE_FRAMES_MAX ? (uint32_t)count : PROFILE_FRAMES_MAX;

	p->frame = xcalloc((size_t)most + 1, sizeof(*p->frame));
	p->frames = most > 0;
	while (p->frames < most) {
		const uint32_t i = p->frames;
		struct mu_frame f;

		if (!image_copy_entry(im, MU_SEC_FRAMES, i, &f, sizeof(f)))
			break;
		/* Callers are written first, so a chain of parents ends. */
		p->frame[p->frames++] = (struct image_frame){
			.pc = f.pc, .parent = f.parent < i ? f.parent : 0,
			.module = modules_find(&p->modules, f.pc - 1, f.generation) };
	}
}

static struct image_site load_site(const struct image_places *p, const struct image *im,
				   uint32_t number)
{
	struct mu_stack stack = { .frame = 0 };
	struct mu_site from = { .label = 0 };

	/* Old recordings have no labels. */
	if (!image_copy_entry(im, MU_SEC_SITES, number, &from, sizeof(from)) &&
	    !image_copy_entry(im, MU_SEC_SITES, number, &from, offsetof(struct mu_site, point)))
		return (struct image_site){ .is_unknown = true };
	image_copy_entry(im, MU_SEC_STACKS, from.stack, &stack, sizeof(stack));
	return (struct image_site){
		.frame = stack.frame < p->frames ? stack.frame : 0,
		.fn = from.fn, .flags = from.flags, .stack_flags = stack.flags,
		.label = from.label <= p->labels.count ? from.label : 0 };
}

void image_places_load(struct image_places *p, const struct image *im)
{
	const uint64_t sites = image_count(im, MU_SEC_SITES);

	*p = (struct image_places){ .labels_dropped = im->head.labels_dropped };
	modules_load(&p->modules, im);
	load_frames(p, im);
	labels_load(&p->labels, im);
	p->sites = sites < SITES_MAX ? (uint32_t)sites : SITES_MAX;
	p->site = xcalloc((size_t)p->sites + 1, sizeof(*p->site));
	for (uint32_t i = 0; i < p->sites; i++)
		p->site[i] = load_site(p, im, i);
}

void image_places_free(struct image_places *p)
{
	modules_free(&p->modules);
	labels_free(&p->labels);
	free(p->frame);
	free(p->site);
	*p = (struct image_places){ .frames = 0 };
}
