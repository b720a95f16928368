/* libearly.c -- a library to preload that allocates in its first constructor, and wraps malloc
 * by looking for the next one when it is first called, as many do. Nothing is inlined: its own
 * calls go through the symbols, and so to the recorder.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <dlfcn.h>
#include <stdlib.h>

static void *kept;

__attribute__((noinline)) void *malloc(size_t size)
{
	static void *(*next)(size_t);

	if (!next)
		next = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
	return next(size);
}

/* dlsym itself calls calloc before glibc 2.34, in a process with libpthread, and does without. */
__attribute__((noinline)) void *calloc(size_t count, size_t size)
{
	static void *(*next)(size_t, size_t);
	static int is_looking;

	if (is_looking)
		return NULL;
	if (!next) {
		is_looking = 1;
		next = (void *(*)(size_t, size_t))dlsym(RTLD_NEXT, "calloc");
		is_looking = 0;
	}
	return next(count, size);
}

__attribute__((constructor(101))) static void first(void)
{
	kept = malloc(7000);
	free(calloc(2, 4000));
}

__attribute__((destructor(101))) static void last(void)
{
	free(kept);
}
