/* datafiles.c -- Assign data files to process images.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/record/datafiles.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/output.h"
#include "cli/temporary.h"
#include "cli/xmalloc.h"
#include "memusage/common/files.h"

static void open_main_file(struct datafiles *d)
{
	struct stat st;

	d->fd = output_open_file(d->name, OUTPUT_PUBLIC, &d->is_fresh);
	if (d->fd < 0)
		die("cannot write %s: %s", d->name, output_refusal(d->name));
	d->is_regular = fstat(d->fd, &st) == 0 && S_ISREG(st.st_mode);
	files_lock(d->fd, d->name);
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
		d->fd = temporary_open_or_die();
		d->is_regular = true;
	} else if (files_has_pid(d->pattern)) {
		d->is_per_process = true;
		files_check(d->pattern, OUTPUT_PUBLIC);
	} else {
		d->name = files_expand(d->pattern, 0);
		open_main_file(d);
	}
}

bool datafiles_has(const struct datafiles *d, bool is_owner)
{
	return d->is_wanted && (is_owner || (d->pattern && (d->is_per_process || d->for_children)));
}

/* Renames the file of an earlier image of the same process, so that it is kept. */
static int rename_earlier_file(const char *name, const char *stem, unsigned int images)
{
	char *other = xasprintf("%s.%u", stem, images);
	int result = rename(name, other);

	free(other);
	return result;
}

static int begin_process_file(char *name, unsigned int images)
{
	if (images > 0 && rename_earlier_file(name, name, images) < 0)
		return -1;
	return files_open_empty(name);
}

/* Begins FILE itself. The descriptor that was opened before the run serves its first image. */
static int begin_main_file(struct datafiles *d, pid_t pid, unsigned int images)
{
	if (d->is_used && d->name && d->is_regular) {
		char *stem = xasprintf("%s.%d", d->name, (int)pid);
		int moved = rename_earlier_file(d->name, stem, images);

		free(stem);
		if (moved < 0)
			return -1;
		close(d->fd);
		d->fd = output_open_file(d->name, OUTPUT_PUBLIC, NULL);
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
		*name = files_expand(d->pattern, pid);
		return begin_process_file(*name, images);
	}
	if (!is_owner) {
		*name = xasprintf("%s.%d", d->name, (int)pid);
		return begin_process_file(*name, images);
	}
	*name = d->name ? xstrdup(d->name) : NULL;
	return begin_main_file(d, pid, images);
}

void datafiles_end_main(struct datafiles *d)
{
	if (d->fd >= 0)
		close(d->fd);
	d->fd = -1;
	if (d->is_fresh && !d->is_used)
		unlink(d->name);
	d->is_fresh = false;
}

void datafiles_close(struct datafiles *d)
{
	datafiles_end_main(d);
	free(d->name);
	*d = (struct datafiles){ .fd = -1 };
}
