/* program.h -- Find the program to run, or tell why it cannot be run; what its file names.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* Exit statuses of env(1) and the shells. */
enum { STATUS_BROKEN = 100, STATUS_FAILED = 125, STATUS_CANNOT_RUN = 126, STATUS_NOT_FOUND = 127 };

/* program_find -- Looks NAME up as execvp(3) does.
 *
 * path  receives the file to execute, to be freed; NULL on failure.
 * Returns 0, or the exit status for the failure, with errno set.
 */
int program_find(const char *name, char **path);

/* program_names -- Tells whether an ELF file has NAME as a string, as it names what it needs.
 *
 * Returns 1 or 0; -1 if it is no ELF file, or cannot be read. Reads all of it.
 */
int program_names(const char *file, const char *name);
