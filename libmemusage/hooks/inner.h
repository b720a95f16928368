/* inner.h -- redirecting the C library's own calls of copying functions.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

/* inner_redirect -- points the C library's own slots of memcpy and its kin at our functions.
 *
 * The slots belong to R_*_IRELATIVE relocations, whose addends are the addresses of the symbols
 * that choose a version. Data is changed, never code.
 * Returns false if the library has no such slots, or they cannot be written. Once, at start,
 * while there is one thread.
 * Source  ELF gABI and the psABI of x86-64; glibc's libc.so.6, whose internal calls of ifunc
 *         symbols go through such slots.
 */
bool inner_redirect(void);
