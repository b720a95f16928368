/* spacetime_export.c -- Writes the reports of the first Massif from a recording.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/export/spacetime_export.h"

#include <stdlib.h>

#include "cli/message.h"
#include "formats/spacetime.h"

/* Bits: a report may have several parts, in this order. */
enum part { PART_SUMMARY = 1, PART_REPORT = 2, PART_HP = 4 };

static void write_part(FILE *out, const struct spacetime *space, enum part part,
		       const struct spacetime_report *r, pid_t pid)
{
	if (part == PART_SUMMARY)
		spacetime_put_summary(out, space, (uint32_t)pid);
	else if (part == PART_HP)
		spacetime_put_hp(out, space, r->command);
	else
		spacetime_put_report(out, space, r);
}

static int write_parts(FILE *out, const char *title, struct report_subject *s,
		       const struct settings *settings, unsigned parts)
{
	char *command = report_subject_command(s);
	const struct spacetime_report r = {
		.command = command, .title = title,
		.depth = settings->has_depth ? settings->depth : 0,
		.is_html = settings->spacetime == SPACETIME_HTML ||
			   settings->spacetime_files == SPACETIME_HTML,
	};
	struct spacetime space;
	struct mu_error err;
	int result = spacetime_of(&space, &s->filter, &s->image,
				  &s->recording->segment.head.config, &err);

	for (enum part part = PART_SUMMARY; part <= PART_HP && result == 0; part <<= 1) {
		if (!(parts & part))
			continue;
		if (parts & (part - 1))
			putc('\n', out);
		write_part(out, &space, part, &r, s->pid);
	}
	if (result < 0)
		warn("%s: %s", s->recording->name, err.text);
	spacetime_free(&space);
	free(command);
	return result;
}

int spacetime_export(FILE *out, struct report_subject *s, const struct settings *settings)
{
	unsigned parts = settings->spacetime == SPACETIME_HP   ? PART_HP :
			 settings->spacetime == SPACETIME_HTML ? PART_REPORT :
								 PART_SUMMARY | PART_REPORT;

	return write_parts(out, s->recording->name, s, settings, parts);
}

int spacetime_export_summary(FILE *out, struct report_subject *s, const struct settings *settings)
{
	return write_parts(out, s->recording->name, s, settings, PART_SUMMARY);
}

int spacetime_export_hp(FILE *out, const char *name, struct report_subject *s,
			const struct report_job *job)
{
	return write_parts(out, name, s, job->settings, PART_HP);
}

int spacetime_export_report(FILE *out, const char *name, struct report_subject *s,
			    const struct report_job *job)
{
	return write_parts(out, name, s, job->settings, PART_REPORT);
}
