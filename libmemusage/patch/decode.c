/* decode.c -- the length and the parts of an x86-64 instruction.
 *
 * Tables of a bit per opcode: which have a ModRM byte, which an immediate of a byte.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/patch/decode.h"

#include <stddef.h>
#include <string.h>

/* Rows of 16 opcodes, bit 0 the first. */
static const uint16_t one_modrm[16] = {
	0x0f0f, 0x0f0f, 0x0f0f, 0x0f0f, 0, 0, 0x0a08, 0,
	0x7ffb, 0, 0, 0, 0x00c3, 0xff0f, 0, 0xc0c0
};
static const uint16_t one_byte[16] = {
	0x1010, 0x1010, 0x1010, 0x1010, 0, 0, 0x0c00, 0,
	0x0009, 0, 0x0100, 0x00ff, 0x2043, 0, 0x00f0, 0
};
/* An immediate of four bytes, or of two after prefix 66. */
static const uint16_t one_word[16] = {
	0x2020, 0x2020, 0x2020, 0x2020, 0, 0, 0x0300, 0,
	0x0002, 0, 0x0200, 0, 0x0080, 0, 0, 0
};
static const uint16_t one_unknown[16] = {
	0xc0c0, 0xc0c0, 0x8080, 0x8080, 0, 0, 0x0007, 0,
	0x8004, 0x0400, 0, 0, 0x4000, 0x0070, 0x0400, 0x0002
};
static const uint16_t two_modrm[16] = {
	0x200f, 0xffff, 0xff0f, 0, 0xffff, 0xffff, 0xffff, 0xf07f,
	0, 0xffff, 0xf838, 0xffff, 0x00ff, 0xffff, 0xffff, 0x7fff
};
static const uint16_t two_byte[16] = {
	0, 0, 0, 0, 0, 0, 0, 0x000f, 0, 0, 0x1010, 0x0400, 0x0074, 0, 0, 0
};
static const uint16_t two_unknown[16] = {
	0x9400, 0, 0x00f0, 0xfac0, 0, 0, 0, 0x0f00, 0, 0, 0x04c0, 0, 0, 0, 0, 0x8000
};

static bool has_opcode(const uint16_t table[16], uint8_t opcode)
{
	return table[opcode >> 4] >> (opcode & 15) & 1;
}

struct insn_prefixes {
	bool is_short;	 /* 66 */
	bool is_address; /* 67 */
};

static unsigned int read_prefixes(const uint8_t *code, struct insn_prefixes *seen)
{
	unsigned int i = 0;

	for (; i < 8; i++) {
		if (code[i] == 0x66)
			seen->is_short = true;
		else if (code[i] == 0x67)
			seen->is_address = true;
		else if (code[i] != 0xf2 && code[i] != 0xf3 && code[i] != 0xf0 &&
			 code[i] != 0x64 && code[i] != 0x65 && (code[i] & 0xe7) != 0x26)
			break;
	}
	return i;
}

/* Bits that extend registers are stored inverted in these prefixes. */
static unsigned int read_vex_prefix(const uint8_t *code, unsigned int i, struct insn *insn)
{
	insn->is_vex = true;
	insn->map = DECODE_0F;
	if (code[i] == 0xc5)
		return i + 2;
	insn->rex = code[i + 1] & 0x20 ? 0 : 1;
	insn->map = code[i + 1] & (code[i] == 0x62 ? 7 : 31);
	return i + (code[i] == 0x62 ? 4 : 3);
}

static unsigned int read_opcode(const uint8_t *code, unsigned int i, struct insn *insn)
{
	if (code[i] == 0xc4 || code[i] == 0xc5 || code[i] == 0x62) {
		i = read_vex_prefix(code, i, insn);
	} else {
		if ((code[i] & 0xf0) == 0x40)
			insn->rex = code[i++];
		if (code[i] == 0x0f) {
			i++;
			insn->map = code[i] == 0x38 ? DECODE_0F38 : code[i] == 0x3a ? DECODE_0F3A
										     : DECODE_0F;
			i += insn->map != DECODE_0F;
		}
	}
	insn->opcode_at = (uint8_t)i;
	insn->opcode = code[i];
	return i + 1;
}

/* ModRM, SIB and displacement. */
static unsigned int read_operand(const uint8_t *code, unsigned int i, struct insn *insn)
{
	uint8_t modrm = code[i];
	unsigned int mode = modrm >> 6, base = modrm & 7, size;

	insn->modrm_at = (uint8_t)i++;
	if (mode == 3)
		return i;
	bool has_sib = base == 4;
	if (has_sib)
		base = code[i++] & 7;
	insn->is_rip = mode == 0 && !has_sib && base == 5;
	size = mode == 1 ? 1 : mode == 2 || base == 5 ? 4 : 0;
	if (mode == 0 && base != 5)
		size = 0;
	if (!(mode == 0 && base == 5))
		insn->base = (int8_t)(base | (insn->rex & 1) << 3);
	if (size)
		insn->displacement_at = (uint8_t)i;
	if (size == 1)
		insn->displacement = (int8_t)code[i];
	else if (size == 4)
		memcpy(&insn->displacement, code + i, 4);
	return i + size;
}

