/* output_watch.c -- Notices that something else wrote an output of the run meanwhile.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/report/output_watch.h"

#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/message.h"
#include "cli/xmalloc.h"

enum { WATCHED = 2 };

static struct watched_output {
	char *name;
	struct stat before;	/* all zero: there was no file */
} watched[WATCHED];

static int count;

void output_watch_begin(const char *name)
{
	struct watched_output *o = &watched[count];

	if (count == WATCHED)
		return;
	count++;
	o->name = xstrdup(name);
	if (stat(name, &o->before) < 0)
		o->before = (struct stat){ 0 };
}

static bool is_unchanged(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_dev == b->st_dev && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

void output_watch_warn(const char *name)
{
	struct stat now;

	if (stat(name, &now) < 0 || !S_ISREG(now.st_mode))
		return;
	for (int i = 0; i < count; i++) {
		if (strcmp(watched[i].name, name) == 0 && !is_unchanged(&now, &watched[i].before))
			warn("%s was written by another program during the run, and is replaced "
			     "now: give each run a file of its own", name);
	}
}
