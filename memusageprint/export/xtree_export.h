/* xtree_export.h -- a recording as the memory report that Valgrind calls an xtree.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGEPRINT_EXPORT_XTREE_EXPORT_H
#define MEMUSAGEPRINT_EXPORT_XTREE_EXPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "memusageprint/job/report_subject.h"

/* xtree_can_export -- whether a recording knows what --xtree-memory asks for.
 *
 * False after a warning: "full" needs the stacks of frees.
 */
bool xtree_can_export(const struct recording *r, const struct settings *settings);

/* xtree_export -- write what --xtree-memory asks for of one image; for struct imagefile.
 *
 * name  of the file: with ".ms" in it the report has Massif's form, else callgrind's.
 * Returns 0, or -1 after a warning: without memory.
 */
int xtree_export(FILE *out, const char *name, struct subject *s,
		 const struct settings *settings);

#endif
