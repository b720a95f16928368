/* dhat.h -- profiles of DHAT: program points with what was done at each, as JSON.
 *
 *	struct dhat d;
 *
 *	dhat_init(&d, DHAT_HEAP);
 *	d.command = strdup("./prog a");
 *	...
 *	frame[0] = dhat_frame(&d, "0x1091C9: site_a (heap1.c:6)");
 *	frame[1] = dhat_frame(&d, "0x1091E2: main (heap1.c:11)");
 *	if (dhat_add(&d, &(struct dhat_point){ .total_bytes = 10, .total_blocks = 1, ... },
 *		     &(struct dhat_stack){ .frame = frame, .frames = 2 }, &err) < 0)
 *		...;
 *	dhat_write(out, &d);
 *	dhat_free(&d);
 *
 * This module knows nothing of recordings: callers fill the structure for any mode. dhat_read()
 * returns the same structure. dh_view.html of Valgrind, the Firefox Profiler and memusageprint read
 * the file.
 *
 * The three modes of DHAT and what is to be set in each (dhat_init() sets the words):
 *
 *	            heap              copy               ad-hoc
 *	total_*     allocated         copied by calls    weights and events
 *	lifetimes   sum over blocks   -                  -
 *	max_*       most at once      -                  -
 *	peak_*      live at t-gmax    -                  -
 *	end_*       live at t-end     -                  -
 *	read_bytes, written_bytes     -                  -
 *	            if has_accesses
 *	counts      if has_accesses   -                  -
 *
 * A realloc counts in heap mode as one block and its new size more of the point that allocated the
 * block, and as reads and writes of the smaller size. Frames in copy mode begin with the function
 * that copies.
 *
 * Source  Valgrind 3.19's manual of DHAT; files written by it; docs/compat.md.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "formats/base/textfile.h"
#include "profile/base/error.h"
#include "profile/base/strings.h"

enum dhat_mode { DHAT_HEAP, DHAT_COPY, DHAT_AD_HOC };

enum {
	DHAT_COUNT_MAX = 65535,		/* an access count of this means "or more" */
	DHAT_ACCESSES_MAX = 1 << 16,	/* bytes of a block whose accesses can be counted */
	DHAT_POINTS_MAX = 1 << 22,	/* believed of a file */
	DHAT_FRAMES_MAX = 1 << 22,	/* ... different ones */
	DHAT_STACKED_MAX = 1 << 26	/* ... of all stacks */
};

/* Keys of the file are behind the fields. Fields that the mode does not have are 0. */
struct dhat_point {
	uint64_t total_bytes;	/* tb: over the whole run; ad-hoc: units */
	uint64_t total_blocks;	/* tbk: likewise; ad-hoc: events */
	uint64_t lifetimes;	/* tl: sum, in units of time; of what lives at the end, till then */
	uint64_t max_bytes;	/* mb: the most that was live at once */
	uint64_t max_blocks;	/* mbk: blocks at that moment */
	uint64_t peak_bytes;	/* gb: live when the whole heap was largest */
	uint64_t peak_blocks;	/* gbk */
	uint64_t end_bytes;	/* eb: live at the end */
	uint64_t end_blocks;	/* ebk */
	uint64_t read_bytes;	/* rb */
	uint64_t written_bytes;	/* wb */
	uint32_t first_frame;	/* in dhat->stacked; set by dhat_add() */
	uint32_t frames;
	uint32_t first_count;	/* in dhat->count, if counts is not 0; set by dhat_add() */
	uint32_t counts;	/* acc: bytes of each block, all having that size; 0: not counted */
};

/* Whose figures a point's are. Borrowed. */
struct dhat_stack {
	const uint32_t *frame;	/* numbers from dhat_frame(), innermost first */
	uint32_t frames;
	const uint16_t *count;	/* accesses by byte of the block, DHAT_COUNT_MAX: or more */
	uint32_t counts;	/* bytes of each block, at most DHAT_ACCESSES_MAX; 0: none */
};

