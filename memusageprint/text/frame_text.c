/* frame_text.c -- names of code on a terminal: functions, lines, objects.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/text/frame_text.h"

#include <inttypes.h>
#include <string.h>

#include "cli/terminal.h"
#include "profile/model/shortname.h"

enum { NAME_BYTES = 160 };	/* a function's name is cut at the front beyond this */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

void who_put_name(FILE *out, const struct profile *p, uint32_t location,
		  const struct symbols_level *level)
{
	uint32_t module = p->location[location].module;
	uint64_t address = p->location[location].pc - 1;
	char name[NAME_BYTES];

	/* Without a name the address in the file: it is the same in every run. */
	if (level && level->full)
		terminal_put(out, shortname(symbols_text(&p->symbols, level->full), name,
					    sizeof(name)));
	else
		fprintf(out, "0x%" PRIx64, module < p->modules.count ?
						   address - p->modules.module[module].bias :
						   address);
}

void who_put_level(FILE *out, const struct profile *p, uint32_t location,
		   const struct symbols_level *level)
{
	const char *object = profile_object(p, location);
	const char *name = level ? symbols_text(&p->symbols, level->full) : "";

	who_put_name(out, p, location, level);
	if (level && level->file) {
		fputs(" (", out);
		terminal_put(out, base_name(symbols_text(&p->symbols, level->file)));
		if (level->line)
			fprintf(out, ":%" PRIu32, level->line);
		putc(')', out);
	} else if (*object && *name != '[') {
		fputs(" in ", out);
		terminal_put(out, base_name(object));
	}
}

void who_put(FILE *out, const struct profile *p, const struct position *at)
{
	if (at->left)
		who_put_level(out, p, p->frame[at->frame].location, position_level(p, at));
	else
		fputs("[unknown]", out);
}

const char *who_metric(enum metric_kind kind)
{
	switch (kind) {
	case METRIC_PEAK:
		return "live when the heap was largest";
	case METRIC_LIVE:
		return "live at the end";
	case METRIC_TOTAL:
		return "allocated in all";
	case METRIC_TEMPORARY:
		return "temporary";
	case METRIC_AD_HOC:
		return "units";
	case METRIC_SNAPSHOT:
		return "live at the snapshot";
	}
	return "";
}

double who_percent(int64_t part, int64_t whole)
{
	return whole > 0 ? 100.0 * (double)part / (double)whole : 0;
}
