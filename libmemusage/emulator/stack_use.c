/* stack_use.c -- instructions of x86-64 that read and write nothing but the stack.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/emulator/stack_use.h"

#define REX_B 1u

/* push, pop, call, ret, leave: without any other operand in memory. leave takes its stack from
 * the frame pointer. */
static bool is_stack_opcode(unsigned char opcode)
{
	return (opcode >= 0x50 && opcode <= 0x5f) || opcode == 0x68 || opcode == 0x6a ||
	       opcode == 0xe8 || opcode == 0xc3 || opcode == 0xc2;
}

/* One-byte opcodes whose one operand in memory is that of the ModRM byte. */
static bool has_modrm_operand(unsigned char opcode)
{
	if (opcode < 0x40)
		return (opcode & 7) < 4;
	return opcode == 0x63 || opcode == 0x69 || opcode == 0x6b || opcode == 0x80 ||
	       opcode == 0x81 || (opcode >= 0x83 && opcode <= 0x8b) || opcode == 0xc0 ||
	       opcode == 0xc1 || opcode == 0xc6 || opcode == 0xc7 ||
	       (opcode >= 0xd0 && opcode <= 0xd3) || opcode == 0xf6 || opcode == 0xf7;
}

/* ... of those that begin with 0f. */
static bool has_modrm_operand_0f(unsigned char opcode)
{
	return (opcode >= 0x10 && opcode <= 0x17) || (opcode >= 0x28 && opcode <= 0x2f) ||
	       (opcode >= 0x40 && opcode <= 0x4f) || (opcode >= 0x51 && opcode <= 0x70) ||
	       (opcode >= 0x74 && opcode <= 0x76) || opcode == 0x7e || opcode == 0x7f ||
	       (opcode >= 0x90 && opcode <= 0x9f) || opcode == 0xaf ||
	       (opcode >= 0xb6 && opcode <= 0xb7) || (opcode >= 0xbe && opcode <= 0xbf) ||
	       (opcode >= 0xd0 && opcode <= 0xfe && opcode != 0xf7);
}

/* A ModRM byte, followed by a SIB byte with the stack pointer as base and no index. */
static bool is_at_stack_pointer(const unsigned char *modrm, const unsigned char *end,
				unsigned int rex)
{
	if (end - modrm < 2 || modrm[0] >> 6 == 3 || (modrm[0] & 7) != 4 || rex & REX_B)
		return false;
	return modrm[1] == 0x24;
}

bool stack_use_only(const unsigned char *code, size_t size)
{
	const unsigned char *end = code + size;
	unsigned int rex = 0;

	while (code < end && (*code == 0x66 || *code == 0xf2 || *code == 0xf3))
		code++;
	if (code < end && (*code & 0xf0) == 0x40)
		rex = *code++;
	if (code == end)
		return false;
	if (*code == 0x0f)
		return end - code > 1 && has_modrm_operand_0f(code[1]) &&
		       is_at_stack_pointer(code + 2, end, rex);
	if (is_stack_opcode(*code))
		return true;
	return has_modrm_operand(*code) && is_at_stack_pointer(code + 1, end, rex);
}
