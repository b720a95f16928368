/* patched_pc.h -- what patch/ has put in the place of the program's code, for unwinding.
 *
 * patch/ enters here the memory that its code lies in, and how the stubs of client requests look
 * (patch/macros.c): a frame there stands for one of the program.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_UNWIND_PATCHED_PC_H
#define LIBMEMUSAGE_UNWIND_PATCHED_PC_H

#include <stdbool.h>
#include <stdint.h>

#define PATCHED_AREA_BYTES (UINT64_C(64) << 10)
#define PATCHED_AREAS 256u
/* A stub keeps clear of the red zone of the function that it is reached from. */
#define PATCHED_RED_ZONE 128u

/* Where stubs are looked for by address: they are 16-aligned. In front of a stub for a jump from
 * the second instruction stands what is left of the rotation. */
struct __attribute__((packed)) patched_stub {
	uint8_t lower[5];	/* 0: lea -128(%rsp), %rsp */
	uint8_t call[6];	/* 5: call *cell(%rip) */
	uint8_t raise[8];	/* 11: lea 128(%rsp), %rsp */
	uint8_t jump;		/* 19: jmp behind */
	int32_t distance;
	uint64_t behind;	/* 24: 13 bytes after the call returns, see macros_entry.S */
	uint64_t cell;		/* 32 */
};

#define PATCHED_STUB_RETURN 11u
#define PATCHED_STUB_JUMP 19u

extern const struct patched_stub patched_stub_model;

/* patched_pc_add_area -- enter memory for code: PATCHED_AREA_BYTES from `start`, for good.
 *
 * At most PATCHED_AREAS times, by one thread at a time.
 */
void patched_pc_add_area(uint64_t start);

/* patched_pc_enter -- tell which function the stubs call. */
void patched_pc_enter(void (*entry)(void));

/* patched_pc_holds -- whether an address is in memory for code. Async-signal-safe, some ns. */
bool patched_pc_holds(uint64_t pc);

/* patched_pc_behind -- for a return address in a stub: that behind the request in the program.
 *
 * Returns pc itself if it is no such. The frame there is that of the stub's call, with its stack
 * pointer PATCHED_RED_ZONE higher. Async-signal-safe. Cost some ns.
 */
uint64_t patched_pc_behind(uint64_t pc);

/* patched_pc_leave_stub -- for the address of an instruction of a stub, where a signal came.
 *
 * pc, sp  become those of the program where the request is. Returns false if it is none.
 */
bool patched_pc_leave_stub(uint64_t *pc, uint64_t *sp);

#endif
