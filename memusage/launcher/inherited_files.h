/* inherited_files.h -- The files that memusage was started with: they are the program's.
 *
 * A lock on one of them, or the end of a pipe, would last as long as memusage keeps it. Standard
 * input, output and error are memusage's, too.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* inherited_files_note -- Takes note of all descriptors from 3 on. Call it before any is opened.
 *
 * argv  the command line. If it names a descriptor (/dev/fd/63, as shells write it for ">(gzip)"),
 *       none is noted: it may be opened by that name later.
 */
void inherited_files_note(char *const *argv);

/* inherited_files_close -- Closes those that were noted, once. */
void inherited_files_close(void);
