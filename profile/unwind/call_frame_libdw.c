/* call_frame_libdw.c -- Unwinds a call stack by one frame, with elfutils' libdw.
 *
 * libdw reads the tables and says where a register is by a list of operations; here these are
 * computed. It knows those operations of DWARF that compilers, assemblers and the C library use
 * in call frame information.
 *
 * Source  DWARF 5, sections 2.5.1 (operations) and 6.4 (call frames).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/unwind/call_frame.h"

#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"

enum { STACK_MOST = 16 };

/* Its functions, under their own names. */
struct call_library {
	void *handle;
	typeof(&elf_version) elf_version;
	typeof(&elf_memory) elf_memory;
	typeof(&elf_end) elf_end;
	typeof(&dwarf_getcfi_elf) getcfi_elf;
	typeof(&dwarf_cfi_end) cfi_end;
	typeof(&dwarf_cfi_addrframe) cfi_addrframe;
	typeof(&dwarf_frame_info) frame_info;
	typeof(&dwarf_frame_cfa) frame_cfa;
	typeof(&dwarf_frame_register) frame_register;
};

struct call_tables {
	const struct call_library *library;
	Elf *elf;
	Dwarf_CFI *cfi;
};

/* ---- operations ------------------------------------------------------------------------- */

/* One computation. */
struct calculation {
	const struct call_library *library;
	const struct call_state *s;
	const struct call_memory *m;
	uint64_t cfa;
	uint64_t stack[STACK_MOST];
	unsigned int depth;
	bool has_failed;
	bool is_value; /* the result is the value itself, not where it is */
};

static void push_value(struct calculation *c, uint64_t value)
{
	if (c->depth < STACK_MOST)
		c->stack[c->depth++] = value;
	else
		c->has_failed = true;
}

static uint64_t pop_value(struct calculation *c)
{
	if (c->depth > 0)
		return c->stack[--c->depth];
	c->has_failed = true;
	return 0;
}

static bool read_word(const struct call_memory *m, uint64_t address, uint64_t *word)
{
	if (m->bytes < sizeof(*word) || address - m->start > m->bytes - sizeof(*word))
		return false;
	memcpy(word, m->byte + (address - m->start), sizeof(*word));
	return true;
}

static void push_register(struct calculation *c, uint64_t reg, uint64_t offset)
{
	if (reg < CALL_REGISTERS && c->s->known >> reg & 1)
		push_value(c, c->s->reg[reg] + offset);
	else
		c->has_failed = true;
}

static void push_word_at(struct calculation *c, uint64_t address)
{
	uint64_t word = 0;

	c->has_failed |= !read_word(c->m, address, &word);
	push_value(c, word);
}

/* Operations on the two values on top. */
static bool compute_from_two(struct calculation *c, unsigned int atom)
{
	uint64_t right, left;

	if (atom != DW_OP_plus && atom != DW_OP_minus && atom != DW_OP_and && atom != DW_OP_or &&
	    atom != DW_OP_shl && atom != DW_OP_ge)
		return false;
	right = pop_value(c);
	left = pop_value(c);
	push_value(c, atom == DW_OP_plus  ? left + right :
		      atom == DW_OP_minus ? left - right :
		      atom == DW_OP_and	  ? left & right :
		      atom == DW_OP_or	  ? left | right :
		      atom == DW_OP_shl	  ? (right < 64 ? left << right : 0) :
					    (int64_t)left >= (int64_t)right);
	return true;
}

static void compute_operation(struct calculation *c, const Dwarf_Op *op)
{
	const unsigned int atom = op->atom;

	if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
		push_register(c, atom - DW_OP_breg0, op->number);
	else if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31)
		push_value(c, atom - DW_OP_lit0);
	else if (atom >= DW_OP_const1u && atom <= DW_OP_consts)
		push_value(c, op->number);
	else if (atom == DW_OP_bregx)
		push_register(c, op->number, op->number2);
	else if (atom == DW_OP_call_frame_cfa)
		push_value(c, c->cfa);
	else if (atom == DW_OP_plus_uconst)
		push_value(c, pop_value(c) + op->number);
	else if (atom == DW_OP_deref)
		push_word_at(c, pop_value(c));
	else if (atom == DW_OP_stack_value)
		c->is_value = true;
	else if (!compute_from_two(c, atom))
		c->has_failed = true;
}

/* Returns false if the result is unknown. */
static bool compute_result(struct calculation *c, const Dwarf_Op *ops, size_t count,
			   uint64_t *result)
{
	for (size_t i = 0; i < count && !c->has_failed; i++)
		compute_operation(c, &ops[i]);
	*result = pop_value(c);
	return !c->has_failed;
}

/* ---- a frame ---------------------------------------------------------------------------- */

