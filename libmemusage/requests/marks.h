/* marks.h -- moments that the program names, and pauses of the recording.
 *
 * The recording holds at most MARKS_MAX of them (MU_SEC_MARKS); further ones are counted as drops.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#include "libmemusage/image/thread.h"

#define MARKS_MAX 65536u
#define MARKS_TEXT 255u /* bytes of a name that are kept */

/* marks_init -- make the empty table of a new image. */
void marks_init(void);

/* marks_add -- append a mark of this moment.
 *
 * text  up to its first zero byte or MARKS_TEXT bytes; NULL is no text.
 * Call this and the next two inside the hook. Async-signal-safe. Cost 100 ns and 48 bytes.
 */
void marks_add(struct thread *thread, enum mu_mark_kind kind, const char *text);

/* marks_pause -- stop recording allocations in all threads. Each call needs a marks_resume(). */
void marks_pause(struct thread *thread);

/* marks_resume -- undo one marks_pause(). Returns false if there is none. */
bool marks_resume(struct thread *thread);
