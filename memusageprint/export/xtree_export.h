/* xtree_export.h -- Writes the memory report that Valgrind calls an xtree.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "memusageprint/job/report_job.h"
#include "memusageprint/job/report_subject.h"

/* xtree_can_export -- Returns true if the recording has the data for --xtree-memory.
 *
 * Returns false after a warning: "full" needs the stacks of frees.
 */
bool xtree_can_export(const struct recording *r, const struct settings *settings);

/* xtree_export -- Writes the report of one image; for struct image_file.
 *
 * name  of the file: with ".ms" in it the report has Massif's form, else callgrind's.
 * Returns 0.
 */
int xtree_export(FILE *out, const char *name, struct report_subject *s,
		 const struct report_job *job);
