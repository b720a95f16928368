/* symbol_hooks.h -- intercepting the functions that --alloc-symbol and --free-symbol name.
 *
 * The collector finds their addresses and arguments (profile/symbols/allocsyms.h). The recorder
 * asks it for each object, at the start and when ld.so has mapped new ones.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* symbol_hooks_start -- asks, and intercepts, now and for each new object. With MU_CFG_SYMBOLS,
 * from the constructor. Waits for the collector: some 10 ms for each file that it has not seen
 * yet. */
void symbol_hooks_start(void);
