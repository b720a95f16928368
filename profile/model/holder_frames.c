/* holder_frames.c -- Code in the frames that hold blocks, for its names.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/model/holder_frames.h"

#include <stdlib.h>
#include <string.h>

#include "profile/base/array.h"

/* If several were there one after the other, the path tells which, unless paths have been
 * replaced by those that links lead to. */
static uint32_t find_module(const struct modules *m, uint64_t address, const char *path)
{
	uint32_t found = MODULES_NONE;

	for (uint32_t i = 0; i < m->count && m->module[i].start <= address; i++) {
		if (address >= m->module[i].end)
			continue;
		found = i;
		if (strcmp(m->module[i].path, path) == 0)
			break;
	}
	return found;
}

bool holder_frames_of_root(struct holder_frame *f, const struct holders *h,
			   const struct mu_holder_root *root, const struct modules *m)
{
	if (root->kind != MU_HOLDER_STACK || root->address == 0)
		return false;
	f->pc = root->address + 1;
	f->module = root->object ? find_module(m, root->address, holders_text(h, root->object)) :
				   MODULES_NONE;
	return true;
}

static void append_frames(struct holder_frames *f, const struct holders *h,
			  const struct modules *m)
{
	for (uint32_t i = 0; i < h->head->roots && f->count < HOLDER_FRAMES_MAX; i++) {
		struct holder_frame frame;

		if (!holder_frames_of_root(&frame, h, &h->root[i], m))
			continue;
		array_reserve(&f->frame, &f->room, f->count + (size_t)1, sizeof(*f->frame));
		f->frame[f->count++] = frame;
	}
}

void holder_frames_read(struct holder_frames *f, const struct image *im, const struct modules *m)
{
	struct holder_moments moments;

	*f = (struct holder_frames){ .count = 0 };
	holder_moments_read(&moments, im);
	for (uint32_t i = 0; i < moments.count; i++)
		append_frames(f, &moments.at[i], m);
	holder_moments_free(&moments);
}

void holder_frames_free(struct holder_frames *f)
{
	free(f->frame);
	*f = (struct holder_frames){ .count = 0 };
}
