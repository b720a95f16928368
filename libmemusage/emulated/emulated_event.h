/* emulated_event.h -- events of an emulated process that the processor itself records.
 *
 * Under the emulator an instruction of the recorder costs as much as ten. But its code is that of
 * the machine, and its addresses are valid in the emulator's process: so the plugin calls it. What
 * is called so must not leave the recorder's code, as the C library's is not executable there, nor
 * use thread-local variables, as the emulator's are in their place: events that would are left to
 * the usual way, which is emulated (tests/lint/native.t).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_EMULATED_EMULATED_EVENT_H
#define LIBMEMUSAGE_EMULATED_EMULATED_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recording/recording.h"

enum { EMULATED_ASKED = 1, EMULATED_RECORDED = 2 };

/* An event, on the stack of the thread that has it. The store of EMULATED_ASKED, an instruction
 * that the plugin knows, calls emulated_event_answer(). */
struct emulated_event {
	uint32_t state;
	uint32_t fn; /* enum mu_fn */
	uint64_t thread, block, size, sp;
};

/* emulated_event_ask -- the instruction that stores EMULATED_ASKED. */
extern const char emulated_event_ask[] __attribute__((visibility("hidden")));

/* emulated_event_answer -- record an event if that needs nothing but the recorder's own code.
 *
 * Called by the plugin, on a stack of the emulator's. Sets EMULATED_RECORDED, or nothing has
 * changed.
 */
void emulated_event_answer(struct emulated_event *event);

/* emulated_event -- have an allocation or, for MU_FN_FREE, a free recorded.
 *
 * As alloc_quick() and free_quick().
 */
bool emulated_event(enum mu_fn fn, const void *block, uint64_t size, uint64_t sp);

#endif
