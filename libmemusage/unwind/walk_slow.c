/* walk_slow.c -- unwinding with all registers.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/unwind/walk_slow.h"

#include <stddef.h>
#include <string.h>

#include "libmemusage/unwind/cfi.h"
#include "libmemusage/unwind/patched_pc.h"
#include "libmemusage/unwind/rules.h"
#include "libmemusage/unwind/stack_memory.h"
#include "libmemusage/unwind/trampoline.h"

/* Frames of signals may lead to any stack, and so in a circle if some data looks like one. */
#define SIGNALS_MOST 64

/* A walk: the stack on which it began, and its memory. */
struct slow_walk {
	struct stack_view *stack;
	struct walk_work *work;
	unsigned int signals; /* frames of signals so far */
	bool has_object;      /* of the last frame: cfi_find_near() */
};

static bool read_proved_word(void *slow, uint64_t address, uint64_t *value)
{
	struct slow_walk *s = slow;

	if (!stack_memory_prove_far(s->stack, address))
		return false;
	memcpy(value, (const void *)address, sizeof(*value));
	return true;
}

static bool compute_cfa(struct slow_walk *s, const struct cfi_row *row, const uint64_t *reg,
			uint64_t *cfa)
{
	if (row->cfa_expression)
		return cfi_evaluate(row->cfa_expression, reg, NULL, read_proved_word, s, cfa);
	if (row->cfa_register < 0)
		return false;
	*cfa = reg[row->cfa_register] + (uint64_t)row->cfa_offset;
	return true;
}

static bool apply_register_rule(struct slow_walk *s, const struct cfi_rule *rule, uint64_t cfa,
				const uint64_t *reg, uint64_t *value, uint64_t *slot)
{
	uint64_t at;

	*slot = 0;
	switch (rule->kind) {
	case CFI_AT_CFA:
		*slot = cfa + (uint64_t)rule->offset;
		return read_proved_word(s, *slot, value);
	case CFI_VALUE_CFA:
		*value = cfa + (uint64_t)rule->offset;
		return true;
	case CFI_REGISTER:
		*value = rule->offset < CFI_REGS ? reg[rule->offset] : 0;
		return rule->offset < CFI_REGS;
	case CFI_AT_EXPRESSION:
		if (!cfi_evaluate(rule->expression, reg, &cfa, read_proved_word, s, &at))
			return false;
		*slot = at;
		return read_proved_word(s, at, value);
	case CFI_VALUE_EXPRESSION:
		return cfi_evaluate(rule->expression, reg, &cfa, read_proved_word, s, value);
	default:
		return true; /* same, or undefined: unchanged */
	}
}

/* Returns the row for a frame's address, NULL without one. *at_start: no call made the frame. */
static const struct cfi_row *find_row_of(struct slow_walk *s, const struct walk_registers *r,
					 bool *at_start)
{
	uint64_t pc = r->reg[CFI_RA];
	struct cfi_workspace *work = &s->work->cfi;
	uint64_t inside = r->exact ? pc : pc - 1;
	const struct cfi_row *row = s->has_object ? cfi_find_near(inside, work) :
						    cfi_find(inside, work);

	*at_start = !row;
	s->has_object = row != NULL;
	return row ? row : cfi_find(pc, work);
}

/* Goes outward from a frame without a row. Returns false if it is no trampoline's. */
static bool step_over_trampoline(struct slow_walk *s, struct walk_registers *r)
{
	uint64_t sp = r->reg[CFI_SP];
	uint32_t size;

	if (r->exact || !trampoline_frame_size(r->reg[CFI_RA], &size) ||
	    !read_proved_word(s, sp + size, &r->reg[CFI_RA]))
		return false;
	r->slot = sp + size;
	r->reg[CFI_SP] = r->slot + 8;
	return true;
}

/* Goes one frame outward. Returns false at the end; *truncated: it is not the stack's end. */
static bool step_outward(struct slow_walk *s, bool *truncated)
{
	struct walk_registers *r = &s->work->inner, *outer = &s->work->outer;
	uint64_t cfa, slot;
	bool at_start;

	if (r->exact)
		patched_pc_leave_stub(&r->reg[CFI_RA], &r->reg[CFI_SP]);
	*truncated = true;
	const struct cfi_row *row = find_row_of(s, r, &at_start);
	if (!row)
		return step_over_trampoline(s, r);
	/* Not after a call: a signal's trampoline, or makecontext's, which ends the stack. */
	if (row->reg[CFI_RA].kind == CFI_UNDEFINED || (at_start && !row->is_signal)) {
		*truncated = false;
		return false;
	}
	if (!compute_cfa(s, row, r->reg, &cfa))
		return false;
	*outer = *r;
	for (unsigned int i = 0; i < CFI_REGS; i++) {
		if (!apply_register_rule(s, &row->reg[i], cfa, r->reg, &outer->reg[i], &slot))
			return false;
		if (i == CFI_RA)
			outer->slot = slot;
	}
	if (row->reg[CFI_SP].kind == CFI_SAME)
		outer->reg[CFI_SP] = cfa;
	/* A computed return address (macros_entry.S) has no slot. */
	if (row->reg[CFI_RA].kind == CFI_VALUE_EXPRESSION)
		outer->slot = cfa - 8;
	outer->exact = row->is_signal;
	if (row->is_signal ? ++s->signals > SIGNALS_MOST : outer->slot <= r->slot)
		return false;
	*r = *outer;
	return true;
}

#if defined(__x86_64__)
static inline __attribute__((always_inline)) void capture_registers(struct walk_registers *r)
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
static inline __attribute__((always_inline)) void capture_registers(struct walk_registers *r)
{
	memset(r, 0, sizeof(*r));
	r->reg[CFI_BP] = (uint64_t)__builtin_frame_address(0);
	r->exact = true;
}
#endif

__attribute__((noinline)) unsigned int walk_slow(struct walk *walk, uint64_t slot, uint8_t *flags)
{
	struct walk_registers *r = &walk->work.inner;
	unsigned int n = 0;
	bool truncated = true;
	bool own = true;

	capture_registers(r);
	struct slow_walk s = { &walk->stack, &walk->work, 0, false };
	stack_memory_begin(s.stack, r->reg[CFI_SP]);
	while (n < WALK_FRAMES && step_outward(&s, &truncated)) {
		own = own && r->slot < slot;
		if (own)
			continue; /* our own frames */
		walk->new[n++] = (struct walk_new){ .slot = r->slot | (r->exact ? WALK_EXACT : 0),
						    .pc = r->reg[CFI_RA] };
		if (!r->reg[CFI_RA])
			break;
	}
	if (n == WALK_FRAMES)
		*flags |= MU_STACK_CUT;
	else if (truncated)
		*flags |= MU_STACK_TRUNCATED;
	return n;
}

__attribute__((noinline)) const struct walk_registers *
walk_slow_caller(struct walk *walk, walk_slow_inner *is_inner, void *data)
{
	struct walk_registers *r = &walk->work.inner;
	bool truncated;

	capture_registers(r);
	struct slow_walk s = { &walk->stack, &walk->work, 0, false };
	stack_memory_begin(s.stack, r->reg[CFI_SP]);
	for (unsigned int n = 0; n < WALK_FRAMES && step_outward(&s, &truncated); n++)
		if (!is_inner(data, r))
			return r;
	return NULL;
}
