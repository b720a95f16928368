/* datafiles.h -- which data file belongs to which process image.
 *
 * FILE is the file of the started program's last image. Earlier images of it become
 * FILE.PID.1, FILE.PID.2 and so on; other processes write FILE.PID, if they write at all.
 * With %p in FILE every process has its own.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_RECORD_DATAFILES_H
#define MEMUSAGE_RECORD_DATAFILES_H

#include <stdbool.h>
#include <sys/types.h>

#include "memusage/options/settings.h"

struct datafiles {
	const char *pattern;	/* of the option; NULL: only a picture was asked for */
	bool is_wanted;
	bool is_per_process;	/* %p in the pattern */
	bool for_children;	/* --children=files */
	char *name;		/* FILE; NULL if is_per_process or temporary */
	int fd;			/* FILE, or the temporary file; -1 */
	bool is_regular;
	bool is_fresh;		/* FILE was made by us, and nothing was written yet */
	bool is_used;		/* an image has had FILE */
};

/* datafiles_open -- make sure, before the program runs, that data can be written.
 *
 * Dies with a message if not.
 */
void datafiles_open(struct datafiles *d, const struct settings *settings);

/* datafiles_has -- whether a process is to have a data file.
 *
 * is_owner  it is the program that was started, or the first that matches --progname.
 */
bool datafiles_has(const struct datafiles *d, bool is_owner);

/* datafiles_begin -- a file for a new image; an earlier image's file gets out of its way.
 *
 * images  images of this process that have had a file before.
 * name    set to its name, to be freed; NULL for a temporary file.
 * Returns a descriptor at the start of an empty file, or -1 with errno and the name.
 */
int datafiles_begin(struct datafiles *d, bool is_owner, pid_t pid, unsigned int images,
		    char **name);

/* datafiles_end_main -- the program has ended: its own file is closed, and goes away if we made
 * it and nothing came. Processes that it left behind may still begin files of theirs. */
void datafiles_end_main(struct datafiles *d);

/* datafiles_close -- nothing more will be written, by anybody. */
void datafiles_close(struct datafiles *d);

#endif
