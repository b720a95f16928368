/* cgroup.c -- How much of its memory limit a control group uses, and whether it is frozen.
 *
 * Source  cgroups(7); the kernel's admin-guide/cgroup-v2.rst and cgroup-v1/memory.rst.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/common/cgroup.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/xmalloc.h"
#include "profile/base/file.h"

/* Version 1 writes "none" as the largest number of whole pages. */
#define UNLIMITED (UINT64_C(1) << 60)

enum { TEXT = 64 << 10 };

struct cgroup_files {
	const char *usage, *limit, *inactive;
};

static const struct cgroup_files files[] = {
	{ "memory.current", "memory.max", "inactive_file " },
	{ "memory.usage_in_bytes", "memory.limit_in_bytes", "total_inactive_file " },
};

/* Returns true if LIST, up to a colon, comma by comma, has the word "memory". */
static bool has_memory(const char *list)
{
	while (*list && *list != ':' && *list != '\n' && *list != ' ') {
		size_t length = strcspn(list, ",: \n");

		if (length == 6 && strncmp(list, "memory", 6) == 0)
			return true;
		list += length;
		list += *list == ',';
	}
	return false;
}

/* "4:memory:/a/b" (version 1), or "0::/a/b". Returns the path, to be freed, or NULL. */
static char *find_group(const char *groups, bool *is_first_version)
{
	const char *found = NULL;

	*is_first_version = false;
	for (const char *line = groups; line && *line; line = strchr(line, '\n')) {
		const char *list;

		line += *line == '\n';
		list = strchr(line, ':');
		if (!list)
			break;
		if (has_memory(list + 1)) {
			found = strchr(list + 1, ':');
			*is_first_version = true;
			break;
		}
		if (list[1] == ':')
			found = list + 1;
	}
	return found ? xstrndup(found + 1, strcspn(found + 1, "\n")) : NULL;
}

static bool is_octal(const char *digits)
{
	for (int i = 0; i < 3; i++) {
		if (digits[i] < '0' || digits[i] > '7')
			return false;
	}
	return true;
}

/* The kernel writes a blank as \040, and the backslash that systemd has in names as \134. */
static void decode_octal(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		if (*from != '\\' || !is_octal(from + 1)) {
			*to++ = *from;
			continue;
		}
		*to++ = (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 | (from[3] - '0'));
		from += 3;
	}
	*to = '\0';
}

/* 36 35 0:30 /docker/1 /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory */
static bool is_mount(const char *line, bool is_first_version, char root[PATH_MAX],
		     char point[PATH_MAX])
{
	const char *type = strstr(line, " - "), *end = line + strcspn(line, "\n");
	const char *options;

	if (!type || type > end || sscanf(line, "%*s %*s %*s %4095s %4095s", root, point) != 2)
		return false;
	decode_octal(root);
	decode_octal(point);
	if (!is_first_version)
		return strncmp(type, " - cgroup2 ", 11) == 0;
	if (strncmp(type, " - cgroup ", 10) != 0)
		return false;
	options = strchr(type + 10, ' ');
	return options && options < end && has_memory(options + 1);
}

/* Joins the mount point and what of the group's path is below its root, which in a container may be
 * the group itself. A group outside of the mount counts as the mount point. */
static char *join_path(const char *group, const char *root, const char *point)
{
	size_t length = strcmp(root, "/") == 0 ? 0 : strlen(root);

	if (strncmp(group, root, length) != 0 || (group[length] && group[length] != '/') ||
	    strstr(group, "/.."))
		return xstrdup(point);
	return xasprintf("%s%s", point, group + length);
}

