/* process.c -- the processes that the collector knows.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/xmalloc.h"

struct process *processes_find(const struct processes *all, pid_t pid)
{
	for (size_t i = 0; i < all->count; i++) {
		if (all->item[i]->pid == pid && !all->item[i]->is_gone)
			return all->item[i];
	}
	return NULL;
}

struct process *processes_owner(const struct processes *all, const struct arena *arena, int slot)
{
	for (size_t i = 0; i < all->count; i++) {
		const struct process *p = all->item[i];

		if (p->arena == arena && p->slot == slot && !p->is_gone)
			return all->item[i];
	}
	return NULL;
}

/* A number from /proc/PID/stat, counted from the state behind the name, which is 0:
 *
 *	4711 (na) me) S 4700 4711 ...
 */
static uint64_t stat_field(pid_t pid, int field)
{
	char path[32], line[1024];
	const char *at;
	ssize_t length;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	length = read(fd, line, sizeof(line) - 1);
	close(fd);
	line[length > 0 ? length : 0] = '\0';
	at = strrchr(line, ')');
	at = at ? strchr(at, ' ') : NULL;
	for (; at && field > 0; field--)
		at = strchr(at + 1, ' ');
	return at ? strtoull(at, NULL, 10) : 0;
}

uint64_t process_start_time(pid_t pid)
{
	return stat_field(pid, 19);
}

bool process_has_child_but(pid_t except)
{
	DIR *proc = opendir("/proc");
	const struct dirent *entry;
	bool found = false;

	while (proc && !found && (entry = readdir(proc)) != NULL) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (pid > 0 && pid != except && stat_field(pid, 1) == (uint64_t)getpid())
			found = true;
	}
	if (proc)
		closedir(proc);
	return found;
}

struct process *processes_add(struct processes *all, pid_t pid)
{
	struct process *p = xcalloc(1, sizeof(*p));
	int error;

	p->pid = pid;
	p->slot = -1;
	p->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	error = p->pidfd < 0 ? errno : 0;
	if (p->pidfd < 0 && error != ESRCH)
		p->start = process_start_time(pid);
	all->item = xreallocarray(all->item, all->count + 1, sizeof(struct process *));
	all->item[all->count++] = p;
	errno = error;
	return p;
}

bool process_is_dead(const struct process *p)
{
	struct pollfd poll_end = { .fd = p->pidfd, .events = POLLIN };

	if (p->pidfd >= 0)
		return poll(&poll_end, 1, 0) == 1;
	if (kill(p->pid, 0) < 0 && errno == ESRCH)
		return true;
	return p->start != 0 && process_start_time(p->pid) != p->start;
}

void processes_sweep(struct processes *all)
{
	size_t kept = 0;

	for (size_t i = 0; i < all->count; i++) {
		struct process *p = all->item[i];

		if (!p->is_gone) {
			all->item[kept++] = p;
			continue;
		}
		if (p->pidfd >= 0)
			close(p->pidfd);
		free(p);
	}
	all->count = kept;
}
