/* export_formats.h -- The table of formats that --to names.
 *
 * The option, its help, bash completion and the reports are made from it: a new format is a row
 * here and a writer in formats/ (see CONTRIBUTING.md, "How to add an export format").
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "formats/export.h"
#include "formats/massif.h"
#include "memusageprint/job/report_job.h"
#include "memusageprint/job/report_subject.h"

struct export_format {
	const char *name;	/* NAME in --to=NAME */
	/* Either of the two writes an image of a recording. write() knows nothing of the settings.
	 * write_image() returns 0, or -1 after a warning. */
	void (*write)(FILE *out, const struct export *e);
	int (*write_image)(FILE *out, struct report_subject *s, const struct settings *settings);
	/* Either of the two converts a massif.out, without what its reader skips, or the tree of
	 * its peak. NULL: this is not possible. */
	void (*convert_massif)(FILE *out, const struct massif_file *m);
	void (*convert_massif_tree)(FILE *out, const struct massif_file *m,
				    const struct massif_snapshot *s);
	/* Without both, the message names the data that a massif.out lacks, and the
	 * alternative. NULL: it only refuses. */
	const char *massif_lacks;
	/* Several inputs make one array: each is a document of its own, which nothing else ends. */
	bool has_arrays;
};

/* export_formats_find -- Returns the row of a name, or NULL. */
const struct export_format *export_formats_find(const char *name);

/* export_formats_names -- Writes all names into BUFFER, with SEPARATOR between them; leaves out
 * those that do not fit. */
void export_formats_names(char *buffer, size_t size, const char *separator);

/* export_formats_end -- Ends the array that several inputs of a format give, if there is one.
 *
 * out  the output that export_formats_write() and export_formats_convert_massif() wrote to.
 */
void export_formats_end(FILE *out, const struct settings *settings);

/* export_formats_write -- Writes an image in the format settings->format.
 *
 * list  all processes of the recording, for formats that have them.
 * Folded stacks are of the moment settings->tree; the other formats contain everything.
 * Returns 0, or -1 after a warning.
 */
int export_formats_write(FILE *out, struct report_subject *s, const struct settings *settings,
			 const struct process_list *list);

/* export_formats_convert_massif -- Converts a massif.out to the format settings->format; a
 * report_fn. */
int export_formats_convert_massif(const struct report_job *job);
