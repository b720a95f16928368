/* massif_convert.h -- Converts a massif.out to other tools' formats.
 *
 * A tree goes from the function that allocated to its callers, each node with the bytes of all
 * stacks through it. The bytes of a node beyond its children's are a stack of its own that ends
 * there. Places that Massif summed up are a function "[below threshold]", and code without a name
 * is "[libfoo.so]" or its address.
 *
 * The stream keeps its errors, for its owner to notice.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "formats/massif.h"

/* The parts of a node's text. No part is NULL; unknown ones are empty. */
struct massif_place {
	const char *function;
	int function_length;	/* 0 for "???" */
	const char *file;	/* of the source, as a rule without its folder */
	int file_length;
	uint32_t line;		/* 0: unknown */
	const char *object;	/* path of the executable or library; if there is no file */
	int object_length;
	uint64_t address;	/* 0: none, a sum of several places or the root */
};

/* massif_place -- take the text of a node to pieces.
 *
 *	" 0x401136: operator new[](unsigned long) (new.cc:7)"
 *	" 0x48FD1: ??? (in /lib/libc.so.6)"
 */
struct massif_place massif_place(const char *text);

/* massif_place_name -- a name for the function of a place.
 *
 * Returns BUFFER with a text that is never empty, at most 64 KiB long. A name that is longer is
 * cut.
 */
const char *massif_place_name(const struct massif_place *place, char *buffer, size_t size);

/* Called for one stack: PATH holds COUNT nodes, the innermost first; BYTES are its own. */
typedef void (*massif_stack_fn)(void *data, const struct massif_node *const *path, size_t count,
				uint64_t bytes);

/* massif_stacks -- call FN for every stack of a tree that has bytes of its own.
 *
 * The root is on no path: what it alone has is a stack of length 0.
 */
void massif_stacks(const struct massif_file *m, const struct massif_snapshot *s,
		   massif_stack_fn fn, void *data);

/* massif_to_folded -- "main;fill;malloc 990", a line for each stack of a snapshot. */
void massif_to_folded(FILE *out, const struct massif_file *m, const struct massif_snapshot *s);

/* massif_to_callgrind -- the stacks of a snapshot for KCachegrind and callgrind_annotate.
 *
 * version  of memusage.
 * A function that is on a stack several times has its bytes once.
 */
void massif_to_callgrind(FILE *out, const struct massif_file *m, const struct massif_snapshot *s,
			 const char *version);

/* massif_to_json -- everything, as one object:
 *
 *	{"format":"massif","version":1,"desc":"..","command":"..","time_unit":"B","snapshots":[
 *	 {"number":0,"time":..,"heap":..,"extra":..,"stacks":..,"kind":"peak","tree":
 *	  {"bytes":..,"text":"..","children":[..]}}]}
 *
 * kind is "plain", "detailed" or "peak"; "tree" is there in the last two.
 */
void massif_to_json(FILE *out, const struct massif_file *m);
