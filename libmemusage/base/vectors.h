/* vectors.h -- calling code that may use vector registers, where the program's must be preserved.
 *
 * The recorder itself is compiled for general registers only, since patched code calls it where
 * vector registers are live (docs/design.md, "Patching"). The few functions of libc that it needs
 * may use them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

/* vectors_preserve -- call work(argument) and restore all vector and x87 registers.
 *
 * Async-signal-safe if work is. Cost 180 ns, and as much stack as the registers in use take:
 * 0.6 KiB, 0.9 with AVX, 2.7 with AVX-512.
 */
void vectors_preserve(void (*work)(void *), void *argument);

#define VECTORS_ROOM 4096u

/* vectors_preserve_in -- do vectors_preserve() with the registers in `room`, not on the stack.
 *
 * room  VECTORS_ROOM bytes, aligned to 64; may hold anything. Registers that need more (those of
 *       AMX in use) are kept on the stack.
 */
void vectors_preserve_in(uint8_t *room, void (*work)(void *), void *argument);
