/* walk_slow.c -- unwinding with all registers.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/walk_slow.h"

#include <stddef.h>
#include <string.h>

#include "libmemusage/cfi.h"
#include "libmemusage/macros.h"
#include "libmemusage/rules.h"
#include "libmemusage/stack_range.h"

struct registers {
	uint64_t reg[CFI_REGS];
	uint64_t slot; /* where reg[CFI_RA] was read */
	bool exact;    /* reg[CFI_RA] is the instruction itself, not the one after a call */
};

/* Memory of the stack that the walk began on, or, behind a signal frame, of the thread's. */
static bool read_word(const struct walk *walk, uint64_t address, uint64_t *value)
{
	bool begun_on = address >= walk->low && address + 8 <= walk->high;

	if (!begun_on && !stack_range_own(self, address))
		return false;
	memcpy(value, (const void *)address, sizeof(*value));
	return true;
}

static bool find_cfa(const struct walk *walk, const struct cfi_row *row, const struct registers *r,
		     uint64_t *cfa)
{
	if (row->cfa_expression)
		return cfi_evaluate(row->cfa_expression, r->reg, NULL, walk->low, walk->high, cfa);
	if (row->cfa_register < 0)
		return false;
	*cfa = r->reg[row->cfa_register] + (uint64_t)row->cfa_offset;
	return true;
}

static bool apply(const struct walk *walk, const struct cfi_rule *rule, uint64_t cfa,
		  const struct registers *r, uint64_t *value, uint64_t *slot)
{
	uint64_t at;

	*slot = 0;
	switch (rule->kind) {
	case CFI_AT_CFA:
		*slot = cfa + (uint64_t)rule->offset;
		return read_word(walk, *slot, value);
	case CFI_VALUE_CFA:
		*value = cfa + (uint64_t)rule->offset;
		return true;
	case CFI_REGISTER:
		*value = rule->offset < CFI_REGS ? r->reg[rule->offset] : 0;
		return rule->offset < CFI_REGS;
	case CFI_AT_EXPRESSION:
		if (!cfi_evaluate(rule->expression, r->reg, &cfa, walk->low, walk->high, &at))
			return false;
		*slot = at;
		return read_word(walk, at, value);
	case CFI_VALUE_EXPRESSION:
		return cfi_evaluate(rule->expression, r->reg, &cfa, walk->low, walk->high, value);
	default:
		return true; /* same, or undefined: whatever was there */
	}
}

/* One frame outward. Returns false at the end; *truncated says whether it is a true end. */
static bool step(const struct walk *walk, struct registers *r, bool *truncated)
{
	if (r->exact)
		macros_in_stub(&r->reg[CFI_RA], &r->reg[CFI_SP]);
	uint64_t pc = r->reg[CFI_RA];
	struct registers outer = *r;
	struct cfi_row row;
	uint64_t cfa, slot;

	*truncated = true;
	bool after_call = cfi_find(r->exact ? pc : pc - 1, &row);
	if (!after_call && !cfi_find(pc, &row))
		return false;
	/* Not after a call: a signal's trampoline, or makecontext's, which ends the stack. */
	if (row.reg[CFI_RA].kind == CFI_UNDEFINED || (!after_call && !row.is_signal)) {
		*truncated = false;
		return false;
	}
	if (!find_cfa(walk, &row, r, &cfa))
		return false;
	for (unsigned int i = 0; i < CFI_REGS; i++) {
		if (!apply(walk, &row.reg[i], cfa, r, &outer.reg[i], &slot))
			return false;
		if (i == CFI_RA)
			outer.slot = slot;
	}
	if (row.reg[CFI_SP].kind == CFI_SAME)
		outer.reg[CFI_SP] = cfa;
	/* A return address that is computed (macros_entry.S) lies nowhere. */
	if (row.reg[CFI_RA].kind == CFI_VALUE_EXPRESSION)
		outer.slot = cfa - 8;
	outer.exact = row.is_signal;
	if (outer.slot <= r->slot && !row.is_signal)
		return false;
	*r = outer;
	return true;
}

#if defined(__x86_64__)
static inline __attribute__((always_inline)) void capture(struct registers *r)
{
	memset(r, 0, sizeof(*r));
	__asm__ volatile("movq %%rbx, 24(%0)\n\t"
			 "movq %%rbp, 48(%0)\n\t"
			 "movq %%rsp, 56(%0)\n\t"
			 "movq %%r12, 96(%0)\n\t"
			 "movq %%r13, 104(%0)\n\t"
			 "movq %%r14, 112(%0)\n\t"
			 "movq %%r15, 120(%0)\n\t"
			 "leaq 0(%%rip), %%rcx\n\t"
			 "movq %%rcx, 128(%0)"
			 :
			 : "r"(r->reg)
			 : "rcx", "memory");
	r->exact = true;
}
#else
static inline __attribute__((always_inline)) void capture(struct registers *r)
{
	memset(r, 0, sizeof(*r));
	r->reg[CFI_BP] = (uint64_t)__builtin_frame_address(0);
	r->exact = true;
}
#endif

__attribute__((noinline)) unsigned int walk_slow(struct walk *walk, uint64_t slot, uint8_t *flags)
{
	struct registers r;
	unsigned int n = 0;
	bool truncated = true;
	bool own = true;
	uint64_t low = walk->low;

	capture(&r);
	walk->low = r.reg[CFI_SP] < low ? r.reg[CFI_SP] : low;
	while (n < WALK_FRAMES && step(walk, &r, &truncated)) {
		own = own && r.slot < slot;
		if (own)
			continue; /* our own frames */
		walk->new[n++] = (struct walk_new){ .slot = r.slot | (r.exact ? WALK_EXACT : 0),
						    .pc = r.reg[CFI_RA] };
		if (!r.reg[CFI_RA])
			break;
	}
	walk->low = low;
	if (n == WALK_FRAMES)
		*flags |= MU_STACK_CUT;
	else if (truncated)
		*flags |= MU_STACK_TRUNCATED;
	return n;
}
