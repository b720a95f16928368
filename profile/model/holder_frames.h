/* holder_frames.h -- Code in the frames that hold blocks, for its names.
 *
 * The stacks of allocations do not lead through these frames, so their code is looked up with that
 * of the stacks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "profile/read/holders.h"
#include "profile/read/modules.h"

struct holder_frame {
	uint64_t pc;	 /* behind the address of the root, as that of a return address */
	uint32_t module; /* of the image, MODULES_NONE: none */
};

struct holder_frames {
	struct holder_frame *frame;
	uint32_t count, room;
};

enum { HOLDER_FRAMES_MAX = 1 << 17 };

/* holder_frames_read -- Lists the code of all roots that are frames, at all moments of an image.
 *
 * At most HOLDER_FRAMES_MAX.
 */
void holder_frames_read(struct holder_frames *f, const struct image *im, const struct modules *m);

/* holder_frames_of_root -- Tells the code of a root. Returns false if it is no frame, or is not
 * known. */
bool holder_frames_of_root(struct holder_frame *f, const struct holders *h,
			   const struct mu_holder_root *root, const struct modules *m);

/* holder_frames_free -- Releases everything. Accepts a zeroed struct. */
void holder_frames_free(struct holder_frames *f);