/* Strings are from malloc() and belong to the structure. */
struct dhat {
	char *mode;		/* free text for readers; "heap", "copy", "ad-hoc" */
	char *verb;		/* "Allocated" of "Allocated at" */
	bool has_lifetimes;	/* bklt: lifetimes, max_, peak_ and end_ fields, peak_time */
	bool has_accesses;	/* bkacc: read_bytes, written_bytes, counts */
	char *byte, *bytes, *blocks;	/* bu, bsu, bksu: what is counted; NULL: these words */
	char *time_unit;	/* tu: "instrs" */
	char *time_mega;	/* Mtu: a million of them, "Minstr" */
	uint64_t short_lived;	/* tuth: a mean lifetime up to this is short */
	char *command;		/* with its arguments; may hold anything */
	uint64_t pid;
	uint64_t end_time;	/* te: in units of time, from the start of the program */
	uint64_t peak_time;	/* tg: when the heap was largest, 0 if it never was anything */
	struct dhat_point *point;
	uint32_t count;		/* of points */
	uint32_t *stacked;	/* frames of all stacks: numbers for dhat_text() */
	uint32_t stacked_count;
	uint16_t *access;	/* counts of all points */
	uint32_t access_count;
	/* private */
	struct strings frame;
	uint32_t room, stacked_room, access_room;
	uint32_t *slot;		/* points by stack, + 1; open addressing */
	uint32_t slots;
};

/* dhat_init -- an empty profile of a mode, with the words that DHAT has for it.
 *
 * Times are in instructions, short_lived is 500; strings may be replaced (dhat_set()). Heap mode
 * has lifetimes and no accesses. dhat_free() it.
 */
void dhat_init(struct dhat *d, enum dhat_mode mode);

/* dhat_set -- replace one of the strings. */
void dhat_set(char **field, const char *text);

/* dhat_frame -- the number of a frame, which is added if it is new.
 *
 * text  "0x1091C9: f (heap1.c:6)", "0x1234: f (in /lib/libfoo.so)", "0x1234: ??? (in ...)". Levels
 *       of inlined calls are frames with the same address.
 * Returns a number from 1 on, 0 beyond DHAT_FRAMES_MAX.
 */
uint32_t dhat_frame(struct dhat *d, const char *text);

/* dhat_text -- the text of a frame; "[root]" for 0. */
const char *dhat_text(const struct dhat *d, uint32_t frame);

/* dhat_add -- add what was done at a program point.
 *
 * values  its figures; the four fields behind written_bytes are not read.
 * stack   copied. Points with the same frames become one, because readers refuse them otherwise:
 *         figures are added up, so max_bytes is then a bound; counts are kept if all have the same
 *         size.
 * Returns 0, or -1 with ERR beyond one of the limits.
 */
int dhat_add(struct dhat *d, const struct dhat_point *values, const struct dhat_stack *stack,
	     struct mu_error *err);

/* dhat_sum -- the figures of all points together; max_ fields stay 0. */
struct dhat_point dhat_sum(const struct dhat *d);

/* dhat_add_figures -- to those of *TO add those of *FROM, all up to written_bytes. */
void dhat_add_figures(struct dhat_point *to, const struct dhat_point *from);

/* dhat_write -- write the file, version 2 of the format, laid out as DHAT does.
 *
 * Texts that are no UTF-8 have U+FFFD in place of what is not. Errors of OUT stay with it.
 */
void dhat_write(FILE *out, const struct dhat *d);

/* dhat_read -- read a file.
 *
 * in   at its beginning: textfile_line() has not been called.
 * d    overwritten; dhat_free() it in any case.
 * Files of DHAT, of memusage and of dhat-rs are read; unknown keys are skipped; points with the
 * same frames are merged. Input is hostile: memory is bounded by the limits above.
 * Returns 0, or -1 with ERR: MU_ERROR_FORMAT with the offset of what was wrong, MU_ERROR_TRUNCATED
 * when the file ends too early, MU_ERROR_VERSION, MU_ERROR_SYSTEM.
 */
int dhat_read(struct dhat *d, struct textfile *in, struct mu_error *err);

/* dhat_free -- release everything. Fine for a zeroed struct. */
void dhat_free(struct dhat *d);
