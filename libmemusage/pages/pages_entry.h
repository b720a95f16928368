/* pages_entry.h -- recording the mappings that libc makes for itself.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

/* pages_entry_patch -- intercept the entries of libc's mmap family, and fill pages_pc.
 *
 * libc calls these functions of its own directly: for arenas of malloc, stacks of threads, files
 * that it reads. The callers in the recorder record their calls themselves.
 * Returns whether all are intercepted. Idempotent. From recorder_start() only, as entry_patch().
 */
bool pages_entry_patch(void);
