/* stack_use.h -- instructions of x86-64 that read and write nothing but the stack.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* stack_use_only -- return whether an instruction certainly accesses only memory at the stack
 * pointer.
 *
 * code  its bytes, size of them. Returns false for an unknown instruction.
 * Source  Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, appendix A.
 */
bool stack_use_only(const unsigned char *code, size_t size);
