/* massif.h -- Reads and writes massif.out, the profile of Valgrind's Massif.
 *
 *	desc: --time-unit=B
 *	cmd: ./prog argument
 *	time_unit: B
 *	#-----------
 *	snapshot=0
 *	#-----------
 *	time=1016
 *	mem_heap_B=1000
 *	mem_heap_extra_B=16
 *	mem_stacks_B=0
 *	heap_tree=peak
 *	n1: 1000 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.
 *	 n0: 1000 0x401136: main (prog.c:7)
 *
 * A tree is in preorder: the children of a node follow it, and it has their number (n1). Children
 * of a function are its callers. Nothing is escaped. Blank lines and lines that begin with '#' are
 * skipped.
 *
 * The reader accepts files of Valgrind and memusage, and heaptrack's export, whose header may be at
 * the end or missing, and whose times are seconds with a fraction.
 *
 * Source  files of Valgrind 3.19 and heaptrack 1.4.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "formats/base/textfile.h"
#include "profile/base/error.h"
#include "profile/base/strings.h"

/* Limits of the reader. Valgrind writes at most 1000 snapshots with trees of 200 levels; a hostile
 * file can take some 1 GiB of memory. */
enum {
	MASSIF_SNAPSHOTS_MAX = 1 << 20,
	MASSIF_NODES_MAX = 1 << 24,
	MASSIF_TEXT_MAX = 1 << 28,	/* bytes of different texts */
	MASSIF_DEPTH_MAX = 4096
};

enum massif_unit { MASSIF_INSTRUCTIONS, MASSIF_MS, MASSIF_BYTES };

enum massif_kind { MASSIF_PLAIN, MASSIF_DETAILED, MASSIF_PEAK };

/* One line of a tree. Its children follow: the first is this + 1, and a node's next sibling is
 * node + node->size. */
struct massif_node {
	uint64_t bytes;		/* not more than the total of the snapshot */
	uint32_t text;		/* for massif_text() */
	uint32_t children;
	uint32_t size;		/* nodes of the tree that begins here, at least 1 */
	uint32_t depth;		/* 0: the root */
};

struct massif_snapshot {
	uint64_t number;	/* as in the file */
	uint64_t time;		/* in the unit of the file; may go backwards in a damaged one */
	uint64_t heap, extra, stacks;	/* bytes; their sum fits into 64 bits */
	enum massif_kind kind;
	uint32_t first_node;	/* of massif_file.nodes */
	uint32_t node_count;	/* 0 if plain */
};

/* Zeroed, it is empty. */
struct massif_file {
	char *desc;		/* "" or lines, each with its end: what follows "desc:" */
	char *cmd;		/* what follows "cmd:" and blanks */
	enum massif_unit unit;
	struct massif_snapshot *snapshots;
	size_t count;
	struct massif_node *nodes;	/* of all snapshots */
	size_t node_count;
	struct strings texts;
	uint32_t snapshot_room, node_room;	/* private */
};

/* massif_read -- read a profile to its end.
 *
 * m    overwritten; massif_free() it in any case.
 * in   opened; its beginning may have been looked at.
 * Returns 0, or -1 with ERR, whose text begins with "line N: " and whose offset is that of the
 * line in the (decompressed) text:
 *   MU_ERROR_TRUNCATED  the file ends within a snapshot, or before the first; M holds the
 *                       snapshots that are whole, if any
 *   MU_ERROR_FORMAT     it is no massif.out, or exceeds the limits above
 *   and those of textfile_line()
 * Memory: 24 bytes per node, 64 per snapshot, and each different text once.
 */
int massif_read(struct massif_file *m, struct textfile *in, struct mu_error *err);

/* massif_free -- release everything; M is empty then. */
void massif_free(struct massif_file *m);

/* massif_tree -- the root of a snapshot's tree; NULL if it is plain. */
const struct massif_node *massif_tree(const struct massif_file *m,
				      const struct massif_snapshot *s);

/* massif_text -- what a node says: "0x401136: main (prog.c:7)", after one or more blanks.
 *
 * Lives as long as M. The text of a node line begins right behind its bytes, and so usually
 * with a blank; only a '#' right behind them, or nothing, comes without.
 */
const char *massif_text(const struct massif_file *m, const struct massif_node *node);

/* massif_total -- heap, extra and stacks together. */
uint64_t massif_total(const struct massif_snapshot *s);

/* massif_peak -- the snapshot whose tree stands for the run.
 *
 * Returns the last one that is marked as the peak, else the detailed one of the largest total
 * (the first of equals), else NULL: no snapshot has a tree.
 */
const struct massif_snapshot *massif_peak(const struct massif_file *m);

/* massif_moment -- Returns the snapshot that tells what each place held at the peak or, if IS_END,
 * at the end; NULL: none does. A snapshot at which nothing was held needs no tree for that. */
const struct massif_snapshot *massif_moment(const struct massif_file *m, bool is_end);

/* massif_unit_name -- "i", "ms" or "B", as in the file. */
const char *massif_unit_name(enum massif_unit unit);

/* ---- writing -------------------------------------------------------------------------------
 * Errors stay with the stream, for its owner to notice (see cli/output.h). Trees need not be in
 * memory: write a snapshot, then its nodes in preorder.
 *
 * Texts are as in struct massif_file: with the blank that follows "desc:" and the bytes of a
 * node. Control characters in them, which would end a line, become blanks.
 */

/* The text of a tree's root. */
#define MASSIF_ROOT " (heap allocation functions) malloc/new/new[], --alloc-fns, etc."
#define MASSIF_ROOT_PAGES " (page allocation syscalls) mmap/mremap/brk, --alloc-fns, etc."

/* massif_write_header -- the lines before the first snapshot.
 *
 * desc  lines, each with its end; " (none)\n" is Valgrind's for no options.
 */
void massif_write_header(FILE *out, const char *desc, const char *cmd, enum massif_unit unit);

/* massif_write_snapshot -- all of a snapshot but its tree.
 *
 * s  number, time, sizes and kind are used. A detailed one and a peak must be followed by their
 *    nodes.
 */
void massif_write_snapshot(FILE *out, const struct massif_snapshot *s);

/* massif_write_node -- one line of a tree.
 *
 * node  bytes, children and depth are used.
 */
void massif_write_node(FILE *out, const struct massif_node *node, const char *text);

/* massif_write -- Writes a whole profile. Reading it back gives the same profile. */
void massif_write(FILE *out, const struct massif_file *m);
