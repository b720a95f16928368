/* temporary.c -- Nameless files.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cli/temporary.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/message.h"

int temporary_open(void)
{
	const char *dir = getenv("TMPDIR");
	char name[4096];
	int fd;

	if (!dir || *dir == '\0')
		dir = "/tmp";
	fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
	if (fd >= 0)
		return fd;
	snprintf(name, sizeof(name), "%s/memusage-XXXXXX", dir);
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	return fd;
}

int temporary_open_or_die(void)
{
	int fd = temporary_open();

	if (fd < 0)
		die("cannot create a temporary file: %m; set TMPDIR to a writable directory");
	return fd;
}
