/* binder.c -- opens a library in an unusual way, works with it and exchanges blocks:
 * `binder FILE now|deep|namespace`.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <dlfcn.h>
#include <stdlib.h>

#include "tests/lib/workload.h"

static void *open_as(const char *file, const char *how)
{
	if (!strcmp(how, "namespace"))
		return dlmopen(LM_ID_NEWLM, file, RTLD_NOW);
	return dlopen(file, RTLD_NOW | (strcmp(how, "deep") ? 0 : RTLD_DEEPBIND));
}

int main(int argc, char **argv)
{
	void *library = open_as(argv[1], argv[2]);

	check(argc == 3 && library, "open");
	int (*work)(int) = (int (*)(int))dlsym(library, "own_work");
	char *(*give)(void) = (char *(*)(void))dlsym(library, "own_give");
	void (*take)(char *) = (void (*)(char *))dlsym(library, "own_take");
	void *block[3];

	for (int i = 0; i < 3; i++)
		block[i] = malloc(10000);
	say("worked %d", work(50));
	char *given = give();
	memset(given, 1, 777);
	/* A block of another namespace belongs to another libc. */
	if (strcmp(argv[2], "namespace")) {
		free(given);
		take(block[0]);
		block[0] = malloc(10000);
	} else {
		take(given);
	}
	for (int i = 0; i < 3; i++)
		free(block[i]);
	say("closed %d", dlclose(library));
	return 5;
}
