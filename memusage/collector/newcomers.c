/* newcomers.c -- Processes that are about to register.
 *
 * Between an exec and the registration a process has neither a slot nor a connection, and the child
 * of a vfork() has none from its beginning on.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/collector/newcomers.h"

#include <dirent.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/xmalloc.h"
#include "recording/env.h"

enum { AUXV_MOST = 64 };

static FILE *open_process_file(const char *pid, const char *name)
{
	char path[300];

	snprintf(path, sizeof(path), "/proc/%s/%s", pid, name);
	return fopen(path, "re");
}

/* A zombie and a kernel thread have no memory. */
static bool has_memory(const char *pid)
{
	FILE *maps = open_process_file(pid, "maps");
	bool is_there = maps && getc(maps) != EOF;

	if (maps)
		fclose(maps);
	return is_there;
}

/* The kernel fills in the auxiliary vector last: without one, an exec is under way. */
static bool may_have_recorder(const char *pid)
{
	ElfW(auxv_t) entry[AUXV_MOST];
	FILE *auxv = open_process_file(pid, "auxv");
	size_t count = auxv ? fread(entry, sizeof(*entry), AUXV_MOST, auxv) : 0;
	bool has_loader = false, is_secure = false;

	if (auxv)
		fclose(auxv);
	if (auxv && count == 0)
		return has_memory(pid);
	for (size_t i = 0; i < count; i++) {
		has_loader |= entry[i].a_type == AT_BASE && entry[i].a_un.a_val != 0;
		is_secure |= entry[i].a_type == AT_SECURE && entry[i].a_un.a_val != 0;
	}
	return has_loader && !is_secure;
}

/* start  "NAME=VALUE" begins with it. The memory of an exec that is under way has no environment:
 * it may be any. */
static bool has_variable(const char *pid, const char *start)
{
	FILE *environment = open_process_file(pid, "environ");
	char *entry = NULL;
	size_t size = 0;
	bool is_empty = true, found = false;

	while (environment && !found && getdelim(&entry, &size, '\0', environment) > 0) {
		is_empty = false;
		found = strncmp(entry, start, strlen(start)) == 0;
	}
	free(entry);
	if (environment)
		fclose(environment);
	return found || (environment && is_empty);
}

static bool is_own_process(const char *pid)
{
	char path[300];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%s", pid);
	return *pid >= '1' && *pid <= '9' && stat(path, &st) == 0 && st.st_uid == geteuid() &&
	       (pid_t)strtol(pid, NULL, 10) != getpid();
}

bool newcomers_exist(const struct tree *t)
{
	const struct session *s = t->s;
	char *start = NULL;
	const struct dirent *entry;
	bool found = false;
	DIR *proc;

	if (s->settings->progname || s->settings->trace_children == TRACE_NO)
		return false;
	proc = opendir("/proc");
	start = xasprintf(MU_ENV_COLLECTOR "=1:%s:", s->endpoint.name);
	while (proc && !found && (entry = readdir(proc)) != NULL)
		found = is_own_process(entry->d_name) && has_variable(entry->d_name, start) &&
			may_have_recorder(entry->d_name);
	if (proc)
		closedir(proc);
	free(start);
	return found;
}