static unsigned int immediate_size(const uint8_t *code, const struct insn *insn,
				   const struct insn_prefixes *seen)
{
	uint8_t opcode = insn->opcode;
	unsigned int word = seen->is_short ? 2 : 4;

	if (has_opcode(one_word, opcode))
		return word;
	if ((opcode & 0xf8) == 0xb8)
		return insn->rex & 8 ? 8 : word;
	if ((opcode & 0xfc) == 0xa0)
		return seen->is_address ? 4 : 8;
	if ((opcode & 0xfe) == 0xf6 && (code[insn->modrm_at] >> 3 & 7) < 2)
		return opcode == 0xf6 ? 1 : word;
	if (opcode == 0xc2 || opcode == 0xca)
		return 2;
	return opcode == 0xc8 ? 3 : has_opcode(one_byte, opcode);
}

static bool is_known_insn(const uint8_t *code, const struct insn *insn,
			  const struct insn_prefixes *seen)
{
	uint8_t opcode = insn->opcode;

	if (insn->is_vex && (insn->map == 0 || insn->map > 6 || insn->map == 4))
		return false;
	if (insn->map == DECODE_0F)
		return !has_opcode(two_unknown, opcode);
	if (insn->map != DECODE_ONE_BYTE)
		return true;
	if (has_opcode(one_unknown, opcode))
		return false;
	/* AMD's XOP, transactions; a short branch differs between makers. */
	if (opcode == 0x8f || opcode == 0xc6 || opcode == 0xc7)
		return !(code[insn->opcode_at + 1] & 0x38);
	return !seen->is_short || insn->rex & 8 || (opcode != 0xe8 && opcode != 0xe9);
}

static bool has_modrm_operand(const struct insn *insn)
{
	if (insn->map == DECODE_0F)
		return insn->is_vex ? insn->opcode != 0x77 : has_opcode(two_modrm, insn->opcode);
	return insn->map != DECODE_ONE_BYTE || has_opcode(one_modrm, insn->opcode);
}

static unsigned int relative_branch_size(const struct insn *insn)
{
	uint8_t opcode = insn->opcode;

	if (insn->is_vex)
		return 0;
	if (insn->map == DECODE_0F)
		return (opcode & 0xf0) == 0x80 ? 4 : 0;
	if (insn->map != DECODE_ONE_BYTE)
		return 0;
	if ((opcode & 0xf0) == 0x70 || (opcode & 0xfc) == 0xe0 || opcode == 0xeb)
		return 1;
	return opcode == 0xe8 || opcode == 0xe9 ? 4 : 0;
}

bool decode(const uint8_t *code, struct insn *insn)
{
	struct insn_prefixes seen = { false, false };

	*insn = (struct insn){ .base = -1 };
	unsigned int i = read_opcode(code, read_prefixes(code, &seen), insn);
	if (!is_known_insn(code, insn, &seen))
		return false;
	if (has_modrm_operand(insn))
		i = read_operand(code, i, insn);
	if (insn->is_rip && seen.is_address)
		return false;
	insn->relative_size = (uint8_t)relative_branch_size(insn);
	if (insn->relative_size) {
		insn->relative_at = (uint8_t)i;
		i += insn->relative_size;
	} else if (insn->map == DECODE_ONE_BYTE) {
		i += immediate_size(code, insn, &seen);
	} else if (insn->map == DECODE_0F) {
		i += has_opcode(two_byte, insn->opcode);
	} else {
		i += insn->map == DECODE_0F3A;
	}
	insn->length = (uint8_t)i;
	return i <= 15;
}

bool decode_copy(uint64_t at, uint64_t end, struct insn *insn, uint8_t code[DECODE_BYTES])
{
	uint64_t length = end - at < DECODE_BYTES ? end - at : DECODE_BYTES;

	memset(code, 0, DECODE_BYTES);
	memcpy(code, (const void *)at, length);
	return decode(code, insn) && insn->length <= length;
}

bool decode_is_padding(const uint8_t *code, unsigned int length)
{
	unsigned int i = 0;

	while (i < length) {
		if (code[i] == 0x66 || code[i] == 0x2e || code[i] == 0x90 || code[i] == 0xcc ||
		    code[i] == 0)
			i++;
		else if (code[i] == 0x0f && code[i + 1] == 0x1f)
			i += code[i + 2] & 0x80 ? 7 : code[i + 2] & 0x40 ? 4 : 3;
		else
			return false;
	}
	return true;
}
