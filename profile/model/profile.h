/* profile.h -- The call stacks of one image and the figures of each.
 *
 *	struct profile p;
 *
 *	profile_load(&p, &image);
 *	if (profile_resolve(&p, NULL, &err) == 0)
 *		...;
 *	profile_free(&p);
 *
 * A *site* is a call stack and the function that was called (docs/format.md, section 7). A
 * stack is a chain of frames, from the innermost, the one that called malloc, outward. Frames
 * share *locations*, addresses of code; a location has *levels*: the function there and the
 * calls inlined into it.
 *
 * Everything is copied out of the recording, which may be hostile: numbers are bounded here, so
 * that no other module has to.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "profile/base/error.h"
#include "profile/read/image.h"
#include "profile/read/labels.h"
#include "profile/read/modules.h"
#include "profile/read/sites.h"
#include "profile/symbols/symbols.h"

/* Limits of a recording, so that a hostile one cannot take gigabytes. A real one stays below a
 * tenth of them. */
enum {
	PROFILE_DEPTH_MAX = 4096,	/* frames of a stack */
	PROFILE_FRAMES_MAX = 1 << 25,
	PROFILE_STACKS_MAX = 1 << 23
};

/* Ordered by pc, then module; no two are equal. */
struct location {
	uint64_t pc;		/* return address, in the process */
	uint32_t module;	/* of modules, or MODULES_NONE */
	uint32_t request;	/* private: of symbols */
};

/* Frame 0 is the root, outside of everything. The parent of a frame is its caller and has a
 * smaller number. */
struct profile_frame {
	uint32_t parent;
	uint32_t location;
	uint32_t depth;		/* frames from here outward, the root not counted */
};

struct profile_stack {
	uint32_t frame;		/* innermost; 0: an empty stack */
	uint32_t flags;		/* enum mu_stack_flag, PROFILE_STACK_IGNORED */
};

/* Reports leave the stack out. The low byte is the recording's. */
enum { PROFILE_STACK_IGNORED = 0x100 };

struct profile {
	struct modules modules;
	struct location *location;
	uint32_t location_count;
	struct profile_frame *frame;
	uint32_t frame_count;
	struct profile_stack *stack;
	uint32_t stack_count;
	struct sites sites;
	struct labels labels;	/* of the sites */
	struct symbols symbols;	/* after profile_resolve() */
	uint32_t notes;		/* enum mu_note: what was there before anything was recorded */
};

/* profile_load -- copy sites, stacks and modules out of an image.
 *
 * p    overwritten; release with profile_free().
 * im   of a live or dead process, or kept. Without recorded stacks the profile is empty.
 * Cost about 20 ns per frame, and 24 bytes.
 */
void profile_load(struct profile *p, const struct image *im);

/* profile_load_places -- Does the same for modules, frames and locations alone, for
 * profile_resolve(). */
void profile_load_places(struct profile *p, const struct image *im);

/* profile_resolve -- Gives names to all locations. Once, after profile_load().
 *
 * o  NULL for defaults. With perf_map, code that belongs to no module is looked up there.
 * Blocks from before memusage attached are at "[before the attach]". Memory mapped at the start
 * gets the full names "[program start]" and that of its object,
 * "[libc.so.6]"; it has no names for Massif, which has no such places. Returns 0, or -1 with ERR
 * if no child can be started. Names that cannot be found are no error.
 */
int profile_resolve(struct profile *p, const struct symbols_options *o, struct mu_error *err);

/* profile_free -- release everything. Fine for a zeroed struct, and twice. */
void profile_free(struct profile *p);

#define PROFILE_NO_LOCATION UINT32_MAX

/* profile_location -- Returns the number of the location with a pc in a module, MODULES_NONE for
 * none, or PROFILE_NO_LOCATION. */
uint32_t profile_location(const struct profile *p, uint64_t pc, uint32_t module);

/* profile_levels -- the names of a location, innermost first.
 *
 * count  set to how many; 0 if nothing is known, or nothing was resolved yet.
 */
const struct symbols_level *profile_levels(const struct profile *p, uint32_t location,
					   uint32_t *count);

/* profile_function -- the name of the function at a location, as Massif shows it.
 *
 * "" if unknown. Not that of an inlined call.
 */
const char *profile_function(const struct profile *p, uint32_t location);

/* profile_object -- path of the module of a location, "" if it has none. */
const char *profile_object(const struct profile *p, uint32_t location);
