/* leak_tree_export.h -- Writes the loss records of a process in callgrind's format.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "memusageprint/job/report_job.h"
#include "memusageprint/job/report_subject.h"

/* leak_tree_can_export -- Tells whether a process was checked at its end, or just now, and had
 * blocks; for struct image_file. */
bool leak_tree_can_export(const struct report_subject *s);

/* leak_tree_export -- Writes the file of that check. Returns 0. */
int leak_tree_export(FILE *out, const char *name, struct report_subject *s,
		     const struct report_job *job);
