/* xtree.h -- the memory report that Valgrind's --xtree-memory writes: who holds, allocated, freed.
 * Also the callgrind form alone, for what other reports have to say of stacks.
 *
 * Two forms, by the name of the file: with ".ms" in it that of Massif, one tree per event; else
 * callgrind's, one paragraph per stack:
 *
 *	fl=(1) /src/prog.c             outermost frame: file, function
 *	fn=(1) main
 *	10                             its line,
 *	cfi=(1)                        what it calls,
 *	cfn=(2) read_line
 *	calls=0 3                      in which line that goes on,
 *	10 100 1                       and the values of the stack
 *	fl=(1)                         innermost frame
 *	fn=(2)
 *	3 100 1
 *
 * Events are curB and curBk (bytes and blocks now), and for XTREE_FULL also totB, totBk (ever
 * allocated), totFdB and totFdBk (freed by this stack: realloc frees, too). Bytes are those asked
 * for. A stack that only ever freed has a paragraph of its own. Order is that of the first event.
 *
 * Source Valgrind 3.19: its manual (core, --xtree-memory) and files that it wrote.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "formats/export.h"

enum { XTREE_EVENTS_MAX = 27 };

enum xtree_kind { XTREE_NONE, XTREE_ALLOCS, XTREE_FULL };

/* In the order of the words of --xtree-memory. */
#define XTREE_WORDS "none|allocs|full"

struct xtree_options {
	enum xtree_kind kind;	/* XTREE_FULL needs a recording with MU_CFG_FREE_STACKS */
	bool is_plain;		/* callgrind form: names every time, no numbers for them */
	bool show_below_main;
	unsigned int depth;	/* --depth: at most so many frames and 49 more; 0: all */
	uint64_t time_ms;	/* Massif form: since the start */
};

/* A figure that a callgrind file has for each stack: its column, and what the reader is shown. */
struct xtree_event {
	const char *name, *text;
};

/* A stack with its values. */
struct xtree_row {
	struct filtered stack;
	uint32_t order;		/* the file has its paragraph before those with more */
	const char *called;	/* a function without a file that its innermost frame calls: it is
				 * the last one of the stack; NULL: none. Of at most four */
	int64_t *value;		/* one for each event */
};

/* The content of a callgrind file; everything is borrowed. */
struct xtree_rows {
	const struct xtree_event *event;
	int events;		/* at most XTREE_EVENTS_MAX */
	struct xtree_row *row;
	uint32_t count;
};

/* xtree_write_rows -- write a file in callgrind's form with other events.
 *
 * e, o  as below; of O only is_plain and show_below_main count.
 * Rows of the same stack become one, at the place of the first; those without a value other than 0
 * are left out. The rows are changed.
 * Errors of OUT stay with it.
 */
void xtree_write_rows(FILE *out, const struct export *e, const struct xtree_options *o,
		      const struct xtree_rows *rows);

/* xtree_write -- write a report about what a profile holds at present.
 *
 * name  of the file; chooses the form only.
 * e     its filter gives the profile, otherwise it is not used: --alloc-fn and --ignore-fn do
 *       not count here. pid and command are written; image and times are not looked at.
 * Errors of OUT stay with it.
 * Cost  O(frames of all stacks); callgrind form: 80 bytes per site.
 */
void xtree_write(FILE *out, const char *name, const struct export *e,
		 const struct xtree_options *o);

/* xtree_is_massif -- whether a file of this name gets the Massif form. */
static inline bool xtree_is_massif(const char *name)
{
	return strstr(name, ".ms") != NULL;
}
