/* gate.h -- What a gate found: the conditions, the figures, and the places that make the
 * difference.
 *
 * The text for people and the formats for other programs are written from this.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "profile/budget/condition.h"
#include "profile/budget/verdict.h"

enum { GATE_PLACES = 5, GATE_FRAMES = 16, GATE_AMOUNT = 48, GATE_SENTENCE = 1024 };

/* Texts are owned, never NULL, and may hold anything that a name of a function may. */
struct gate_frame {
	char *function;		/* shortened; "" unknown */
	char *file;		/* path as the compiler had it; "" unknown */
	char *object;		/* path of the program or library; "" unknown */
	uint32_t line;		/* 0 unknown */
};

/* A place, with the callers on its heaviest stack: innermost first. */
struct gate_place {
	struct gate_frame frame[GATE_FRAMES];
	unsigned int frames;
	bool has_more;		/* callers than these */
	double old, new;	/* old is 0 without a baseline */
};

/* A condition and what became of it. */
struct gate_finding {
	const struct condition *condition;	/* borrowed */
	struct verdict verdict;		/* nothing, if `why` is set */
	char *why;			/* it could not be judged; NULL: it was */
	bool lacks_place;		/* no run has the function or module that it is about */
	char *process;			/* "process 4711, ./prog 80"; "" unknown */
	struct gate_place place[GATE_PLACES];	/* largest, or most grown, first */
	unsigned int places;		/* of one that is broken */
	unsigned int more;		/* places that make a difference, too */
};

struct gate {
	const char *version;		/* of memusage */
	const char *root;		/* directory that paths of files are to be relative to */
	bool has_processes;		/* a run had more than one */
	struct gate_finding *finding;
	size_t count;
};

/* gate_amount -- Writes a figure of a condition: "71.2 MiB", "12,034". Returns TEXT. */
const char *gate_amount(const struct condition *c, char text[GATE_AMOUNT], double value);

/* gate_sentence -- Writes what was found, in one line of ASCII but for names.
 *
 *	heap peak > 64M: 71.2 MiB, 7.20 MiB over the limit
 *	heap peak > +5%: grew by 7.20 MiB (+11.3%), from 64.0 MiB to 71.2 MiB
 *
 * Returns TEXT.
 */
const char *gate_sentence(const struct gate *g, const struct gate_finding *f,
			  char text[GATE_SENTENCE]);

/* gate_is_broken -- Tells whether a finding is a broken budget. */
bool gate_is_broken(const struct gate_finding *f);

/* gate_count_broken, gate_count_unknown -- Count the broken ones, and those that could not be
 * judged. */
size_t gate_count_broken(const struct gate *g);
size_t gate_count_unknown(const struct gate *g);

/* gate_state_name -- Returns "holds", "broken", "undecided" or "unknown". */
const char *gate_state_name(const struct gate_finding *f);

/* gate_file -- Returns the path of a frame's source file as seen from the root; it may be the one
 * given. "" if it is not known, or not below the root. */
const char *gate_file(const struct gate *g, const struct gate_frame *frame);

/* gate_location -- Returns the frame of a finding to be shown in a source file: the innermost below
 * the root of its first place that has one; NULL: none has. */
const struct gate_frame *gate_location(const struct gate *g, const struct gate_finding *f);

/* gate_free -- Releases the findings. */
void gate_free(struct gate *g);
