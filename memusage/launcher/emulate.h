/* emulate.h -- Run a program in qemu-user, whose plugin counts its accesses.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

/* The command that is executed instead of the program. */
struct emulation {
	char *emulator;	/* path */
	char **argv;	/* of the emulator, including the program's command */
	char **envp;
	bool counts_instructions; /* input: the plugin counts instructions, too */
};

/* emulate_prepare -- Finds the emulator and makes the command that runs the program in it.
 *
 * e         overwritten, except for its input.
 * program   path of the program's file; a script is run by its interpreter.
 * command   name and arguments of the program.
 * library   path of the recorder.
 * collector  as in MU_ENV_COLLECTOR.
 * Dies with a message if there is no emulator, or if it cannot run the program.
 */
void emulate_prepare(struct emulation *e, const char *program, char *const *command,
		     const char *library, const char *collector);

/* emulate_explain -- Prints the likely cause if an emulated program was killed by SIGNAL. */
void emulate_explain(int signal);
