/* emulate.h -- running a program in qemu-user, whose plugin counts its accesses.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_LAUNCHER_EMULATE_H
#define MEMUSAGE_LAUNCHER_EMULATE_H

#include <stdbool.h>

/* A program, and what is to be executed in its place. */
struct emulation {
	char *emulator;	/* path */
	char **argv;	/* its command, the program's included */
	char **envp;
	bool counts_instructions;	/* it is to count what is executed; an input */
};

/* emulate_prepare -- find the emulator, and make a command for it.
 *
 * e        overwritten, but for what is an input.
 * program  path of the program's file; a script is run by its interpreter.
 * command  its name and arguments.
 * library  the recorder; collector as in MU_ENV_COLLECTOR.
 * Dies with a message if there is no emulator, or the program is none that it can run.
 */
void emulate_prepare(struct emulation *e, const char *program, char *const *command,
		     const char *library, const char *collector);

/* emulate_explain -- say what it may mean if an emulated program died of a signal. */
void emulate_explain(int signal);

#endif
