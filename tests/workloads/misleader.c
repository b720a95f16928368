/* LDLIBS: -ldl */
/* misleader.c -- a program of a user that asks for the code of a file, and may call it another one.
 *
 * misleader UID FILE ID             asks where the functions of --alloc-symbol are in FILE: ID is
 *                                   "wrong", a build-id that it does not have, or "none". Prints
 *                                   "answered", "refused" or "no recording"
 * misleader UID FILE ID LIB SYMBOL  does that in a process of its own; then it loads LIB, and calls
 *                                   its function SYMBOL(100)
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "recording/collector_query.h"
#include "recording/recording.h"
#include "tests/lib/own_recording.h"

enum { PART = 8 << 20, MODULE_AT = 1 << 20, PATH_AT = MODULE_AT + 4096, TURNS = 10000 };

/* A process that has moved has its image where that of its former user was. */
static struct mu_image *find_own_image(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	struct mu_image *found = NULL;
	char line[512];

	while (maps && !found && fgets(line, sizeof(line), maps)) {
		struct mu_image *at = (void *)strtoull(line, NULL, 16);

		if (strstr(line, " rw-s ") && strstr(line, "memusage") &&
		    at->magic == MU_IMAGE_MAGIC && at->process.pid == (uint32_t)getpid())
			found = at;
	}
	if (maps)
		fclose(maps);
	return found ? mremap(found, 0, PART, MREMAP_MAYMOVE) : MAP_FAILED;
}

static uint32_t await_answer(const struct mu_image *im)
{
	const struct timespec nap = { .tv_nsec = 1000000 };
	uint32_t state = MU_QUERY_WANTED;

	for (int i = 0; i < TURNS && (state == MU_QUERY_WANTED || state == MU_QUERY_WORKING); i++) {
		/* The recorder's calls make the collector look. */
		free(malloc(100000));
		nanosleep(&nap, NULL);
		state = __atomic_load_n(&im->query_state, __ATOMIC_ACQUIRE);
	}
	return state;
}

static int ask(const char *user, const char *file, const char *id)
{
	struct mu_module module = { .path = { PATH_AT, 0, 0 } };
	struct mu_image *im;

	if (!become_user(user))
		return 2;
	free(malloc(1));
	im = find_own_image();
	if (im == MAP_FAILED) {
		puts("no recording");
		return 1;
	}
	module.path.length = (uint32_t)strlen(file);
	module.build_id_length = strcmp(id, "wrong") == 0 ? 20 : 0;
	memset(module.build_id, 0x11, module.build_id_length);
	memcpy((char *)im + MODULE_AT, &module, sizeof(module));
	memcpy((char *)im + PATH_AT, file, strlen(file));
	im->used = PATH_AT + 4096;
	im->query_module = MODULE_AT;
	__atomic_store_n(&im->query_wanted, MU_QUERY_SYMBOLS, __ATOMIC_RELEASE);
	__atomic_store_n(&im->query_state, MU_QUERY_WANTED, __ATOMIC_RELEASE);
	puts(await_answer(im) == MU_QUERY_COUNTED ? "answered" : "refused");
	return 0;
}

static int load_and_call(const char *library, const char *symbol)
{
	void *all = dlopen(library, RTLD_NOW);
	void *(*function)(unsigned long) = NULL;

	if (all)
		*(void **)&function = dlsym(all, symbol);
	if (!function)
		return 5;
	function(100);
	return 0;
}

int main(int argc, char **argv)
{
	pid_t child;

	if (argc == 4)
		return ask(argv[1], argv[2], argv[3]);
	child = argc < 6 ? -1 : fork();
	if (child == 0) {
		execlp("misleader", "misleader", argv[1], argv[2], argv[3], (char *)NULL);
		_exit(127);
	}
	if (child < 0 || waitpid(child, NULL, 0) < 0)
		return 4;
	return load_and_call(argv[4], argv[5]);
}
