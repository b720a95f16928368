/* marks.h -- moments that the program names, and when recording was paused.
 *
 * In the recording as MU_SEC_MARKS, at most MARKS_MAX of them; what is more is counted as a drop.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_REQUESTS_MARKS_H
#define LIBMEMUSAGE_REQUESTS_MARKS_H

#include <stdint.h>

#include "libmemusage/image/thread.h"

#define MARKS_MAX 65536u
#define MARKS_TEXT 255u /* bytes of a name that are kept */

/* marks_init -- make the empty table of a new image. */
void marks_init(void);

/* marks_add -- a mark, now.
 *
 * text  up to its first zero byte or MARKS_TEXT bytes; NULL is no text.
 * All of these: call inside the hook. Async-signal-safe. Cost 100 ns and 48 bytes.
 */
void marks_add(struct thread *thread, enum mu_mark_kind kind, const char *text);

/* marks_pause -- record no allocation from now on, in any thread, until as many marks_resume(). */
void marks_pause(struct thread *thread);

/* marks_resume -- undo one marks_pause(). Returns false if there is none. */
bool marks_resume(struct thread *thread);

#endif
