/* datafiles.c -- which data file belongs to which process image.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/datafiles.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/output.h"
#include "cli/xmalloc.h"
#include "memusage/files.h"

/* %%p is a percent sign and a p. */
static bool has_pid(const char *pattern)
{
	for (; *pattern; pattern++) {
		if (*pattern != '%')
			continue;
		if (*++pattern == 'p')
			return true;
		if (*pattern == '\0')
			break;
	}
	return false;
}

static char *expand(const char *pattern, pid_t pid)
{
	char why[128];
	char *name = output_expand(pattern, pid, getenv, why);

	if (!name)
		die("%s: %s", pattern, why);
	return name;
}

static void open_named(struct datafiles *d)
{
	struct stat st;

	d->fd = files_open(d->name, &d->is_fresh);
	if (d->fd < 0 && errno == ELOOP)
		die("cannot write %s: the symbolic link belongs to another user", d->name);
	if (d->fd < 0)
		die("cannot write %s: %m", d->name);
	d->is_regular = fstat(d->fd, &st) == 0 && S_ISREG(st.st_mode);
}

/* The names are not known yet, but their directory is. */
static void check_directory(const char *pattern)
{
	char *name = expand(pattern, getpid());
	char *slash = strrchr(name, '/');
	const char *dir = slash ? name : ".";

	if (slash)
		slash[slash == name] = '\0';
	if (access(dir, W_OK | X_OK) < 0)
		die("cannot write files in %s: %m", dir);
	free(name);
}

void datafiles_open(struct datafiles *d, const struct settings *settings)
{
	*d = (struct datafiles){
		.pattern = settings->data,
		.is_wanted = settings->data || settings->png,
		.for_children = settings->children == CHILDREN_FILES,
		.fd = -1,
	};
	if (!d->is_wanted)
		return;
	if (!d->pattern) {
		d->fd = files_temporary();
		if (d->fd < 0)
			die("cannot make a temporary file (TMPDIR chooses the directory): %m");
		d->is_regular = true;
	} else if (has_pid(d->pattern)) {
		d->is_per_process = true;
		check_directory(d->pattern);
	} else {
		d->name = expand(d->pattern, 0);
		open_named(d);
	}
}

bool datafiles_has(const struct datafiles *d, bool is_owner)
{
	return d->is_wanted && (is_owner || (d->pattern && (d->is_per_process || d->for_children)));
}

/* The file of an earlier image of the same process is kept under another name. */
static int move_away(const char *name, const char *stem, unsigned int images)
{
	char *other = xasprintf("%s.%u", stem, images);
	int result = rename(name, other);

	free(other);
	return result;
}

static int open_empty(const char *name)
{
	int fd = files_open(name, NULL);
	struct stat st;

	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && ftruncate(fd, 0) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static int begin_own(char *name, unsigned int images)
{
	if (images > 0 && move_away(name, name, images) < 0)
		return -1;
	return open_empty(name);
}

/* FILE itself; the descriptor opened before the run serves its first image. */
static int begin_main(struct datafiles *d, pid_t pid, unsigned int images)
{
	if (d->is_used && d->name && d->is_regular) {
		char *stem = xasprintf("%s.%d", d->name, (int)pid);
		int moved = move_away(d->name, stem, images);

		free(stem);
		if (moved < 0)
			return -1;
		close(d->fd);
		d->fd = files_open(d->name, NULL);
		if (d->fd < 0)
			return -1;
	}
	d->is_used = true;
	if (d->is_regular && (ftruncate(d->fd, 0) < 0 || lseek(d->fd, 0, SEEK_SET) < 0))
		return -1;
	return fcntl(d->fd, F_DUPFD_CLOEXEC, 3);
}

int datafiles_begin(struct datafiles *d, bool is_owner, pid_t pid, unsigned int images,
		    char **name)
{
	*name = NULL;
	if (d->is_per_process) {
		*name = expand(d->pattern, pid);
		return begin_own(*name, images);
	}
	if (!is_owner) {
		*name = xasprintf("%s.%d", d->name, (int)pid);
		return begin_own(*name, images);
	}
	*name = d->name ? xstrdup(d->name) : NULL;
	return begin_main(d, pid, images);
}

void datafiles_close(struct datafiles *d)
{
	if (d->fd >= 0)
		close(d->fd);
	if (d->is_fresh && !d->is_used)
		unlink(d->name);
	free(d->name);
	*d = (struct datafiles){ .fd = -1 };
}
