/* no_start.c -- the ways to begin that a process which runs already does not have.
 *
 * In the place of lifecycle/start.c and emulated/emulated_exec.c.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/emulated/emulated_exec.h"
#include "libmemusage/lifecycle/start.h"

/* The image began before the gate was opened: it has no first event to begin at. */
void recorder_start(void)
{
}

/* No emulator attaches. */
void emulated_exec_start(void)
{
}
