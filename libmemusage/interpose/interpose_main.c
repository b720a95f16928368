/* interpose_main.c -- __libc_start_main, to ask what holds the blocks before exit handlers run.
 *
 * Destructors of C++ clear the containers that the question is about. A return from main calls
 * exit() inside libc, so main is called by a function of ours, but only with MU_CFG_HOLDERS: it is
 * one more frame below main, which a report hides as it hides libc's.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/base/export.h"
#include "libmemusage/base/real.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/requests/leak_query.h"

typedef int main_fn(int, char **, char **);
typedef int start_fn(main_fn *, int, char **, void (*)(void), void (*)(void), void (*)(void),
		     void *);

static struct next_main {
	start_fn *start;
	main_fn *main;
} next;

static void resolve_start(void)
{
	real_find(&next.start, "__libc_start_main");
}

REAL_PART = { .resolve = resolve_start };

static int run_main(int argc, char **argv, char **environment)
{
	int status = next.main(argc, argv, environment);

	leak_query_before_end((uint64_t)__builtin_frame_address(0) + 16);
	return status;
}

int call_start_main(main_fn *main, int argc, char **argv, void (*init)(void), void (*fini)(void),
		    void (*linker_fini)(void), void *stack) __asm__("__libc_start_main");

/* Source  glibc 2.36, csu/libc-start.c; older programs pass INIT and FINI, newer ones NULL. */
EXPORT int call_start_main(main_fn *main, int argc, char **argv, void (*init)(void),
			   void (*fini)(void), void (*linker_fini)(void), void *stack)
{
	real_resolve();
	if (gate.on && rec.flags & MU_CFG_HOLDERS) {
		next.main = main;
		main = run_main;
	}
	return next.start(main, argc, argv, init, fini, linker_fini, stack);
}
