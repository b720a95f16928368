/* output_watch.h -- Notices that something else wrote an output of the run meanwhile.
 *
 * The page and the picture are written at the end. If two runs at the same time have one name, the
 * second would replace the file of the first silently.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* output_watch_begin -- Remembers what file NAME is before the run; two names at most. */
void output_watch_begin(const char *name);

/* output_watch_warn -- Warns if NAME, about to be overwritten, is another file by now.
 *
 * It may be called after a fork. Nothing is known of other names.
 */
void output_watch_warn(const char *name);
