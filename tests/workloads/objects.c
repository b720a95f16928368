/* objects.c -- allocate in libraries of odd names, and write down what the kernel has mapped.
 *
 *	objects MAPS PATH...
 *
 * Opens each PATH as `dlopen` has it, calls its own_give, and copies /proc/self/maps to the file
 * MAPS. "memfd:PATH" is opened from a nameless copy of PATH; "rm:PATH" is removed, "swap:A:B" replaced
 * by B, after it was opened.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void copy(const char *from, int to)
{
	char part[4096];
	int in = open(from, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	while ((got = read(in, part, sizeof(part))) > 0)
		if (write(to, part, (size_t)got) != got)
			exit(1);
	close(in);
}

static void use(const char *path)
{
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	char *(*give)(void) = library ? (char *(*)(void))dlsym(library, "own_give") : NULL;

	if (!give || !give()) {
		fprintf(stderr, "%s: %s\n", path, dlerror());
		exit(1);
	}
}

static void use_copy(const char *path)
{
	char name[64];
	int fd = memfd_create("a copy", 0);

	copy(path, fd);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	use(name);
}

static void take(char *what)
{
	char *other;

	if (strncmp(what, "memfd:", 6) == 0) {
		use_copy(what + 6);
	} else if (strncmp(what, "rm:", 3) == 0) {
		use(what + 3);
		unlink(what + 3);
	} else if (strncmp(what, "swap:", 5) == 0) {
		other = strchr(what + 5, ':');
		*other = '\0';
		use(what + 5);
		rename(other + 1, what + 5);
	} else {
		use(what);
	}
}

int main(int argc, char **argv)
{
	int maps = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	for (int i = 2; i < argc; i++)
		take(argv[i]);
	copy("/proc/self/maps", maps);
	return 0;
}
