/* leaks.h -- Results of leak checks in a recording; docs/format.md, section 17.
 *
 * Part of recording.h, with the same rules.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

/* How the blocks of a loss can be reached, in the order of Memcheck's records. */
enum mu_loss_kind {
	MU_LOSS_REACHABLE = 0,
	MU_LOSS_POSSIBLE = 1,
	MU_LOSS_INDIRECT = 2,
	MU_LOSS_DEFINITE = 3,
	/* Behind the others: what became of blocks that earlier checks called lost. All of them; of
	 * these: freed or reallocated since; still there, and no longer lost. */
	MU_LOSS_CALLED = 4,
	MU_LOSS_FREED = 5,
	MU_LOSS_FOUND = 6
};
enum { MU_LOSS_EARLIER_KINDS = 3 }; /* CALLED and on */

/* Blocks of one site that can be reached in one way. */
struct mu_loss {
	uint32_t site;
	uint16_t kind;	    /* enum mu_loss_kind */
	uint16_t heuristic; /* that made them reachable: 1 stdstring, 2 length64, 3 newarray,
			     * 4 multipleinheritance, 5 header; 0: none was needed */
	uint64_t bytes;
	uint64_t blocks;
	uint64_t indirect_bytes; /* DEFINITE: of what is lost with these blocks */
	uint64_t indirect_blocks;
};

enum mu_leak_check_flag {
	MU_LEAK_CHECK_AT_END = 1, /* the process was about to end */
	MU_LEAK_CHECK_STOPPED = 2, /* it stood still during the whole check */
	MU_LEAK_CHECK_CUT = 4,	   /* some memory could not be read: blocks may seem lost */
	/* The request of the program: the sums only; records that have grown, or changed. */
	MU_LEAK_CHECK_SUMMARY = 8, MU_LEAK_CHECK_INCREASED = 16, MU_LEAK_CHECK_CHANGED = 32,
	MU_LEAK_CHECK_NEW = 64,	   /* records that were not there */
	MU_LEAK_CHECK_ASKED = 128, /* memusage --pid has asked for it and printed it: later ones are
				    * compared with it */
	MU_LEAK_CHECK_PAIR = 256,  /* of an answer: behind the losses is the check before this one,
				    * one that a client has asked for */
	MU_LEAK_CHECK_LIST = 512,  /* behind the losses is a struct mu_leak_list */
	MU_LEAK_CHECK_WATCH = 4096 /* of a result on its way to who keeps it: behind the losses is
				    * a struct lost_watch, for the next check */
};
/* With ASKED, in the flags: the set of heuristics. */
#define MU_LEAK_CHECK_HEURISTICS(flags) ((flags) >> 16)

struct mu_leak_check {
	uint64_t next;	  /* offset of the check before this one, 0 none */
	uint64_t mono_ns; /* CLOCK_MONOTONIC at the moment that it is about */
	uint64_t pause_ns; /* that the process stood still */
	uint64_t count;	  /* losses, which follow */
	uint32_t flags;	  /* enum mu_leak_check_flag */
	uint32_t limit;	  /* most records to print, 0: all */
	struct mu_loss loss[];
};

/* A list that a client has asked for, besides a leak check. Such a check is in copies for
 * memusageprint only; it has no losses of its own. */
enum mu_leak_list_kind {
	MU_LEAK_LIST_BLOCKS = 1,  /* of loss records of the check before: struct mu_leak_block */
	MU_LEAK_LIST_POINTERS = 2 /* to a range of memory: struct mu_leak_pointer */
};

struct mu_leak_list {
	uint64_t bytes; /* of all, a multiple of 8 */
	uint32_t kind;	/* enum mu_leak_list_kind */
	uint32_t limit;	/* most blocks to print, 0: all */
	uint32_t first, last; /* loss records, from 1 */
	uint64_t heuristics;  /* set: only blocks that one of them explains; 0: all */
	uint64_t start, size; /* the range of memory, in bytes */
	uint64_t count;	      /* entries, which follow; then texts, ended by zero bytes */
};

/* A live block. All of the process are listed, ascending by address. */
struct mu_leak_block {
	uint64_t start, size;
	uint32_t site;
	uint32_t group;	   /* number of the block that was found to lead to it; itself: none */
	uint16_t kind;	   /* enum mu_loss_kind */
	uint16_t heuristic; /* as in struct mu_loss */
	uint32_t reserved;
};

/* The place of a pointer, in the words of Valgrind's descriptions of addresses. */
enum mu_pointer_place {
	MU_POINTER_REGISTER = 1, /* text: its name */
	MU_POINTER_STACK = 2,
	MU_POINTER_BLOCK = 3,
	MU_POINTER_SYMBOL = 4,	 /* text: name of the variable */
	MU_POINTER_DATA = 5,	 /* text: file of the object */
	MU_POINTER_BSS = 6,	 /* likewise */
	MU_POINTER_FILE = 7,	 /* text: the file that is mapped */
	MU_POINTER_ANONYMOUS = 8
};

struct mu_leak_pointer {
	uint64_t at;	 /* its address */
	uint64_t target; /* where it points to */
	uint64_t start, size; /* BLOCK, SYMBOL: what it is in */
	uint64_t block;	 /* start of the block that it points into, if a heuristic explains it */
	uint64_t text;	 /* offset in the list */
	uint32_t site;	 /* BLOCK */
	uint32_t thread; /* REGISTER, STACK: its number in the process, from 1 */
	uint16_t place;	 /* enum mu_pointer_place */
	uint16_t heuristic; /* that explains it if it points to the middle of a block, 0: none */
	uint32_t access; /* FILE, ANONYMOUS: 4 read, 2 write, 1 code */
};

_Static_assert(sizeof(struct mu_loss) == 40, "mu_loss is part of the format");
_Static_assert(sizeof(struct mu_leak_block) == 32, "mu_leak_block is part of the format");
_Static_assert(sizeof(struct mu_leak_pointer) == 64, "mu_leak_pointer is part of it");
_Static_assert(sizeof(struct mu_leak_check) == 40, "mu_leak_check is part of the format");
