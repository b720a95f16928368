/* libpass_on.c -- A preloaded malloc and free that only pass on: what any preloaded library costs.
 *
 * SPDX-License-Identifier: 0BSD
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))

void *__libc_malloc(size_t size);
void __libc_free(void *block);

static void *(*next_malloc)(size_t) = __libc_malloc;
static void (*next_free)(void *) = __libc_free;

/* The compiler must not know where these lead, as in a library that looks them up. */
__attribute__((constructor)) static void find_next(void)
{
	void *found = dlsym(RTLD_NEXT, "malloc");

	next_malloc = found ? (void *(*)(size_t))found : next_malloc;
	found = dlsym(RTLD_NEXT, "free");
	next_free = found ? (void (*)(void *))found : next_free;
}

EXPORT void *malloc(size_t size)
{
	return next_malloc(size);
}

EXPORT void free(void *block)
{
	next_free(block);
}
