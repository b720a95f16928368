/* files.h -- Open the files that memusage writes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* files_open_empty -- Opens a file with output_open_file() and OUTPUT_PUBLIC, and empties it if it
 * is a regular file.
 *
 * Returns a descriptor, or -1 with errno.
 */
int files_open_empty(const char *name);

/* files_lock -- Dies with a message if another memusage is writing the open file FD.
 *
 * name  for the message.
 * Waits a second for a run that is ending. The lock lasts until files_unlock(), or until every
 * duplicate of FD is closed. Nothing happens if FD is no regular file, or cannot be locked.
 */
void files_lock(int fd, const char *name);

/* files_unlock -- Lets other runs write the open file FD, which may be -1 or not locked. */
void files_unlock(int fd);

/* files_has_pid -- Tells whether a file name pattern has %p. */
bool files_has_pid(const char *pattern);

/* files_expand -- Returns the file name that PATTERN stands for, to be freed; see output_expand().
 *
 * Dies with a message if the pattern is invalid, which does not depend on the PID.
 */
char *files_expand(const char *pattern, pid_t pid);

/* files_has_specifier -- Tells whether a pattern has %X for an X of LETTERS; %%p is a percent sign
 * followed by a p. */
bool files_has_specifier(const char *pattern, const char *letters);

/* files_check -- Dies with a message if the files of PATTERN cannot be written. Leaves everything
 * as it was.
 *
 * pattern  as for files_expand(). If it has %p or %n, only the directory is checked.
 * flags    enum output_flag: OUTPUT_PUBLIC or 0.
 */
void files_check(const char *pattern, unsigned flags);

/* files_check_name -- Does the same for a name in which % has no meaning.
 *
 * Does not open a pipe or a terminal: the process at its other end would take that for use.
 */
void files_check_name(const char *name, unsigned flags);
