/* patched_pc.h -- the code that replaces some of the program's, for unwinding.
 *
 * patch/ registers here the memory of its code and the function that the stubs of client requests
 * call (patch/macros.c): a frame in a stub represents one of the program.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "libmemusage/base/export.h"

#define PATCHED_AREA_BYTES (UINT64_C(64) << 10)
#define PATCHED_AREAS 256u
/* A stub keeps clear of the red zone of the function that it is reached from. */
#define PATCHED_RED_ZONE 128u

/* A stub; they are aligned to 16 bytes. A stub for a jump from the second instruction has the rest
 * of the rotation before it. */
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

extern HIDDEN const struct patched_stub patched_stub_model;

/* patched_pc_add_area -- register memory for code: PATCHED_AREA_BYTES from `start`, for good.
 *
 * At most PATCHED_AREAS times, by one thread at a time.
 */
void patched_pc_add_area(uint64_t start);

/* patched_pc_enter -- register the function that the stubs call. */
void patched_pc_enter(void (*entry)(void));

/* patched_pc_holds -- return whether an address is in such memory. Async-signal-safe, some ns. */
bool patched_pc_holds(uint64_t pc);

/* patched_pc_behind -- translate a return address in a stub to that after the request.
 *
 * Returns pc itself if it is not in a stub. The frame there is that of the stub's call, with its
 * stack pointer PATCHED_RED_ZONE higher. Async-signal-safe. Cost some ns.
 */
uint64_t patched_pc_behind(uint64_t pc);

/* patched_pc_leave_stub -- translate the registers of an instruction of a stub that a signal
 * interrupted.
 *
 * pc, sp  become those of the request in the program. Returns false if pc is not in a stub.
 */
bool patched_pc_leave_stub(uint64_t *pc, uint64_t *sp);
