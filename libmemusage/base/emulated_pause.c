/* emulated_pause.c -- the recorder's own work under qemu-user is not counted as the program's.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/base/emulated_pause.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "libmemusage/base/sys.h"
#include "recording/env.h"

extern const char __ehdr_start[], etext[] __attribute__((visibility("hidden")));

enum emulated_pauses emulated_pauses = PAUSES_UNKNOWN;

static bool begins_with(const char *text, const char *name)
{
	while (*name && *text == *name)
		text++, name++;
	return !*name;
}

/* Without the C library, whose instructions would be counted, and which may use vector registers:
 * vectors_preserve() has not saved them yet. */
static bool is_emulated(void)
{
	for (char **entry = environ; entry && *entry; entry++)
		if (begins_with(*entry, MU_ENV_EMULATOR "="))
			return true;
	return false;
}

/* The calling thread's pauses, which nest, and the signals that it had blocked before. */
static __thread struct {
	unsigned int depth;
	uint64_t signals_before;
} pause_state;

/* Signals are blocked: a handler's instructions are the program's, and one that left by longjmp
 * would leave the count paused. */
void emulated_pause_slow(void)
{
	uint64_t all = ~UINT64_C(0);

	if (emulated_pauses == PAUSES_UNKNOWN)
		emulated_pauses = is_emulated() ? PAUSES_COUNT : PAUSES_NONE;
	if (!emulated_pauses || pause_state.depth++)
		return;
	SYS4(SYS_rt_sigprocmask, SIG_BLOCK, &all, &pause_state.signals_before, sizeof(all));
	SYS3(EMULATED_SYSCALL, EMULATED_PAUSE, __ehdr_start, etext);
}

void emulated_resume_slow(void)
{
	if (!pause_state.depth || --pause_state.depth)
		return;
	SYS1(EMULATED_SYSCALL, EMULATED_RESUME);
	SYS4(SYS_rt_sigprocmask, SIG_SETMASK, &pause_state.signals_before, NULL,
	     sizeof(pause_state.signals_before));
}
