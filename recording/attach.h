/* attach.h -- What an attacher and the recorder that it puts into a running process tell each
 * other; docs/design.md, "Attaching".
 *
 * Part of the contract, but of no file: both sides are of one version. The structure is in private
 * memory of the process, at the address that attach_begin() gets. There the next attacher finds
 * what has to be undone, should this one be killed.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#include "recording/recording.h"

/* The recorder's thread-local variables are in the part of glibc's thread structure that is kept
 * for binary compatibility only. Source: tcbhead_t.__glibc_unused2, the same in 2.31 to 2.44. */
#define MU_ATTACH_TLS 0x80u	  /* from the thread pointer */
#define MU_ATTACH_TLS_BYTES 512u
#define MU_ATTACH_TID 0x2d0u	  /* of the thread's ID, as glibc keeps it */

/* The upper 16 bits of a generation, by which those bytes are known as a recorder's. */
#define MU_ATTACH_MARK UINT64_C(0x4d55)

#define MU_ATTACH_ENTRIES 128u
#define MU_ATTACH_WRITES 256u
#define MU_ATTACH_AREAS 16u
#define MU_ATTACH_WORDS 64u
#define MU_ATTACH_TEXT 128u
#define MU_ATTACH_JUMP 5u

/* The memory file by which the mappings of a recorder are found in a process: this structure, the
 * stack on which it began, and its library are one range of addresses. */
#define MU_ATTACH_FILE "memusage-attach"
#define MU_ATTACH_MAGIC UINT64_C(0x3248434154415554) /* another layout has another one */

enum mu_attach_state {
	MU_ATTACH_NOT_YET = 0,
	MU_ATTACH_BEGUN = 1,
	MU_ATTACH_FAILED = 2 /* with `why`; nothing is to be written */
};

/* A function that is to be intercepted: a jump to the thunk takes the place of some bytes. */
struct mu_attach_entry {
	uint64_t place; /* of the jump */
	uint64_t thunk;
	uint8_t before[16];		/* bytes that are there */
	uint8_t jump[8];		/* MU_ATTACH_JUMP bytes */
	uint8_t taken;			/* bytes whose instructions are in the thunk now */
	uint8_t end;			/* of these in the thunk */
	uint8_t count;			/* of these */
	uint8_t from[MU_ATTACH_JUMP];	/* where they were, from `place` */
	uint8_t to[MU_ATTACH_JUMP];	/* where they are in the thunk */
	uint8_t reserved[3];
};

/* Bytes of a thunk, which the attacher writes: the pages are not writable. */
struct mu_attach_write {
	uint64_t address;
	uint32_t length;
	uint8_t bytes[116];
};

struct mu_attach {
	/* From the attacher. */
	uint64_t magic; /* MU_ATTACH_MAGIC */
	uint64_t size;	/* of the range that begins here */
	uint64_t stack, blob; /* where its other parts begin, from here, ... */
	struct mu_own_mapping text; /* ... and its code, an address */
	uint64_t attacher_start; /* in clock ticks since the boot: tells it from a later process */
	uint64_t attacher_namespace; /* inode of the PID namespace that has ... */
	uint32_t attacher;	     /* ... this process */
	uint32_t is_leaving; /* the recorder is being unmapped; see stop_remove_recorder() */
	int32_t fd; /* of the segment, in the process */
	uint32_t slot;
	uint64_t segment_size, slots, slot_size;
	uint64_t generation; /* MU_ATTACH_MARK << 48 | a random number << 32 */
	uint64_t stack_end;  /* of the first thread */
	uint64_t only_stack; /* the stack pointer of the only thread; 0: there are several */
	uint32_t before;     /* enum mu_before, and the blocks that there are */
	uint32_t mapped_header; /* of the chunk of a block with a mapping of its own */
	uint64_t before_blocks, before_bytes;
	uint32_t is_confined; /* it has a seccomp filter */
	uint32_t reserved;
	uint64_t auxv[2 * MU_ATTACH_WORDS];
	/* From the recorder. */
	uint32_t state; /* enum mu_attach_state; stored last */
	uint32_t entries, writes, areas;
	uint32_t inside; /* where a thread counts its calls that are under way ... */
	uint32_t key;	 /* ... and where its generation is, from the thread pointer */
	uint64_t own;	 /* as struct mu_examined */
	char why[MU_ATTACH_TEXT];
	struct mu_own_mapping area[MU_ATTACH_AREAS]; /* with thunks */
	struct mu_attach_entry entry[MU_ATTACH_ENTRIES];
	struct mu_attach_write write[MU_ATTACH_WRITES];
};