static int open_file(const char *directory, const char *name)
{
	char *path = xasprintf("%s/%s", directory, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	free(path);
	return fd;
}

/* Returns false if there is no number: "max". */
static bool read_number(int fd, uint64_t *number)
{
	char text[32], *end;
	ssize_t length = pread(fd, text, sizeof(text) - 1, 0);

	if (length <= 0)
		return false;
	text[length] = '\0';
	*number = strtoull(text, &end, 10);
	return end != text;
}

static void close_level(struct cgroup_level *level)
{
	const int fd[] = { level->usage, level->limit, level->stat };

	for (int i = 0; i < 3; i++)
		if (fd[i] >= 0)
			close(fd[i]);
}

static void open_level(struct cgroup *c, const char *directory)
{
	const struct cgroup_files *names = &files[c->is_first_version];
	struct cgroup_level level = { .usage = open_file(directory, names->usage),
				      .limit = open_file(directory, names->limit),
				      .stat = open_file(directory, "memory.stat") };
	uint64_t limit;

	if (level.usage >= 0 && level.limit >= 0 && read_number(level.limit, &limit) &&
	    limit < UNLIMITED && c->count < CGROUP_LEVELS)
		c->level[c->count++] = level;
	else
		close_level(&level);
}

/* Returns the directory of a group, to be freed, or NULL. POINT gets where its files begin. */
static char *find_directory(const char *group, const char *mounts, bool is_first_version,
			    char point[PATH_MAX])
{
	char root[PATH_MAX];

	for (const char *line = mounts; group && line && *line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (is_mount(line, is_first_version, root, point))
			return join_path(group, root, point);
	}
	return NULL;
}

bool cgroup_open_texts(struct cgroup *c, const char *groups, const char *mounts)
{
	char point[PATH_MAX], *path, *group;

	*c = (struct cgroup){ .count = 0 };
	group = find_group(groups, &c->is_first_version);
	path = find_directory(group, mounts, c->is_first_version, point);
	free(group);
	if (!path)
		return false;
	for (;;) {
		char *slash = strrchr(path, '/');

		open_level(c, path);
		if (!slash || strlen(path) <= strlen(point))
			break;
		*slash = '\0';
	}
	free(path);
	return c->count > 0;
}

/* The files are opened here, so these are our mounts. */
static void read_texts(pid_t pid, char *groups, char *mounts)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/cgroup", (int)pid);
	file_read_text(path, groups, TEXT);
	file_read_text("/proc/self/mountinfo", mounts, TEXT);
}

static bool has_frozen(const char *directory)
{
	char *path = xasprintf("%s/cgroup.events", directory), text[256];

	file_read_text(path, text, sizeof(text));
	free(path);
	return strstr(text, "frozen 1\n");
}

bool cgroup_is_frozen(pid_t pid)
{
	char *groups = xmalloc(TEXT), *mounts = xmalloc(TEXT), *group = NULL, *directory;
	char point[PATH_MAX];
	const char *line;
	bool is_frozen;

	read_texts(pid, groups, mounts);
	line = strncmp(groups, "0::", 3) == 0 ? groups : strstr(groups, "\n0::");
	line = line ? strstr(line, "::") + 2 : NULL;
	if (line)
		group = xstrndup(line, strcspn(line, "\n"));
	directory = find_directory(group, mounts, false, point);
	is_frozen = directory && has_frozen(directory);
	free(directory);
	free(group);
	free(groups);
	free(mounts);
	return is_frozen;
}

bool cgroup_open(struct cgroup *c, pid_t pid)
{
	char *groups = xmalloc(TEXT), *mounts = xmalloc(TEXT);
	bool is_found;

	read_texts(pid, groups, mounts);
	is_found = cgroup_open_texts(c, groups, mounts);
	free(groups);
	free(mounts);
	return is_found;
}

/* Pages that the kernel takes first when memory runs out. */
static uint64_t read_inactive(const struct cgroup *c, int fd)
{
	const char *name = files[c->is_first_version].inactive;
	const size_t length = strlen(name);
	char text[8192];
	ssize_t got = pread(fd, text, sizeof(text) - 1, 0);

	text[got > 0 ? got : 0] = '\0';
	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, name, length) == 0)
			return strtoull(line + length, NULL, 10);
	}
	return 0;
}

static unsigned int percent_of(uint64_t used, uint64_t limit)
{
	return limit == 0 ? 100 : (unsigned int)((double)used * 100 / (double)limit);
}

static uint64_t subtract_inactive(uint64_t used, uint64_t inactive, uint64_t least)
{
	uint64_t rest = inactive < used ? used - inactive : 0;

	if (least > used)
		return used;
	return rest > least ? rest : least;
}

static bool read_level(const struct cgroup *c, const struct cgroup_level *level,
		       unsigned int about, uint64_t least, struct cgroup_use *use)
{

	if (!read_number(level->usage, &use->used) || !read_number(level->limit, &use->limit) ||
	    use->limit >= UNLIMITED)
		return false;
	if (percent_of(use->used, use->limit) >= about)
		use->used = subtract_inactive(use->used, read_inactive(c, level->stat), least);
	use->percent = percent_of(use->used, use->limit);
	return true;
}

bool cgroup_read(const struct cgroup *c, unsigned int about, uint64_t least,
		 struct cgroup_use *use)
{
	bool is_known = false;

	for (unsigned int i = 0; i < c->count; i++) {
		struct cgroup_use one;

		if (!read_level(c, &c->level[i], about, least, &one))
			continue;
		if (!is_known || one.percent > use->percent)
			*use = one;
		is_known = true;
	}
	return is_known;
}

void cgroup_close(struct cgroup *c)
{
	for (unsigned int i = 0; i < c->count; i++)
		close_level(&c->level[i]);
	c->count = 0;
}
