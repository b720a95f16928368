/* debuginfod_libdw.c -- debug files from the servers that the user has named.
 *
 * The library is opened when it is needed: it brings curl, and few need it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/symbols/debuginfod.h"

#include <dlfcn.h>
#include <stdlib.h>

typedef void *(*begin_fn)(void);
typedef int (*find_fn)(void *client, const unsigned char *id, int length, char **path);
typedef void (*end_fn)(void *client);

int debuginfod_fetch(const struct build_id *id)
{
	void *library = dlopen("libdebuginfod.so.1", RTLD_NOW | RTLD_LOCAL);
	begin_fn begin = library ? (begin_fn)dlsym(library, "debuginfod_begin") : NULL;
	find_fn find = library ? (find_fn)dlsym(library, "debuginfod_find_debuginfo") : NULL;
	end_fn end = library ? (end_fn)dlsym(library, "debuginfod_end") : NULL;
	void *client = begin && find && end ? begin() : NULL;
	char *path = NULL;
	int fd = -1;

	if (client) {
		fd = find(client, id->byte, (int)id->length, &path);
		end(client);
	}
	free(path);
	/* Not closed: curl leaves threads and handlers behind. */
	return fd < 0 ? -1 : fd;
}
