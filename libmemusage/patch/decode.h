/* decode.h -- the length and the parts of an x86-64 instruction.
 *
 * Knows the instructions that compilers make of C and C++: general, x87, SSE, AVX and AVX-512. It
 * refuses all others, and code with such an instruction is left unchanged.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum decode_map { DECODE_ONE_BYTE = 0, DECODE_0F = 1, DECODE_0F38 = 2, DECODE_0F3A = 3 };

#define DECODE_BYTES 16u /* more than the longest instruction has */

struct insn {
	uint8_t length;	   /* bytes */
	uint8_t map;	   /* enum decode_map; others are unknown */
	uint8_t opcode;
	uint8_t opcode_at; /* offset of the opcode byte */
	uint8_t rex;	   /* 0: none; of VEX and EVEX only the extension of the base register */
	uint8_t modrm_at;  /* offset, 0: none */
	uint8_t displacement_at; /* of a memory operand, 0: none */
	uint8_t relative_at;	 /* of a branch's displacement, 0: none */
	uint8_t relative_size;	 /* 1 or 4 */
	bool is_vex;		 /* VEX or EVEX */
	bool is_rip;		 /* the memory operand is relative to the next instruction */
	int8_t base;		 /* register of the memory operand, -1 none */
	int32_t displacement;	 /* of the memory operand; scaled ones of EVEX as they stand */
};

/* decode -- take an instruction apart.
 *
 * code   DECODE_BYTES that can be read.
 * Returns false if it is not known. Async-signal-safe. Cost 10 ns.
 * Source  Intel SDM volume 2, chapter 2 and appendix A.
 */
bool decode(const uint8_t *code, struct insn *insn);

/* decode_copy -- take apart a copy of the instruction at an address.
 *
 * end   of the code: nothing is read from there on, and zeros are decoded instead.
 * code  DECODE_BYTES, gets the copy.
 * Returns false if the instruction is not known, or not all of it is before the end.
 * Async-signal-safe.
 */
bool decode_copy(uint64_t at, uint64_t end, struct insn *insn, uint8_t code[DECODE_BYTES]);

/* decode_is_padding -- return whether bytes are what assemblers put between functions: prefixes of
 * operand size and segment, nop, the long nop, int3, zeros.
 *
 * code  16 bytes after `length` can be read, too.
 */
bool decode_is_padding(const uint8_t *code, unsigned int length);
