/* cfi.c -- reading .eh_frame: from an address to its row.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/unwind/cfi.h"

#include <link.h>
#include <stddef.h>
#include <string.h>

#include "libmemusage/base/arch.h"
#include "libmemusage/base/vectors.h"
#include "libmemusage/unwind/dwarf_reader.h"
#include "libmemusage/unwind/loaded.h"

/* Returns false at the terminator or for the 64-bit form, which no linker makes. */
static bool open_table_entry(const uint8_t *start, struct dwarf_reader *r)
{
	uint32_t length;

	memcpy(&length, start, sizeof(length));
	if (!length || length == UINT32_MAX)
		return false;
	*r = (struct dwarf_reader){ start + 4, start + 4 + length, false };
	return true;
}

static void read_augmentation(struct dwarf_reader *r, const char *letters, struct cfi_cie *cie)
{
	uint64_t length = dwarf_read_uleb(r);
	const uint8_t *end = r->at + length;

	cie->has_augmentation = true;
	for (; *letters && !r->bad; letters++) {
		if (*letters == 'R')
			cie->pointer_encoding = (int)dwarf_read_bytes(r, 1);
		else if (*letters == 'P')
			dwarf_read_pointer(r, (int)dwarf_read_bytes(r, 1), 0);
		else if (*letters == 'L')
			dwarf_read_bytes(r, 1);
		else if (*letters == 'S')
			cie->is_signal = true;
	}
	r->at = end;
}

static bool read_common_entry(const uint8_t *start, struct cfi_cie *cie)
{
	struct dwarf_reader r;

	*cie = (struct cfi_cie){ 0 };
	if (!open_table_entry(start, &r))
		return false;
	dwarf_read_bytes(&r, 4);
	unsigned int version = (unsigned int)dwarf_read_bytes(&r, 1);
	const char *letters = (const char *)r.at;
	while (dwarf_read_bytes(&r, 1))
		;
	cie->code_align = dwarf_read_uleb(&r);
	cie->data_align = dwarf_read_sleb(&r);
	if (version == 1)
		dwarf_read_bytes(&r, 1);
	else
		dwarf_read_uleb(&r);
	if (*letters == 'z')
		read_augmentation(&r, letters + 1, cie);
	cie->program = r;
	return !r.bad && r.at <= r.end;
}

static void set_register_rule(struct cfi_workspace *m, uint64_t reg, enum cfi_kind kind,
			      int64_t offset)
{
	if (reg < CFI_REGS)
		m->row.reg[reg] = (struct cfi_rule){ kind, offset, NULL };
}

static void set_expression_rule(struct cfi_workspace *m, struct dwarf_reader *r, enum cfi_kind kind)
{
	uint64_t reg = dwarf_read_uleb(r);
	const uint8_t *expression = r->at;
	uint64_t length = dwarf_read_uleb(r);

	r->at += length;
	if (reg < CFI_REGS)
		m->row.reg[reg] = (struct cfi_rule){ kind, 0, expression };
}

static void restore_initial_rule(struct cfi_workspace *m, uint64_t reg)
{
	if (reg < CFI_REGS)
		m->row.reg[reg] = m->has_initial ? m->initial.reg[reg]
						  : (struct cfi_rule){ 0 };
}

static void set_cfa_register(struct cfi_workspace *m, uint64_t reg, int64_t offset)
{
	m->row.cfa_register = reg < CFI_REGS ? (int)reg : -1;
	m->row.cfa_expression = NULL;
	m->row.cfa_offset = offset;
}

static bool push_row_state(struct cfi_workspace *m)
{
	if (m->depth == CFI_STATES)
		return false;
	m->saved[m->depth++] = m->row;
	return true;
}

static bool pop_row_state(struct cfi_workspace *m)
{
	if (!m->depth)
		return false;
	m->row = m->saved[--m->depth];
	return true;
}

/* Instructions that define the CFA. Returns false if `op` is none of them. */
static bool run_cfa_instruction(struct cfi_workspace *m, struct dwarf_reader *r, unsigned int op)
{
	uint64_t reg;

	switch (op) {
	case 0x0c: /* def_cfa */
		reg = dwarf_read_uleb(r);
		set_cfa_register(m, reg, (int64_t)dwarf_read_uleb(r));
		return true;
	case 0x12: /* def_cfa_sf */
		reg = dwarf_read_uleb(r);
		set_cfa_register(m, reg, dwarf_read_sleb(r) * m->cie.data_align);
		return true;
	case 0x0d: /* def_cfa_register */
		set_cfa_register(m, dwarf_read_uleb(r), m->row.cfa_offset);
		return true;
	case 0x0e: /* def_cfa_offset */
		m->row.cfa_offset = (int64_t)dwarf_read_uleb(r);
		return true;
	case 0x13: /* def_cfa_offset_sf */
		m->row.cfa_offset = dwarf_read_sleb(r) * m->cie.data_align;
		return true;
	case 0x0f: /* def_cfa_expression */
		m->row.cfa_register = -1;
		m->row.cfa_expression = r->at;
		r->at += dwarf_read_uleb(r);
		return true;
	default:
		return false;
	}
}

