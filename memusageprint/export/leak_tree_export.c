/* leak_tree_export.c -- Writes the loss records of a process in callgrind's format.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/export/leak_tree_export.h"

#include <stdlib.h>

#include "cli/version.h"
#include "formats/export.h"
#include "formats/leaks/leak_tree.h"
#include "memusageprint/job/leak_input.h"

/* Selects the last check. */
static bool has_tree(struct leak_input *in)
{
	if (in->all.count == 0)
		return false;
	leak_input_select(in, in->all.count - 1);
	return leak_input_has_tree(in);
}

bool leak_tree_can_export(const struct report_subject *s)
{
	struct leak_input in = { .is_full = true };
	bool result;

	leak_checks_read(&in.all, &s->image);
	result = has_tree(&in);
	leak_checks_free(&in.all);
	return result;
}

int leak_tree_export(FILE *out, const char *name, struct report_subject *s,
		     const struct report_job *job)
{
	const struct settings *settings = job->settings;
	char *command = report_subject_command(s);
	struct leak_input in;

	leak_input_read(&in, s, settings);
	if (has_tree(&in)) {
		const struct export e = { .filter = in.report.filter, .image = &s->image,
					  .command = command, .version = MEMUSAGE_VERSION,
					  .pid = (uint32_t)s->pid };

		leak_tree_write(out, &in.report, &e, settings->xtree_compress == NO);
	}
	leak_input_free(&in);
	free(command);
	return 0;
}
