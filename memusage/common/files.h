/* files.h -- open the files that memusage writes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_COMMON_FILES_H
#define MEMUSAGE_COMMON_FILES_H

#include <stdbool.h>
#include <sys/types.h>

/* files_open_empty -- output_open_file() for the public; a regular file that was there is emptied.
 *
 * Returns a descriptor, or -1 with errno.
 */
int files_open_empty(const char *name);

/* files_temporary -- a nameless file in $TMPDIR or /tmp; gone when it is closed.
 *
 * Returns a descriptor for reading and writing, or -1 with errno.
 */
int files_temporary(void);

/* files_has_pid -- whether a file name pattern holds %p. */
bool files_has_pid(const char *pattern);

/* files_expand -- the name that a pattern stands for, to be freed; see output_expand().
 *
 * Dies with a message if the pattern is wrong, which it is for every PID or for none.
 */
char *files_expand(const char *pattern, pid_t pid);

/* files_check -- die if what PATTERN stands for cannot be written; nothing is changed or left.
 *
 * pattern  as for files_expand(). Of one that holds %p or %n only the directory is looked at.
 * flags    enum output_flag: OUTPUT_PUBLIC or 0.
 */
void files_check(const char *pattern, unsigned flags);

/* files_check_name -- the same for a name in which % means nothing.
 *
 * What is no file (a pipe, a terminal) is not opened: its other end would take that for a use.
 */
void files_check_name(const char *name, unsigned flags);

#endif
