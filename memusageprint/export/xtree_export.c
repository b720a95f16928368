/* xtree_export.c -- Writes the memory report that Valgrind calls an xtree.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/export/xtree_export.h"

#include <stdlib.h>

#include "cli/message.h"
#include "cli/version.h"
#include "formats/export.h"
#include "profile/read/image_end.h"

bool xtree_can_export(const struct recording *r, const struct settings *settings)
{
	if (settings->xtree != XTREE_FULL ||
	    r->segment.head.config.flags & MU_CFG_FREE_STACKS)
		return true;
	warn("%s: the stacks of frees were not recorded: give --xtree-memory=full to memusage, "
	     "too", r->name);
	return false;
}

int xtree_export(FILE *out, const char *name, struct report_subject *s,
		 const struct report_job *job)
{
	const struct settings *settings = job->settings;
	char *command = report_subject_command(s);
	const struct export e = { .filter = &s->filter, .image = &s->image, .command = command,
				  .version = MEMUSAGE_VERSION, .pid = (uint32_t)s->pid };
	const struct xtree_options o = {
		.kind = (enum xtree_kind)settings->xtree,
		.is_plain = settings->xtree_compress == NO,
		.show_below_main = settings->below_main == YES,
		.depth = settings->depth,
		.time_ms = image_duration_ns(&s->image) / 1000000,
	};

	xtree_write(out, name, &e, &o);
	free(command);
	return 0;
}
