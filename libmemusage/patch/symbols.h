/* symbols.h -- the list of functions that were to be intercepted, for reports.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#include "recording/recording.h"

struct symbols_name {
	const char *name, *object, *why;
	uint32_t kind; /* enum mu_symbol_kind */
	uint32_t rule;
};

/* symbols_note -- append a function to the list.
 *
 * symbol  its strings are copied; why: NULL if it is intercepted.
 * Returns its number + 1, the old one if its object was unloaded and came back; 0 if there is no
 * room. Under ld.so's lock or before main: one thread at a time.
 */
uint32_t symbols_note(const struct symbols_name *symbol);

/* symbols_called -- count a call. number: from symbols_note(), may be 0. Async-signal-safe. */
void symbols_called(uint32_t number);