/* Instructions that say where a register is. Returns false for an unknown one. */
static bool run_register_instruction(struct cfi_workspace *m, struct dwarf_reader *r,
				     unsigned int op)
{
	const int64_t align = m->cie.data_align;
	uint64_t reg;

	switch (op) {
	case 0x10: /* expression */
		set_expression_rule(m, r, CFI_AT_EXPRESSION);
		return true;
	case 0x16: /* val_expression */
		set_expression_rule(m, r, CFI_VALUE_EXPRESSION);
		return true;
	case 0x0a:
		return push_row_state(m);
	case 0x0b:
		return pop_row_state(m);
	case 0x2e: /* GNU_args_size */
		dwarf_read_uleb(r);
		return true;
	case 0x2d: /* GNU_window_save; on aarch64 the return address is signed */
		return true;
	default:
		break;
	}
	reg = dwarf_read_uleb(r);
	switch (op) {
	case 0x05: /* offset_extended */
		set_register_rule(m, reg, CFI_AT_CFA, (int64_t)dwarf_read_uleb(r) * align);
		return true;
	case 0x11: /* offset_extended_sf */
		set_register_rule(m, reg, CFI_AT_CFA, dwarf_read_sleb(r) * align);
		return true;
	case 0x14: /* val_offset */
		set_register_rule(m, reg, CFI_VALUE_CFA, (int64_t)dwarf_read_uleb(r) * align);
		return true;
	case 0x15: /* val_offset_sf */
		set_register_rule(m, reg, CFI_VALUE_CFA, dwarf_read_sleb(r) * align);
		return true;
	case 0x06: /* restore_extended */
		restore_initial_rule(m, reg);
		return true;
	case 0x07: /* undefined */
		set_register_rule(m, reg, CFI_UNDEFINED, 0);
		return true;
	case 0x08: /* same_value */
		set_register_rule(m, reg, CFI_SAME, 0);
		return true;
	case 0x09: /* register */
		set_register_rule(m, reg, CFI_REGISTER, (int64_t)dwarf_read_uleb(r));
		return true;
	default:
		return false;
	}
}

static bool run_advance(struct cfi_workspace *m, struct dwarf_reader *r, unsigned int op,
			bool *is_advance)
{
	uint64_t delta;

	*is_advance = true;
	if (op >> 6 == 1)
		delta = op & 63;
	else if (op >= 2 && op <= 4)
		delta = dwarf_read_bytes(r, op == 2 ? 1 : op == 3 ? 2 : 4);
	else if (op == 1) {
		m->location = dwarf_read_pointer(r, m->cie.pointer_encoding, 0);
		return m->location <= m->pc;
	} else {
		*is_advance = false;
		return true;
	}
	m->location += delta * m->cie.code_align;
	return m->location <= m->pc;
}

/* Runs instructions until they pass pc. Returns false if one is unknown. */
static bool run_instructions(struct cfi_workspace *m, struct dwarf_reader r)
{
	bool is_advance;

	while (r.at < r.end && !r.bad) {
		unsigned int op = (unsigned int)dwarf_read_bytes(&r, 1);
		if (!run_advance(m, &r, op, &is_advance))
			return true;
		if (is_advance || op == 0)
			continue;
		if (op >> 6 == 2)
			set_register_rule(m, op & 63, CFI_AT_CFA,
					  (int64_t)dwarf_read_uleb(&r) * m->cie.data_align);
		else if (op >> 6 == 3)
			restore_initial_rule(m, op & 63);
		else if (!run_cfa_instruction(m, &r, op) && !run_register_instruction(m, &r, op))
			return false;
	}
	return !r.bad;
}

/* Opens the entry of a function: r is then after its range. Returns false if the range does not
 * contain pc. */
static bool open_function_entry(const uint8_t *start, uint64_t pc, struct dwarf_reader *r,
				struct cfi_cie *cie, uint64_t *begin)
{
	uint32_t back;

	if (!open_table_entry(start, r))
		return false;
	memcpy(&back, r->at, sizeof(back));
	if (!back || !read_common_entry(r->at - back, cie))
		return false;
	r->at += 4;
	*begin = dwarf_read_pointer(r, cie->pointer_encoding, 0);
	return pc >= *begin && pc - *begin < dwarf_read_pointer(r, cie->pointer_encoding & 15, 0);
}

