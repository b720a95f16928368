/* runtime_frames.h -- Finds the frames of run-times in a profile, and leaves them out.
 *
 * The function that calls malloc is often a container's, and main is often called by a thread's
 * start. Reports for people show the stacks without such frames: a second profile, which has the
 * sites of the complete one with shorter stacks. So totals agree, and whatever reads a profile
 * shows the same functions.
 *
 *	struct program_stacks own;
 *
 *	program_stacks_init(&own, &filter, &options);
 *	tree_build(&tree, &own.filter, weight, ...);
 *	program_stacks_free(&own);
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "profile/base/error.h"
#include "profile/model/filter.h"
#include "profile/model/profile.h"
#include "profile/model/runtime_rule.h"

/* Private: the kind of every level of every location. */
struct runtime_frames {
	const struct profile *profile;
	uint32_t *first;	/* per location: its innermost level in kind */
	uint8_t *kind;		/* enum runtime_kind; one for a location without names */
	uint8_t *nameless;	/* per frame: functions without a name that a run-time called */
	uint8_t *makes_object;	/* per frame: constructors of objects that a script called */
	uint8_t *is_constructor; /* per location: of such a frame */
	bool has_program_names;	/* of functions that an interpreter evaluates */
	bool has_scripts;	/* ... Python or V8 */
};

/* runtime_frames_init -- Classifies all names of a resolved profile, which must outlive R.
 *
 * runtime_frames_free() it. Cost 1 us per name, 1 byte per frame.
 */
void runtime_frames_init(struct runtime_frames *r, const struct profile *p);

/* runtime_frames_kind -- Returns the kind of a level of a frame.
 *
 * level  0 if the location has no names. A function without a name that a function of a run-time
 *        called, in the same module, is a RUNTIME_LIBRARY; this is believed of three in a row.
 *        A function without a name of an interpreter that calls its evaluator belongs to that.
 *        A library's function that an evaluator calls in its own module, PyTuple_New, is a
 *        RUNTIME_INTERPRETER there: without names of the script it says most about the memory.
 */
enum runtime_kind runtime_frames_kind(const struct runtime_frames *r, uint32_t frame,
				      uint32_t level);

/* runtime_frames_hides -- Tells whether reports leave out frames of a kind in this profile. */
bool runtime_frames_hides(const struct runtime_frames *r, enum runtime_kind kind);

/* runtime_frames_free -- Releases memory. Fine for a zeroed struct. */
void runtime_frames_free(struct runtime_frames *r);

/* The profile without frames of run-times. */
struct program_stacks {
	struct profile profile;	/* has the stacks, sites and locations of the complete one, with
				 * the same numbers; borrows what is not different */
	struct filter filter;	/* of that profile; ignores what the complete one's ignores */
};

/* program_stacks_init -- Makes the profile without frames of run-times.
 *
 * s  overwritten; it must not be moved; program_stacks_free() it.
 * f  of the complete profile; both must outlive S.
 * o  the options that F was made with; NULL as there.
 * A stack that has only frames of run-times keeps one: the innermost that is no library's, or else
 * the innermost.
 * Cost O(frames + names), 32 bytes per frame.
 */
void program_stacks_init(struct program_stacks *s, const struct filter *f,
			 const struct filter_options *o);

/* program_stacks_free -- Releases memory. Fine for a zeroed struct. */
void program_stacks_free(struct program_stacks *s);
