/* spacetime_export.c -- what the first Massif reported, of a recording.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/export/spacetime_export.h"

#include <stdlib.h>

#include "cli/message.h"
#include "formats/spacetime.h"

enum part { PART_SUMMARY, PART_REPORT, PART_HP };

static int put_part(FILE *out, const struct spacetime *space, enum part part,
		    const struct spacetime_report *r, pid_t pid, struct mu_error *err)
{
	switch (part) {
	case PART_SUMMARY:
		spacetime_put_summary(out, space, (uint32_t)pid);
		return 0;
	case PART_HP:
		return spacetime_put_hp(out, space, r->command, err);
	default:
		return spacetime_put_report(out, space, r, err);
	}
}

/* COUNT parts, one after the other. */
static int put(FILE *out, const char *name, struct subject *s, const struct settings *settings,
	       const enum part *part, int count)
{
	char *command = subject_command(s);
	const struct spacetime_report r = {
		.command = command, .title = name,
		.depth = settings->has_depth ? settings->depth : 0,
		.is_html = settings->spacetime == SPACETIME_HTML ||
			   settings->spacetime_files == SPACETIME_HTML,
	};
	struct spacetime space;
	struct mu_error err;
	int result = spacetime_of(&space, &s->filter, &s->image,
				  &s->recording->segment.head.config, &err);

	for (int i = 0; i < count && result == 0; i++) {
		if (i > 0)
			putc('\n', out);
		result = put_part(out, &space, part[i], &r, s->pid, &err);
	}
	if (result < 0)
		warn("%s: %s", s->recording->name, err.text);
	spacetime_free(&space);
	free(command);
	return result;
}

int spacetime_export(FILE *out, struct subject *s, const struct settings *settings)
{
	static const enum part text[] = { PART_SUMMARY, PART_REPORT }, hp[] = { PART_HP };
	const char *name = s->recording->name;

	if (settings->spacetime == SPACETIME_HP)
		return put(out, name, s, settings, hp, 1);
	if (settings->spacetime == SPACETIME_HTML)
		return put(out, name, s, settings, &text[1], 1);
	return put(out, name, s, settings, text, 2);
}

int spacetime_summary(FILE *out, struct subject *s, const struct settings *settings)
{
	static const enum part summary = PART_SUMMARY;

	return put(out, s->recording->name, s, settings, &summary, 1);
}

int spacetime_export_hp(FILE *out, const char *name, struct subject *s,
			const struct settings *settings)
{
	static const enum part hp = PART_HP;

	return put(out, name, s, settings, &hp, 1);
}

int spacetime_export_report(FILE *out, const char *name, struct subject *s,
			    const struct settings *settings)
{
	static const enum part report = PART_REPORT;

	return put(out, name, s, settings, &report, 1);
}
