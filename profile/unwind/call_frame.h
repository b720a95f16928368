/* call_frame.h -- Unwinds a call stack by one frame, from registers and a copy of the stack.
 *
 * The tables that tell how are those that compilers leave for exceptions (.eh_frame), read by
 * elfutils' libdw. Built without it nothing can be unwound.
 *
 * Source  System V ABI, AMD64 supplement, section 3.6.2: numbers of registers, and which of them a
 *         function keeps for its caller.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "profile/symbols/elf_file.h"

enum {
	CALL_RBX = 3, CALL_RBP = 6, CALL_RSP = 7, CALL_R12 = 12, CALL_R15 = 15, CALL_PC = 16,
	CALL_REGISTERS = 17,
	CALL_KEPT = 6	/* registers that a function keeps: rbx, rbp, r12 to r15 */
};

/* A copy of the memory of a stack. */
struct call_memory {
	uint64_t start; /* its address in the process */
	uint64_t bytes;
	const uint8_t *byte;
};

/* The registers of a frame. */
struct call_state {
	uint64_t reg[CALL_REGISTERS];
	uint32_t known; /* a bit for each register */
	bool is_exact;	/* the pc is what runs next; else it is where a call will return to */
};

/* libdw, and the tables of one object. */
struct call_library;
struct call_tables;

/* call_frame_kept -- Returns the place of a register among those that functions keep, or -1. */
static inline int call_frame_kept(unsigned int reg)
{
	if (reg == CALL_RBX)
		return 0;
	if (reg == CALL_RBP)
		return 1;
	return reg >= CALL_R12 && reg <= CALL_R15 ? (int)(2 + reg - CALL_R12) : -1;
}

/* call_frame_load -- Loads libdw, for good. Returns NULL if it is not there.
 *
 * The program that unwinds is not linked with it: few of its runs need it.
 */
const struct call_library *call_frame_load(void);

/* call_frame_tables -- Returns the tables of a file, which stays open, or NULL if it has none. The
 * caller closes them. May crash or hang if the file is bad enough. */
struct call_tables *call_frame_tables(const struct call_library *library,
				      const struct elf_file *f);

/* call_frame_step -- Replaces the registers of a frame by those of its caller.
 *
 * bias   of the object with the frame's code, which TABLES, not NULL, are of.
 * saved  set to the addresses at which the frame has saved the registers that functions keep, 0 if
 *        it has not.
 * Returns false if there is no caller, or none can be told: S and SAVED are of no meaning then. May
 * crash or hang like call_frame_tables().
 */
bool call_frame_step(struct call_tables *tables, uint64_t bias, struct call_state *s,
		     const struct call_memory *m, uint64_t saved[CALL_KEPT]);

/* call_frame_close -- Releases tables; NULL is allowed. */
void call_frame_close(struct call_tables *tables);
