/* reopen.c -- opens, uses and closes a library again and again, and says whether it grows by that:
 * `reopen FILE`, with the functions of libplain.c.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>

#include "tests/lib/workload.h"

enum { TURNS = 2100, FIRST = 100 };

/* Pages of this process that are in memory. */
static long resident(void)
{
	char text[128];
	int fd = open("/proc/self/statm", O_RDONLY);
	ssize_t length = read(fd, text, sizeof(text) - 1);
	const char *second;

	close(fd);
	text[length > 0 ? length : 0] = '\0';
	second = strchr(text, ' ');
	check(second != NULL, "statm");
	return atol(second);
}

int main(int argc, char **argv)
{
	long before = 0, grown;

	for (int i = 0; i < TURNS; i++) {
		void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
		int (*work)(int) = library ? (int (*)(int))dlsym(library, "own_work") : NULL;
		check(work != NULL, "dlopen");
		work(2);
		dlclose(library);
		if (i == FIRST)
			before = resident();
	}
	grown = (resident() - before) * sysconf(_SC_PAGESIZE) >> 10;
	if (grown > 1024)
		say("grown by %ld KiB", grown);
	else
		say("no larger than before");
	return 0;
}
