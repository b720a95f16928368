/* cfi_expression.c -- evaluating the expressions in unwind tables.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/unwind/cfi.h"
#include "libmemusage/unwind/dwarf_reader.h"
#include "libmemusage/unwind/patched_pc.h"

/* A small stack machine: what the expressions of glibc's and compilers' tables use. */
#define EXPRESSION_STACK 16

static bool apply_binary_op(unsigned int op, uint64_t a, uint64_t b, uint64_t *result)
{
	switch (op) {
	case 0x1a:
		*result = a & b;
		return true;
	case 0x1c:
		*result = a - b;
		return true;
	case 0x21:
		*result = a | b;
		return true;
	case 0x22:
		*result = a + b;
		return true;
	case 0x24:
		*result = b < 64 ? a << b : 0;
		return true;
	case 0x25:
		*result = b < 64 ? a >> b : 0;
		return true;
	case 0x2a:
		*result = (int64_t)a >= (int64_t)b;
		return true;
	default:
		return false;
	}
}

/* Operations that push a constant or a register plus offset. */
static bool evaluate_push_op(struct dwarf_reader *r, unsigned int op, const uint64_t reg[CFI_REGS],
			     uint64_t *value)
{
	if (op >= 0x30 && op <= 0x4f)
		*value = op - 0x30;
	else if (op >= 0x70 && op < 0x70 + CFI_REGS)
		*value = reg[op - 0x70] + (uint64_t)dwarf_read_sleb(r);
	else if (op == 0x08)
		*value = dwarf_read_bytes(r, 1);
	else if (op == 0x09)
		*value = (uint64_t)(int64_t)(int8_t)dwarf_read_bytes(r, 1);
	else if (op == 0x0a)
		*value = dwarf_read_bytes(r, 2);
	else if (op == 0x0b)
		*value = (uint64_t)(int64_t)(int16_t)dwarf_read_bytes(r, 2);
	else if (op == 0x10)
		*value = dwarf_read_uleb(r);
	else if (op == 0x11)
		*value = (uint64_t)dwarf_read_sleb(r);
	else
		return false;
	return true;
}

bool cfi_evaluate(const uint8_t *expression, const uint64_t reg[CFI_REGS], const uint64_t *initial,
		  cfi_reader *read, void *data, uint64_t *value)
{
	struct dwarf_reader r = { expression, expression + 10, false };
	uint64_t stack[EXPRESSION_STACK + 1];
	unsigned int n = 0;
	uint64_t length = dwarf_read_uleb(&r);

	r.end = r.at + length;
	if (initial)
		stack[n++] = *initial;
	while (r.at < r.end && !r.bad && n < EXPRESSION_STACK) {
		unsigned int op = (unsigned int)dwarf_read_bytes(&r, 1);
		if (evaluate_push_op(&r, op, reg, &stack[n])) {
			n++;
		} else if (op == 0x23 && n >= 1) { /* plus_uconst */
			stack[n - 1] += dwarf_read_uleb(&r);
		} else if (op == 0x06 && n >= 1) { /* deref */
			/* Of our own tables: macros_entry.S reads from a stub. */
			if (patched_pc_holds(stack[n - 1]))
				stack[n - 1] = *(const uint64_t *)stack[n - 1];
			else if (!read(data, stack[n - 1], &stack[n - 1]))
				return false;
		} else if (n >= 2 &&
			   apply_binary_op(op, stack[n - 2], stack[n - 1], &stack[n - 2])) {
			n--;
		} else {
			return false;
		}
	}
	if (r.bad || !n)
		return false;
	*value = stack[n - 1];
	return true;
}
