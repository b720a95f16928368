/* image_files.h -- Reports that are files, one for each process image of a recording.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "memusageprint/job/report_job.h"
#include "memusageprint/job/report_subject.h"

/* A kind of file. */
struct image_file {
	const char *pattern;	/* of its name (cli/output.h); NULL: do not write it */
	/* Writes the file; NAME is its name. Returns 0, or -1 after a warning. */
	int (*write)(FILE *out, const char *name, struct report_subject *s,
		     const struct report_job *job);
	/* Tells whether an image has what the file is made of; NULL: each one has. */
	bool (*is_there)(const struct report_subject *s);
};

/* image_files_write -- Writes COUNT files for every image from settings->first_image on.
 *
 * open  an image that is already open, or NULL.
 * Without %p in a pattern the main process gets FILE, others get FILE.PID; the name of an image
 * that was followed by another in the same process ends in .1, .2.
 * Returns 0, or -1 after a warning; a file that fails does not stop the others.
 */
int image_files_write(const struct report_job *job, const struct recording *r,
		      struct report_subject *open, const struct image_file *file, int count);
