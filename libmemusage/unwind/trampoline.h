/* trampoline.h -- Stepping over trampolines: generated code without unwind tables that calls.
 *
 * CPython (3.12 and later, -X perf) makes one for each Python function, so that the map which it
 * writes for perf can name it. On x86-64 up to 3.12 it keeps no frame pointer, and neither do the
 * functions of most distributions' python3 that it calls: only its instructions tell where its
 * caller is.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* trampoline_frame_size -- Tells how much of the stack a trampoline has between its frame's two
 * return addresses.
 *
 * pc    a return address in code without unwind tables; it may point anywhere.
 * size  bytes, 0 to 127, if the code around PC is "sub $SIZE,%rsp; call *%rcx; add $SIZE,%rsp;
 *       ret"; else unchanged.
 * Returns whether it is. The bytes are read only after the kernel was asked whether they can be.
 * Async-signal-safe. Cost 200 ns. Source CPython 3.12, Python/asm_trampoline.S.
 */
bool trampoline_frame_size(uint64_t pc, uint32_t *size);