static bool find_cfa(Dwarf_Frame *frame, struct calculation *c)
{
	Dwarf_Op *ops;
	size_t count;
	uint64_t cfa;

	if (c->library->frame_cfa(frame, &ops, &count) != 0 || count == 0 ||
	    !compute_result(c, ops, count, &cfa))
		return false;
	c->cfa = cfa;
	return true;
}

/* Adds what REG has in the caller to CALLER. Returns the address where it is saved, 0 none. */
static uint64_t restore_register(Dwarf_Frame *frame, struct calculation c, unsigned int reg,
				 struct call_state *caller)
{
	Dwarf_Op memory[3], *ops;
	uint64_t at, value;
	size_t count;

	if (c.library->frame_register(frame, (int)reg, memory, &ops, &count) != 0)
		return 0;
	if (count == 0 && ops == NULL) { /* it has not changed */
		caller->reg[reg] = c.s->reg[reg];
		caller->known |= c.s->known & 1u << reg;
		return 0;
	}
	if (count == 0 || !compute_result(&c, ops, count, &at))
		return 0;
	value = at;
	if (!c.is_value && !read_word(c.m, at, &value))
		return 0;
	caller->reg[reg] = value;
	caller->known |= 1u << reg;
	return c.is_value ? 0 : at;
}

static bool restore_all(Dwarf_Frame *frame, const struct calculation *c, struct call_state *caller,
			uint64_t saved[CALL_KEPT])
{
	for (unsigned int reg = 0; reg < CALL_REGISTERS; reg++) {
		const uint64_t at = restore_register(frame, *c, reg, caller);

		if (call_frame_kept(reg) >= 0)
			saved[call_frame_kept(reg)] = at;
	}
	if (!(caller->known >> CALL_RSP & 1))
		caller->reg[CALL_RSP] = c->cfa;
	caller->known |= 1u << CALL_RSP;
	return caller->known >> CALL_PC & 1;
}

bool call_frame_step(struct call_tables *tables, uint64_t bias, struct call_state *s,
		     const struct call_memory *m, uint64_t saved[CALL_KEPT])
{
	const uint64_t code = s->reg[CALL_PC] - (s->is_exact ? 0 : 1) - bias;
	const struct call_library *l = tables->library;
	struct calculation c = { .library = l, .s = s, .m = m }, of_cfa = c;
	struct call_state caller = { .known = 0 };
	Dwarf_Frame *frame;
	bool is_known;

	if (l->cfi_addrframe(tables->cfi, code, &frame) != 0)
		return false;
	/* The caller of a handler of signals is what the signal has interrupted. */
	l->frame_info(frame, NULL, NULL, &caller.is_exact);
	is_known = find_cfa(frame, &of_cfa);
	c.cfa = of_cfa.cfa;
	is_known = is_known && restore_all(frame, &c, &caller, saved);
	free(frame);
	if (is_known)
		*s = caller;
	return is_known;
}

/* ---- tables ----------------------------------------------------------------------------- */

/* Returns whether the library has the function, whose address becomes *TO. */
static bool find_function(const struct call_library *l, const char *name, void *to)
{
	void *function = dlsym(l->handle, name);

	memcpy(to, &function, sizeof(function));
	return function != NULL;
}

const struct call_library *call_frame_load(void)
{
	struct call_library *l = xcalloc(1, sizeof(*l));

	l->handle = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
	/* Those of libelf, which libdw needs, are found as well. */
	if (l->handle && find_function(l, "elf_version", &l->elf_version) &&
	    find_function(l, "elf_memory", &l->elf_memory) &&
	    find_function(l, "elf_end", &l->elf_end) &&
	    find_function(l, "dwarf_getcfi_elf", &l->getcfi_elf) &&
	    find_function(l, "dwarf_cfi_end", &l->cfi_end) &&
	    find_function(l, "dwarf_cfi_addrframe", &l->cfi_addrframe) &&
	    find_function(l, "dwarf_frame_info", &l->frame_info) &&
	    find_function(l, "dwarf_frame_cfa", &l->frame_cfa) &&
	    find_function(l, "dwarf_frame_register", &l->frame_register))
		return l;
	free(l);
	return NULL;
}

struct call_tables *call_frame_tables(const struct call_library *library, const struct elf_file *f)
{
	struct call_tables *t = xcalloc(1, sizeof(*t));

	t->library = library;
	library->elf_version(EV_CURRENT);
	/* It only reads. */
	t->elf = library->elf_memory((char *)(uintptr_t)f->data, f->size);
	t->cfi = t->elf ? library->getcfi_elf(t->elf) : NULL;
	if (t->cfi)
		return t;
	call_frame_close(t);
	return NULL;
}

void call_frame_close(struct call_tables *tables)
{
	if (!tables)
		return;
	if (tables->cfi)
		tables->library->cfi_end(tables->cfi);
	if (tables->elf)
		tables->library->elf_end(tables->elf);
	free(tables);
}
