/* cfi.h -- reading .eh_frame: how to find a frame's caller.
 *
 * Tables are trusted, as ld.so trusts them: they belong to loaded objects. Lengths are bounded
 * nevertheless, so that a damaged object ends in "unknown", not in a fault.
 * Source: LSB 5.0 Core, "Exception Frames"; DWARF 4, section 6.4; System V ABI AMD64
 * supplement, figure 3.36 (register numbers).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "libmemusage/base/vectors.h"
#include "libmemusage/unwind/dwarf_reader.h"
#include "libmemusage/unwind/loaded.h"

#if defined(__x86_64__)
#define CFI_REGS 17 /* 0-15 general registers, 16 the return address */
#define CFI_BP 6
#define CFI_SP 7
#define CFI_RA 16
#else
#define CFI_REGS 33
#define CFI_BP 29
#define CFI_SP 31
#define CFI_RA 30
#endif

struct link_map;

enum cfi_kind {
	CFI_SAME = 0,	  /* as in the inner frame */
	CFI_UNDEFINED,	  /* lost; for the return address: this is the outermost frame */
	CFI_AT_CFA,	  /* saved at CFA + offset */
	CFI_VALUE_CFA,	  /* is CFA + offset */
	CFI_REGISTER,	  /* in register `offset` */
	CFI_AT_EXPRESSION, /* saved at the address an expression gives */
	CFI_VALUE_EXPRESSION
};

struct cfi_rule {
	enum cfi_kind kind;
	int64_t offset;
	const uint8_t *expression; /* its length (ULEB128) first */
};

/* One row of the table: what holds at one address. */
struct cfi_row {
	bool is_signal;		       /* a signal handler returns here */
	int cfa_register;	       /* -1: cfa_expression */
	int64_t cfa_offset;
	const uint8_t *cfa_expression; /* its length first */
	struct cfi_rule reg[CFI_REGS];
};

/* The common entry of all functions of a compilation unit (cfi.c). */
struct cfi_cie {
	uint64_t code_align;
	int64_t data_align;
	int pointer_encoding;
	bool has_augmentation;
	bool is_signal;
	struct dwarf_reader program;
};

#define CFI_STATES 8 /* depth of remember_state */

/* The memory of cfi_find(), which is too large for a signal handler's stack. */
struct cfi_workspace {
	_Alignas(64) uint8_t vectors[VECTORS_ROOM]; /* the program's registers meanwhile */
	uint64_t asked_pc;			    /* that ld.so is asked for */
	struct dl_find_object object;		    /* what it says, if is_found */
	bool is_found;
	/* The state that call frame instructions work on. */
	struct cfi_row row;	/* in the end: what was found */
	struct cfi_row initial; /* after the instructions that all functions of a CIE share */
	struct cfi_row saved[CFI_STATES];
	unsigned int depth; /* of saved */
	bool has_initial;
	uint64_t location; /* that the row is for so far */
	uint64_t pc;	   /* that it is to be for */
	struct cfi_cie cie;
};

/* cfi_init -- find ld.so's look-up function. Call from the constructor or recorder_start(). */
void cfi_init(void);

/* cfi_find -- find the row for an address.
 *
 * pc    an address inside an instruction (for return addresses: minus one).
 * work  the caller's memory; its contents do not matter.
 * Returns the row, which is in `work`; NULL if no loaded object has unwind information for it.
 * Async-signal-safe where ld.so has _dl_find_object (glibc 2.35 and later). Cost 1-3 us.
 */
const struct cfi_row *cfi_find(uint64_t pc, struct cfi_workspace *work);

/* cfi_find_near -- as cfi_find(), for the next frame of the same walk.
 *
 * work  from cfi_find() of an earlier frame: most frames are in the same object, for which ld.so is
 *       not asked again. That object must not have been unloaded since.
 * Cost 0.5-2 us less.
 */
const struct cfi_row *cfi_find_near(uint64_t pc, struct cfi_workspace *work);

/* cfi_covers -- return whether the tables of an object have a function that contains an address.
 *
 * header  its .eh_frame_hdr; NULL: none. For objects that ld.so's look-up does not know yet.
 */
bool cfi_covers(const uint8_t *header, uint64_t pc);

/* cfi_add_object -- let cfi_find() know one object that ld.so's look-up does not know yet.
 *
 * header      its .eh_frame_hdr; NULL: forget it.
 * start, end  addresses of the object.
 * Call it only where ld.so calls us (patch_on_objects()).
 */
void cfi_add_object(const uint8_t *header, uint64_t start, uint64_t end);

/* A loaded object. */
struct cfi_object {
	uint64_t start, end; /* lowest and highest mapped address */
	struct link_map *map;
};

/* cfi_object_of -- find the object that contains an address. Returns false if none does.
 *
 * work  as for cfi_find().
 * Async-signal-safe and without a lock where cfi_find() is. Keeps vector registers. Cost 170 ns.
 */
bool cfi_object_of(uint64_t pc, struct cfi_object *object, struct cfi_workspace *work);

/* cfi_reader -- read a word of memory for an expression. Returns false if it must not be read. */
typedef bool cfi_reader(void *data, uint64_t address, uint64_t *value);

/* cfi_evaluate -- compute the value of an expression.
 *
 * expression  its length first.
 * reg         the frame's registers.
 * initial     pushed first; NULL: nothing is.
 * read        reads memory, with `data`; the recorder's own stubs are read without it.
 * value       set to the result.
 * Returns false if it has an unknown operation or reads memory that it must not. Async-signal-safe.
 */
bool cfi_evaluate(const uint8_t *expression, const uint64_t reg[CFI_REGS], const uint64_t *initial,
		  cfi_reader *read, void *data, uint64_t *value);
