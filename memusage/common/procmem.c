/* procmem.c -- The memory of a process as the kernel accounts for it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/common/procmem.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memusage/common/process.h"

enum { STATUS_BYTES = 8192 };

int procmem_open(pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/status", (int)process_view(pid));
	return open(path, O_RDONLY | O_CLOEXEC);
}

static const struct {
	const char *name;
	size_t offset;
	unsigned int unit;
} fields[] = {
	{ "RssAnon", offsetof(struct procmem, rss_anon), 1024 },
	{ "RssFile", offsetof(struct procmem, rss_file), 1024 },
	{ "RssShmem", offsetof(struct procmem, rss_shmem), 1024 },
	{ "VmSwap", offsetof(struct procmem, swap), 1024 },
	{ "VmHWM", offsetof(struct procmem, rss_peak), 1024 },
	{ "VmData", offsetof(struct procmem, data), 1024 },
	{ "VmStk", offsetof(struct procmem, stack), 1024 },
	{ "Threads", offsetof(struct procmem, threads), 1 },
};

/* RssAnon:	     136 kB */
static void parse_status_line(struct procmem *m, const char *line)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		size_t length = strlen(fields[i].name);

		if (strncmp(line, fields[i].name, length) != 0 || line[length] != ':')
			continue;
		*(uint64_t *)((char *)m + fields[i].offset) =
			strtoull(line + length + 1, NULL, 10) * fields[i].unit;
		return;
	}
}

bool procmem_read(int fd, struct procmem *m)
{
	char text[STATUS_BYTES];

	*m = (struct procmem){ 0 };
	process_read_status(fd, text, sizeof(text));
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		parse_status_line(m, line);
	}
	return m->rss_peak > 0;
}
