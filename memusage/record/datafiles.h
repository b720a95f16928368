/* datafiles.h -- Assign data files to process images.
 *
 * FILE belongs to the last image of the started program. Its earlier images become FILE.PID.1,
 * FILE.PID.2 and so on; other processes write FILE.PID, if they write at all. If FILE has %p, every
 * process has its own.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "memusage/options/settings.h"

struct datafiles {
	const char *pattern; /* of the option; NULL: only a picture is wanted */
	bool is_wanted;
	bool is_per_process;	/* the pattern has %p */
	bool for_children;	/* --children=files */
	char *name;		/* FILE; NULL if is_per_process or temporary */
	int fd;			/* FILE or the temporary file; -1: none */
	bool is_regular;
	bool is_fresh;		/* we created FILE, and nothing was written yet */
	bool is_used;		/* an image has had FILE */
};

/* datafiles_open -- Checks, before the program runs, that data can be written.
 *
 * Dies with a message if not.
 */
void datafiles_open(struct datafiles *d, const struct settings *settings);

/* datafiles_has -- Tells whether a process gets a data file.
 *
 * is_owner  it is the program that was started, or the first that matches --progname.
 */
bool datafiles_has(const struct datafiles *d, bool is_owner);

/* datafiles_begin -- Opens a file for a new image; renames the file of an earlier image.
 *
 * images  number of images of this process that have had a file.
 * name    receives the file's name, to be freed; NULL for a temporary file.
 * Returns a descriptor at the start of an empty file, or -1 with errno and the name.
 */
int datafiles_begin(struct datafiles *d, bool is_owner, pid_t pid, unsigned int images,
		    char **name);

/* datafiles_end_main -- Closes the program's own file at the program's end, and removes it if we
 * created it and it is empty. The program's surviving children may still begin files. */
void datafiles_end_main(struct datafiles *d);

/* datafiles_close -- Releases everything; no more files can be begun. */
void datafiles_close(struct datafiles *d);
