/* leaks.h -- Results of leak checks in a recording; docs/format.md, section 14.
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
	MU_LOSS_DEFINITE = 3
};

/* Blocks of one site that can be reached in one way. */
struct mu_loss {
	uint32_t site;
	uint16_t kind;	    /* enum mu_loss_kind */
	uint16_t heuristic; /* that made them reachable: 1 stdstring, 2 length64, 3 newarray,
			     * 4 multipleinheritance; 0: none was needed */
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
	MU_LEAK_CHECK_PAIR = 256   /* of an answer: behind the losses is the check before this one,
				    * one that a client has asked for */
};

struct mu_leak_check {
	uint64_t next;	  /* offset of the check before this one, 0 none */
	uint64_t mono_ns; /* CLOCK_MONOTONIC at the moment that it is about */
	uint64_t pause_ns; /* that the process stood still */
	uint64_t count;	  /* losses, which follow */
	uint32_t flags;	  /* enum mu_leak_check_flag */
	uint32_t limit;	  /* most records to print, 0: all */
	struct mu_loss loss[];
};

_Static_assert(sizeof(struct mu_loss) == 40, "mu_loss is part of the format");
_Static_assert(sizeof(struct mu_leak_check) == 40, "mu_leak_check is part of the format");
