/* emulated.c -- a recorded process under qemu-user.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/emulated/emulated.h"

#include <signal.h>
#include <unistd.h>

#include "libmemusage/base/sys.h"
#include "libmemusage/emulated/emulated_event.h"
#include "libmemusage/emulated/emulated_exec.h"
#include "libmemusage/image/arena.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/tables/accesses.h"
#include "recording/accesses.h"
#include "recording/env.h"

static const uint64_t *instructions;
bool emulated_answers;

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
	instructions = (const uint64_t *)us.instructions;
	emulated_answers = us.answers;
	rec.image->notes |= instructions ? MU_NOTE_EMULATED : MU_NOTE_NO_HOOKS;
}

bool emulated_may_pause = true;

static bool begins_with(const char *text, const char *name)
{
	while (*name && *text == *name)
		text++, name++;
	return !*name;
}

/* Without the C library, whose instructions would be counted. */
static bool is_emulated(void)
{
	for (char **entry = environ; entry && *entry; entry++)
		if (begins_with(*entry, MU_ENV_EMULATOR "="))
			return true;
	return false;
}

static __thread unsigned int pauses;
static __thread uint64_t signals_before;

/* With signals blocked: what a handler executes is the program's, and one that left by longjmp
 * would leave the count paused. */
void emulated_pause_slow(void)
{
	static bool is_known;
	uint64_t all = ~UINT64_C(0);

	if (!is_known)
		emulated_may_pause = is_emulated();
	is_known = true;
	if (!emulated_may_pause || pauses++)
		return;
	SYS4(SYS_rt_sigprocmask, SIG_BLOCK, &all, &signals_before, sizeof(all));
	SYS3(EMULATED_SYSCALL, EMULATED_PAUSE, __ehdr_start, etext);
}

void emulated_resume_slow(void)
{
	if (!pauses || --pauses)
		return;
	SYS1(EMULATED_SYSCALL, EMULATED_RESUME);
	SYS4(SYS_rt_sigprocmask, SIG_SETMASK, &signals_before, NULL, sizeof(signals_before));
}

void emulated_start(void)
{
	if (instructions && rec.flags & MU_CFG_TRACE_CHILDREN)
		emulated_exec_start();
}

const uint64_t *emulated_counter(void)
{
	static const uint64_t none;

	return instructions ? instructions : &none;
}
