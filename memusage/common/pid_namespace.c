/* pid_namespace.c -- Find processes that have another ID in their own PID namespace.
 *
 * A scan of /proc costs about 20 us for each process of the machine, and many slots may need it at
 * once, so its result is cached.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/common/pid_namespace.h"

#include <dirent.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "cli/xmalloc.h"
#include "memusage/common/clock.h"
#include "memusage/common/process.h"

enum { KEPT_NS = 20000000 };

struct nested_process {
	pid_t pid;
	pid_t inner;
	pid_t parent;
};

static struct nested_process *list;
static size_t count;
static uint64_t looked_ns;

static void append_if_nested(pid_t pid)
{
	pid_t inner = process_own_pid(pid);

	if (inner == pid)
		return;
	list = xreallocarray(list, count + 1, sizeof(*list));
	list[count++] = (struct nested_process){ pid, inner, process_parent(pid) };
}

static void scan_proc(void)
{
	DIR *proc = opendir("/proc");
	pid_t pid;

	looked_ns = clock_now(CLOCK_BOOTTIME);
	count = 0;
	while (proc && (pid = process_next(proc)) > 0)
		append_if_nested(pid);
	if (proc)
		closedir(proc);
}

bool pid_namespace_is_ours(pid_t parent)
{
	struct stat own, other;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/ns/pid_for_children", (int)parent);
	return stat(path, &other) < 0 || stat("/proc/self/ns/pid", &own) < 0 ||
	       (own.st_dev == other.st_dev && own.st_ino == other.st_ino);
}

pid_t pid_namespace_find(pid_t inner, pid_t parent, bool at_once,
			 pid_accept_fn *accept, const void *data)
{
	pid_t found = 0;

	if (at_once || looked_ns == 0 || clock_now(CLOCK_BOOTTIME) - looked_ns > KEPT_NS)
		scan_proc();
	for (size_t i = 0; i < count; i++) {
		if (list[i].inner != inner)
			continue;
		if (parent > 0 && list[i].parent == parent)
			return list[i].pid;
		if (!found && accept(list[i].pid, data))
			found = list[i].pid;
	}
	return found;
}
