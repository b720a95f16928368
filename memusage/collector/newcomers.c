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
#include <time.h>
#include <unistd.h>

#include "cli/xmalloc.h"
#include "memusage/common/process.h"
#include "recording/env.h"

enum { AUXV_MOST = 64 };

/* The kernel takes 6 MiB at an exec, but a process can say of any of its memory that it is its
 * environment. */
enum { ENVIRONMENT_MOST = 16 << 20 };

/* The waits for execs to end, in one look at all processes. A busy machine always has one under
 * way, mostly of a stranger, and few take longer. */
enum { WAITS_MOST = 50 };
static const struct timespec wait_time = { .tv_nsec = 1000000 };

enum judgement {
	JUDGED_STRANGER,
	JUDGED_NEWCOMER,
	JUDGED_EXEC,	/* an exec is under way, it may be of any program */
};

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

/* The kernel fills in the auxiliary vector late: without one, an exec is under way. */
static enum judgement judge_program(const char *pid)
{
	ElfW(auxv_t) entry[AUXV_MOST];
	FILE *auxv = open_process_file(pid, "auxv");
	size_t count = auxv ? fread(entry, sizeof(*entry), AUXV_MOST, auxv) : 0;
	bool has_loader = false, is_secure = false;

	if (auxv)
		fclose(auxv);
	if (auxv && count == 0)
		return has_memory(pid) ? JUDGED_EXEC : JUDGED_STRANGER;
	for (size_t i = 0; i < count; i++) {
		has_loader |= entry[i].a_type == AT_BASE && entry[i].a_un.a_val != 0;
		is_secure |= entry[i].a_type == AT_SECURE && entry[i].a_un.a_val != 0;
	}
	return has_loader && !is_secure ? JUDGED_NEWCOMER : JUDGED_STRANGER;
}

/* State of a look at all processes. Most have nothing to do with us, and a short program waits for
 * the look at its end: so four system calls for a process of our user, and one for another's. */
struct search {
	int proc;	   /* descriptor of /proc */
	char *start;	   /* "NAME=VALUE" of a newcomer begins with it */
	char *environment; /* room for one; a further byte ends it */
	size_t room;
	unsigned int waits; /* how many were taken */
};

/* Reads all of it. Returns its length, or -1: it cannot be read, as that of a kernel thread, or no
 * exec has left one as long. */
static ssize_t read_environment(struct search *s, const char *pid)
{
	char path[300];
	ssize_t got, length = 0;
	int fd;

	snprintf(path, sizeof(path), "%s/environ", pid);
	fd = openat(s->proc, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	while ((got = read(fd, s->environment + length, s->room - (size_t)length)) > 0) {
		length += got;
		if ((size_t)length < s->room)
			break;	/* a short read is the last one */
		if (s->room >= ENVIRONMENT_MOST) {
			length = -1;
			break;
		}
		s->room *= 2;
		s->environment = xreallocarray(s->environment, s->room + 1, 1);
	}
	close(fd);
	s->environment[length > 0 ? length : 0] = '\0';
	return length;
}

static bool has_variable(const struct search *s, ssize_t length)
{
	const size_t wanted = strlen(s->start);
	const char *at = s->environment;

	while (at < s->environment + length && strncmp(at, s->start, wanted) != 0)
		at += strlen(at) + 1;
	return at < s->environment + length;
}

static bool is_own_process(const struct search *s, const char *pid)
{
	struct stat st;

	return fstatat(s->proc, pid, &st, 0) == 0 && st.st_uid == geteuid() &&
	       (pid_t)strtol(pid, NULL, 10) != getpid();
}

/* Tells whether a process that shows no environment has none, as after `env -i`. An exec sets the
 * environment last. Until then it waits for memory and files, but never interruptibly, as programs
 * mostly wait. */
static bool is_bare(const char *pid)
{
	return process_state((pid_t)strtol(pid, NULL, 10)) == 'S';
}

/* The user comes first: root can read the environment of every process, and that of a stranger may
 * be as long as its address space. */
static enum judgement judge_process(struct search *s, const char *pid)
{
	const ssize_t length = is_own_process(s, pid) ? read_environment(s, pid) : -1;
	enum judgement program;

	if (length < 0 || (length > 0 && !has_variable(s, length)))
		return JUDGED_STRANGER;
	program = judge_program(pid);
	if (length > 0 || program != JUDGED_NEWCOMER)
		return program;
	return is_bare(pid) ? JUDGED_STRANGER : JUDGED_EXEC;
}

static bool is_newcomer(struct search *s, const char *pid)
{
	enum judgement j;

	if (*pid < '1' || *pid > '9')
		return false;
	while ((j = judge_process(s, pid)) == JUDGED_EXEC && s->waits < WAITS_MOST) {
		s->waits++;
		nanosleep(&wait_time, NULL);
	}
	return j != JUDGED_STRANGER;
}

bool newcomers_exist(const struct tree *t)
{
	const struct session *s = t->s;
	struct search search = { .room = 8192 };
	const struct dirent *entry;
	bool found = false;
	DIR *proc;

	if (s->settings->progname || s->settings->trace_children == TRACE_NO)
		return false;
	proc = opendir("/proc");
	if (!proc)
		return false;
	search.proc = dirfd(proc);
	search.start = xasprintf(MU_ENV_COLLECTOR "=1:%s:", s->endpoint.name);
	search.environment = xmalloc(search.room + 1);
	while (!found && (entry = readdir(proc)) != NULL)
		found = is_newcomer(&search, entry->d_name);
	closedir(proc);
	free(search.environment);
	free(search.start);
	return found;
}