/* Not inlined, so that its frame is not on the stack during the call of ld.so. */
static __attribute__((noinline)) bool read_function_row(const uint8_t *start, uint64_t pc,
							struct cfi_workspace *work)
{
	struct dwarf_reader r;
	uint64_t begin;

	if (!open_function_entry(start, pc, &r, &work->cie, &begin))
		return false;
	if (work->cie.has_augmentation)
		r.at += dwarf_read_uleb(&r);
	memset(&work->row, 0, sizeof(work->row));
	work->row.is_signal = work->cie.is_signal;
	work->row.cfa_register = -1;
	work->has_initial = false;
	work->depth = 0;
	work->location = 0;
	work->pc = UINT64_MAX;
	if (!run_instructions(work, work->cie.program))
		return false;
	work->initial = work->row;
	work->has_initial = true;
	work->location = begin;
	work->pc = pc;
	work->depth = 0;
	return run_instructions(work, r);
}

/* Binary search in .eh_frame_hdr. Its table of 4-byte pairs, relative to the header itself,
 * is the only form that linkers make. */
static const uint8_t *search_header_table(const uint8_t *header, uint64_t pc)
{
	struct dwarf_reader r = { header + 4, header + 24, false };

	if (header[0] != 1 || header[1] == ENC_OMIT || header[3] != (ENC_DATA_RELATIVE | ENC_S32))
		return NULL;
	dwarf_read_pointer(&r, header[1], (uint64_t)header);
	uint64_t count = dwarf_read_pointer(&r, header[2], (uint64_t)header);
	const int32_t *table = (const int32_t *)(const void *)r.at;
	int64_t wanted = (int64_t)(pc - (uint64_t)header);
	if (!count || wanted < table[0])
		return NULL;
	uint64_t low = 0, high = count;
	while (high - low > 1) {
		uint64_t middle = (low + high) / 2;
		if (table[2 * middle] <= wanted)
			low = middle;
		else
			high = middle;
	}
	return header + table[2 * low + 1];
}

void cfi_init(void)
{
	loaded_init();
}

static struct dl_find_object just_mapped; /* see cfi_add_object() */

static void ask_dynamic_linker(void *argument)
{
	struct cfi_workspace *work = argument;

	work->is_found = loaded_find(work->asked_pc, &work->object);
}

/* Finds the object of an address, work->object. ld.so's functions may use vector registers, which a
 * client request must preserve. */
static bool find_object_of(uint64_t pc, struct cfi_workspace *work)
{
	if ((void *)pc >= just_mapped.dlfo_map_start && (void *)pc < just_mapped.dlfo_map_end) {
		work->object = just_mapped;
		return true;
	}
	work->asked_pc = pc;
	vectors_preserve_in(work->vectors, ask_dynamic_linker, work);
	return work->is_found;
}

bool cfi_covers(const uint8_t *header, uint64_t pc)
{
	const uint8_t *fde = header ? search_header_table(header, pc) : NULL;
	struct dwarf_reader r;
	struct cfi_cie cie;
	uint64_t begin;

	return fde && open_function_entry(fde, pc, &r, &cie, &begin);
}

void cfi_add_object(const uint8_t *header, uint64_t start, uint64_t end)
{
	just_mapped.dlfo_map_start = (void *)start;
	just_mapped.dlfo_map_end = header ? (void *)end : (void *)start;
	just_mapped.dlfo_eh_frame = (void *)(uintptr_t)header;
}

static const struct cfi_row *find_row_in_object(uint64_t pc, struct cfi_workspace *work)
{
	if (!work->object.dlfo_eh_frame)
		return NULL;
	const uint8_t *fde = search_header_table(work->object.dlfo_eh_frame, pc);
	return fde && read_function_row(fde, pc, work) ? &work->row : NULL;
}

const struct cfi_row *cfi_find(uint64_t pc, struct cfi_workspace *work)
{
	return find_object_of(pc, work) ? find_row_in_object(pc, work) : NULL;
}

const struct cfi_row *cfi_find_near(uint64_t pc, struct cfi_workspace *work)
{
	if (pc < (uint64_t)work->object.dlfo_map_start || pc >= (uint64_t)work->object.dlfo_map_end)
		return cfi_find(pc, work);
	return find_row_in_object(pc, work);
}

bool cfi_object_of(uint64_t pc, struct cfi_object *object, struct cfi_workspace *work)
{
	if (!find_object_of(pc, work))
		return false;
	object->start = (uint64_t)work->object.dlfo_map_start;
	object->end = (uint64_t)work->object.dlfo_map_end;
	object->map = work->object.dlfo_link_map;
	return true;
}
