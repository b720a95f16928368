/* interpose_exit.c -- exit, quick_exit, _exit, _Exit, to note how the process ends.
 *
 * A parent can reap its child before the collector asks the kernel for the status. A return from
 * main calls exit inside libc, and is not seen here.
 *
 * The real function is called in the last place, so that the compiler makes a jump of it: exit
 * handlers then find the stack as it is without us. Hence the functions have other names in C,
 * where <stdlib.h> says that they do not return.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/base/export.h"
#include "libmemusage/base/real.h"
#include "libmemusage/lifecycle/image.h"
#include "libmemusage/lifecycle/pages_query.h"
#include "libmemusage/requests/leak_query.h"

static struct next_exits {
	void (*ordinary)(int);
	void (*quick)(int);
	void (*immediate)(int);
	void (*immediate_c99)(int);
} next;

static void resolve_exits(void)
{
	real_find(&next.ordinary, "exit");
	real_find(&next.quick, "quick_exit");
	real_find(&next.immediate, "_exit");
	real_find(&next.immediate_c99, "_Exit");
}

REAL_PART = { .resolve = resolve_exits };

void call_exit(int status) __asm__("exit");
void call_quick_exit(int status) __asm__("quick_exit");
void call_immediate_exit(int status) __asm__("_exit");
void call_c99_exit(int status) __asm__("_Exit");

EXPORT void call_exit(int status)
{
	real_resolve();
	leak_query_before_end((uint64_t)__builtin_frame_address(0) + 16);
	image_note_end(MU_END_EXIT, status);
	next.ordinary(status);
}

/* Handlers of at_quick_exit follow, so the time of the end is not known yet. */
EXPORT void call_quick_exit(int status)
{
	real_resolve();
	image_note_end(MU_END_STATUS, status);
	next.quick(status);
}

EXPORT void call_immediate_exit(int status)
{
	real_resolve();
	pages_query_at_end();
	leak_query_at_immediate_end((uint64_t)__builtin_frame_address(0) + 16);
	image_note_end(MU_END_IMMEDIATE, status);
	next.immediate(status);
}

EXPORT void call_c99_exit(int status)
{
	real_resolve();
	pages_query_at_end();
	leak_query_at_immediate_end((uint64_t)__builtin_frame_address(0) + 16);
	image_note_end(MU_END_IMMEDIATE, status);
	next.immediate_c99(status);
}
