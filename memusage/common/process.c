/* process.c -- The processes that the collector knows.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/common/process.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "cli/xmalloc.h"
#include "memusage/common/file_events.h"
#include "profile/base/file.h"

/* Number of descriptors that processes leave free, or a quarter of the limit if that is less. */
enum { SPARE = 32 };

enum { VIEW_TRIES = 10 };

struct process *processes_find(const struct processes *all, pid_t pid)
{
	for (size_t i = 0; i < all->count; i++) {
		struct process *p = all->item[i];

		if (p->pid == pid && !p->has_ended && !p->is_gone)
			return p;
	}
	return NULL;
}

struct process *processes_by_pidfd(const struct processes *all, int fd)
{
	for (size_t i = 0; i < all->count; i++) {
		if (all->item[i]->pidfd == fd && !all->item[i]->is_gone)
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

/* Appends a part of the text of /proc/PID/status, without the line of groups. */
struct status_text {
	char *text;
	size_t size, length;
	size_t line;		/* where the last line begins */
	bool is_of_groups;	/* it is left out */
};

static void append_character(struct status_text *s, char c)
{
	if (!s->is_of_groups && s->length < s->size - 1)
		s->text[s->length++] = c;
	if (s->length - s->line == 7 && strncmp(s->text + s->line, "Groups:", 7) == 0) {
		s->is_of_groups = true;
		s->length = s->line;
	}
	if (c == '\n') {
		s->is_of_groups = false;
		s->line = s->length;
	}
}

void process_read_status(int fd, char *text, size_t size)
{
	struct status_text s = { .text = text, .size = size };
	char part[4096];
	off_t at = 0;
	ssize_t got;

	while ((got = pread(fd, part, sizeof(part), at)) > 0) {
		for (ssize_t i = 0; i < got; i++)
			append_character(&s, part[i]);
		at += got;
		/* The kernel makes the whole text for each read. */
		if (got < (ssize_t)sizeof(part))
			break;
	}
	text[s.length] = '\0';
}

void process_read_file(pid_t pid, const char *name, char *text, size_t size)
{
	const char *last = strrchr(name, '/');
	char path[64]; /* "/proc/4194304/task/4194304/children" is one of the longest */
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	if (strcmp(last ? last + 1 : name, "status") != 0) {
		file_read_text(path, text, size);
		return;
	}
	text[0] = '\0';
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	process_read_status(fd, text, size);
	close(fd);
}

/* Returns a field in the text of /proc/PID/stat, or NULL. Fields count from the state behind the
 * name, which is field 0:
 *
 *	4711 (na) me) S 4700 4711 ...
 */
static const char *find_stat_field(const char *line, int field)
{
	const char *at = strrchr(line, ')');

	at = at ? strchr(at, ' ') : NULL;
	for (; at && field > 0; field--)
		at = strchr(at + 1, ' ');
	return at ? at + 1 : NULL;
}

static uint64_t read_stat_field(pid_t pid, int field)
{
	char line[1024];
	const char *at;

	process_read_file(pid, "stat", line, sizeof(line));
	at = find_stat_field(line, field);
	return at ? strtoull(at, NULL, 10) : 0;
}

char process_state(pid_t pid)
{
	char line[1024];
	const char *first;

	process_read_file(pid, "stat", line, sizeof(line));
	first = find_stat_field(line, 0);
	return first ? *first : '\0';
}

bool process_exit_code(pid_t pid, char *state, int *status)
{
	char line[1024];
	const char *first, *code;

	process_read_file(pid, "stat", line, sizeof(line));
	first = find_stat_field(line, 0);
	code = find_stat_field(line, 49);
	if (!first || !code)
		return false;
	*state = *first;
	*status = (int)strtol(code, NULL, 10);
	return true;
}

void process_name(pid_t pid, char name[17])
{
	process_read_file(pid, "comm", name, 17);
	name[strcspn(name, "\n")] = '\0';
}

/* PF_EXITING of the kernel's flags, the same since Linux 2.6. */
bool process_is_ending(pid_t pid)
{
	return read_stat_field(pid, 6) & 4;
}

pid_t process_view(pid_t pid)
{
	char path[64];
	struct dirent *entry;
	pid_t found = 0;
	DIR *tasks;

	if (!process_is_ending(pid))
		return pid;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	while (tasks && found == 0 && (entry = readdir(tasks))) {
		pid_t tid = (pid_t)atoi(entry->d_name);

		if (tid > 0 && process_state(tid) != '\0' && !process_is_ending(tid))
			found = tid;
	}
	if (tasks)
		closedir(tasks);
	return found ? found : pid;
}

pid_t process_parent(pid_t pid)
{
	return (pid_t)read_stat_field(pid, 1);
}

uint64_t process_start_time(pid_t pid)
{
	return read_stat_field(pid, 19);
}

/* Uid:	1000	1000	1000	1000
 *
 * NAME begins with a newline, which distinguishes the field from a process name. */
static bool read_ids(const char *text, const char *name, unsigned int id[PROCESS_IDS])
{
	const char *line = strstr(text, name);

	return line && sscanf(line + strlen(name), "%u %u %u %u", &id[0], &id[1], &id[2],
			      &id[3]) == PROCESS_IDS;
}

bool process_read_ids(pid_t pid, unsigned int uid[PROCESS_IDS], unsigned int gid[PROCESS_IDS])
{
	char text[4096];

	process_read_file(pid, "status", text, sizeof(text));
	return read_ids(text, "\nUid:", uid) && read_ids(text, "\nGid:", gid);
}

uint64_t process_status_value(pid_t pid, const char *name, int base, uint64_t missing)
{
	char text[4096];
	const char *line = text;

	process_read_file(pid, "status", text, sizeof(text));
	while (line && strncmp(line, name, strlen(name)) != 0) {
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return line && *line ? strtoull(line + strlen(name), NULL, base) : missing;
}

bool process_proc_is_ours(void)
{
	char text[16] = "";

	return readlink("/proc/self", text, sizeof(text) - 1) > 0 && atoi(text) == getpid();
}

pid_t process_next(DIR *proc)
{
	const struct dirent *entry;
	pid_t pid = 0;

	while (pid <= 0 && (entry = readdir(proc)) != NULL)
		pid = (pid_t)strtol(entry->d_name, NULL, 10);
	return pid > 0 ? pid : 0;
}

unsigned int process_signal_children_but(pid_t a, pid_t b, int signal)
{
	DIR *proc = process_proc_is_ours() ? opendir("/proc") : NULL;
	unsigned int count = 0;
	pid_t pid;

	while (proc && (pid = process_next(proc)) > 0) {
		if (pid != a && pid != b && process_parent(pid) == getpid() &&
		    kill(pid, signal) == 0)
			count++;
	}
	if (proc)
		closedir(proc);
	return count;
}

/* Returns the last number of a line that has one number for each namespace, from ours inwards; 0 if
 * there is only one:
 *
 *	NSpid:	4711	1
 */
static pid_t read_innermost_pid(pid_t pid)
{
	char text[4096];
	const char *line, *end, *last;

	process_read_file(pid, "status", text, sizeof(text));
	line = strstr(text, "\nNSpid:\t");
	end = line ? strchr(line + 1, '\n') : NULL;
	if (!end)
		return 0;
	last = memrchr(line, '\t', (size_t)(end - line));
	return last == line + 7 ? 0 : (pid_t)strtol(last + 1, NULL, 10);
}

pid_t process_own_pid(pid_t pid)
{
	pid_t inner = read_innermost_pid(pid);

	return inner > 0 ? inner : pid;
}

bool process_sees_all(void)
{
	int fd = open("/proc/1/status", O_RDONLY | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* 300000000000-310000000000 rw-s 00000000 00:01 2049     /memfd:memusage (deleted)
 * or, with --durable, ... 08:01 77 /srv/run.mur.arena; nameless: /srv/#77 (deleted) */
static bool is_mapping_of(const char *line, const struct stat *st)
{
	unsigned long long inode = 0;
	const char *flags = strchr(line, ' ');
	unsigned int high = 0, low = 0;
	int name = 0;

	/* A process may have 65,000 mappings, and most have none that is shared. */
	if (!flags || strncmp(flags + 4, "s ", 2) != 0)
		return false;
	return sscanf(line, "%*s %*s %*s %x:%x %llu %n", &high, &low, &inode, &name) == 3 &&
	       inode == st->st_ino &&
	       (strncmp(line + name, "/memfd:", strlen("/memfd:")) == 0 ||
		(high == major(st->st_dev) && low == minor(st->st_dev)));
}

static enum process_mapping find_mapping(pid_t view, const struct stat *st)
{
	enum process_mapping found = PROCESS_HAS_NO_MEMORY;
	char path[32], *line = NULL;
	size_t size = 0;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)view);
	maps = fopen(path, "re");
	if (!maps)
		return PROCESS_MAPPING_UNKNOWN;
	while (found != PROCESS_HAS_MAPPED && getline(&line, &size, maps) > 0)
		found = is_mapping_of(line, st) ? PROCESS_HAS_MAPPED : PROCESS_HAS_OTHERS;
	free(line);
	fclose(maps);
	return found;
}

enum process_mapping process_maps(pid_t pid, int fd)
{
	enum process_mapping found = PROCESS_HAS_NO_MEMORY;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return PROCESS_MAPPING_UNKNOWN;
	/* The thread that shows the memory may end as well. */
	for (int i = 0; i < VIEW_TRIES && found == PROCESS_HAS_NO_MEMORY; i++)
		found = find_mapping(process_view(pid), &st);
	return found;
}

int process_reserve_fds(int fd)
{
	struct rlimit limit;
	rlim_t spare;

	if (fd < 0 || getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return fd;
	spare = limit.rlim_cur / 4 < SPARE ? limit.rlim_cur / 4 : SPARE;
	if ((rlim_t)fd < limit.rlim_cur - spare)
		return fd;
	close(fd);
	errno = EMFILE;
	return -1;
}

struct process *processes_add(struct processes *all, pid_t pid)
{
	struct process *p = xcalloc(1, sizeof(*p));

	p->pid = pid;
	p->slot = -1;
	p->memory_fd = -1;
	p->control = -1;
	p->asked_checks = -1;
	p->asked_holders = -1;
	p->pidfd = pid > 0 ? process_reserve_fds((int)syscall(SYS_pidfd_open, pid, 0)) : -1;
	/* The others mean a thread that is no process: only a forged ID can be that. */
	p->has_ended = pid <= 0 || (p->pidfd < 0 && (errno == ESRCH || errno == EINVAL ||
						     errno == ENOENT));
	if (p->pidfd < 0 && !p->has_ended)
		p->start = process_start_time(pid);
	all->item = xreallocarray(all->item, all->count + 1, sizeof(struct process *));
	all->item[all->count++] = p;
	return p;
}

bool process_is_dead(const struct process *p)
{
	struct pollfd poll_end = { .fd = p->pidfd, .events = POLLIN };

	if (p->has_ended)
		return true;
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
		file_events_close(p->pidfd);
		if (p->memory_fd >= 0)
			close(p->memory_fd);
		file_events_close(p->control);
		if (p->asked_checks >= 0)
			close(p->asked_checks);
		if (p->asked_holders >= 0)
			close(p->asked_holders);
		samples_free(&p->samples);
		free(p);
	}
	all->count = kept;
}
