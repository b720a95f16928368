/* shared_memory.h -- does this process share its memory with its parent, like a child of vfork()?
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

/* shared_memory_with_parent -- tell whether the parent process has the same address space.
 *
 * The kernel is asked by kcmp (kcmp(2), KCMP_VM). Containers forbid that call (docker's usual
 * filter does); then pages are mapped for a moment, and the parent's size is read from /proc, which
 * every user may read (proc(5), /proc/PID/statm).
 * Returns false if neither is possible: a new PID namespace, no /proc.
 * Async-signal-safe. Changes nothing that lasts. Cost 1 us, without kcmp 30 us.
 */
bool shared_memory_with_parent(void);
