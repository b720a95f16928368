/* emulated_event.h -- events of an emulated process that run natively.
 *
 * Under the emulator an instruction of the recorder costs as much as ten. But the recorder's code
 * is that of the machine, and its addresses are valid in the emulator's process, so the plugin
 * calls it. Code that runs so must not leave the recorder, as the C library is not executable
 * there, nor use thread-local variables, as the emulator's are in their place. Events that would do
 * either take the usual way, which is emulated (tests/lint/native.t).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libmemusage/base/export.h"
#include "recording/recording.h"

enum { EMULATED_ASKED = 1, EMULATED_RECORDED = 2 };

/* An event, on the stack of the thread that has it. The store of EMULATED_ASKED, an instruction
 * that the plugin knows, calls emulated_event_answer(). */
struct emulated_event {
	uint32_t state;
	uint32_t fn; /* enum mu_fn */
	uint64_t thread, block, size, sp;
};

/* emulated_event_ask -- address of the instruction that stores EMULATED_ASKED. */
extern HIDDEN const char emulated_event_ask[];

/* emulated_event_answer -- record an event if that needs only the recorder's own code.
 *
 * The plugin calls it, on a stack of the emulator's. Sets EMULATED_RECORDED, or changes nothing.
 */
void emulated_event_answer(struct emulated_event *event);

/* emulated_event -- record an allocation or, for MU_FN_FREE, a free.
 *
 * As alloc_quick() and free_quick().
 */
bool emulated_event(enum mu_fn fn, const void *block, uint64_t size, uint64_t sp);
