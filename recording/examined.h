/* examined.h -- What a process that is examined from outside tells its examiner; docs/format.md,
 * section 14.
 *
 * Part of recording.h, with the same rules. Addresses are those of the process.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

/* An entry of the list of the recorder's own mappings. */
struct mu_own_mapping {
	uint64_t start, size;
};

#define MU_EXAMINED_STACK 32768u /* bytes, a multiple of 4096 */
#define MU_EXAMINED_REGISTERS 6u
#define MU_EXAMINED_ENTRIES 4u

struct mu_examined {
	uint64_t own; /* address of two words: of struct mu_own_mapping[count], and count */
	uint64_t call;	/* address of code: system call, then rt_sigreturn */
	uint64_t clone; /* ... : system call; exit_group if it returned 0, else rt_sigreturn */
	uint64_t stack; /* address of MU_EXAMINED_STACK bytes that nothing else uses */
	/* Addresses of the functions that record malloc, realloc, calloc, memalign. */
	uint64_t entry[MU_EXAMINED_ENTRIES];
	uint64_t check; /* offset of the last struct mu_leak_check, 0 none */
	/* A process that waits for a check before it ends: */
	uint64_t exit_sp; /* the stack from here on is the caller's of exit(); 0 unknown */
	uint64_t exit_register[MU_EXAMINED_REGISTERS]; /* its rbx, rbp, r12 to r15 */
	uint32_t exit_thread; /* its number, 0: it does not end */
	uint32_t reserved;
};

/* Two processes can share their memory without being threads, and the image with it. A reader looks
 * at these two addresses in a process to learn whether it uses the image; 0 unknown. */
struct mu_in_use {
	uint64_t has_slot; /* of a uint8_t: 1 if the process has a slot, 0 in its copies */
	uint64_t slot;	   /* of a uint32_t, this slot */
};
