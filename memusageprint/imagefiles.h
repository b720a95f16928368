/* imagefiles.h -- reports that are files, one for each process image of a recording.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGEPRINT_IMAGEFILES_H
#define MEMUSAGEPRINT_IMAGEFILES_H

#include <stdio.h>

#include "memusageprint/job/report_subject.h"

/* A report. Its pattern is expanded for each image (cli/output.h). */
struct imagefile {
	const char *pattern;	/* NULL: not asked for */
	/* Write it; NAME is that of the file. Returns 0, or -1 after a warning. */
	int (*write)(FILE *out, const char *name, struct subject *s,
		     const struct settings *settings);
};

/* imagefiles_write -- write COUNT reports of every image from settings->first_image on.
 *
 * open  an image that has been opened already, or NULL.
 * Without %p in a pattern the main process gets FILE, others FILE.PID; an image that was followed
 * by another in the same process has .1, .2 behind the name.
 * Returns 0, or -1 after a warning; the others are written all the same.
 */
int imagefiles_write(const struct recording *r, struct subject *open,
		     const struct settings *settings, const struct imagefile *file, int count);

#endif
