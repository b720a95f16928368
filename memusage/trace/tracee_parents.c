/* tracee_parents.c -- Which threads of a process have children.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/trace/tracee_parents.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memusage/common/process.h"
#include "profile/base/array.h"

static bool may_matter(pid_t pid)
{
	return process_status_value(pid, "Threads:", 10, 0) > 1 &&
	       !(process_status_value(pid, "SigCgt:", 16, 0) & UINT64_C(1) << (SIGCHLD - 1));
}

/* Tells whether a list of children, the beginning of which is TEXT, names one that is not COPY. */
static bool names_other(const char *text, pid_t copy)
{
	char *rest;
	const long first = strtol(text, &rest, 10), second = strtol(rest, NULL, 10);

	return (first > 0 && first != copy) || second > 0;
}

/* Returns 1 if the thread has children but for COPY, 0 if it has none or has ended, -1 if the
 * kernel has no such list. */
static int has_children(int tasks, pid_t tid, pid_t copy)
{
	char path[32], text[64];
	ssize_t size;
	int fd;

	snprintf(path, sizeof(path), "%d/children", (int)tid);
	fd = openat(tasks, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		snprintf(path, sizeof(path), "%d", (int)tid);
		return faccessat(tasks, path, F_OK, 0) == 0 ? -1 : 0;
	}
	size = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[size > 0 ? size : 0] = '\0';
	return names_other(text, copy);
}

void tracee_parents_find(struct tracee_parents *p, pid_t pid, pid_t copy)
{
	char path[32];
	struct dirent *entry;
	DIR *tasks;
	int result = 0;

	p->count = 0;
	if (!may_matter(pid))
		return;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	while (tasks && result >= 0 && (entry = readdir(tasks))) {
		const pid_t tid = (pid_t)atoi(entry->d_name);

		result = tid > 0 ? has_children(dirfd(tasks), tid, copy) : 0;
		if (result > 0) {
			array_reserve(&p->tid, &p->room, p->count + UINT64_C(1), sizeof(*p->tid));
			p->tid[p->count++] = tid;
		}
	}
	if (tasks)
		closedir(tasks);
}

bool tracee_parents_has(const struct tracee_parents *p, pid_t tid)
{
	for (uint32_t i = 0; i < p->count; i++) {
		if (p->tid[i] == tid)
			return true;
	}
	return false;
}

void tracee_parents_free(struct tracee_parents *p)
{
	free(p->tid);
	*p = (struct tracee_parents){ .count = 0 };
}
