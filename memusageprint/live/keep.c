/* keep.c -- Keep the copy of a process as a recording.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/live/keep.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "profile/base/file.h"

enum { NUMBERS = 10000 };

/* The file is for its owner only, as the recording of a run is. */
static int create_numbered_file(uint32_t pid, char *name, size_t size)
{
	int fd = -1;

	for (int i = 1; i <= NUMBERS && fd < 0; i++) {
		snprintf(name, size, "memusage.%u.%d.mur", pid, i);
		fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	return fd;
}

int keep_recording(const char *file, uint32_t pid, char *text, size_t size)
{
	int from = open(file, O_RDONLY | O_CLOEXEC), to = -1, result = -1;
	char name[64] = "";

	if (from >= 0)
		to = create_numbered_file(pid, name, sizeof(name));
	if (to >= 0)
		result = file_copy(to, from) ? 0 : -1;
	if (to >= 0 && close(to) < 0)
		result = -1;
	if (result == 0)
		snprintf(text, size, "recording kept: %s", name);
	else
		snprintf(text, size, "cannot write %s: %s", *name ? name : file, strerror(errno));
	if (result < 0 && to >= 0)
		unlink(name);
	if (from >= 0)
		close(from);
	return result;
}
