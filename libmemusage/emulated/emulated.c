/* emulated.c -- a recorded process under qemu-user.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/emulated/emulated.h"

#include "libmemusage/base/sys.h"
#include "libmemusage/emulated/emulated_event.h"
#include "libmemusage/emulated/emulated_exec.h"
#include "libmemusage/image/arena.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/tables/accesses.h"
#include "libmemusage/tables/instructions.h"
#include "recording/accesses.h"

extern const char __ehdr_start[], etext[] __attribute__((visibility("hidden")));

void emulated_begin(void)
{
	struct emulated us = {
		.magic = EMULATED_MAGIC,
		.base = (uint64_t)rec.base,
		.table = (uint64_t)&access_table,
		.locks = (uint64_t)arena_locks,
		.gate = (uint64_t)&gate,
		.own = (uint64_t)__ehdr_start,
		.own_end = (uint64_t)etext,
		.ask = (uint64_t)emulated_event_ask,
		.answer = (uint64_t)emulated_event_answer,
	};

	if (rec.segment->config.access_engine != MU_ENGINE_EMULATE)
		return;
	SYS1(EMULATED_SYSCALL, &us);
	instructions_emulated((const uint64_t *)us.instructions);
	rec.emulator_answers = us.answers;
	rec.image->notes |= us.instructions ? MU_NOTE_EMULATED : MU_NOTE_NO_HOOKS;
}

void emulated_start(void)
{
	if (rec.image->notes & MU_NOTE_EMULATED && rec.flags & MU_CFG_TRACE_CHILDREN)
		emulated_exec_start();
}
