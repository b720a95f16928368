/* frame_text.c -- Names of code for a terminal: functions, lines, objects.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/text/frame_text.h"

#include <inttypes.h>
#include <string.h>

#include "cli/terminal.h"
#include "profile/model/shortname.h"

enum { NAME_BYTES = 160 };	/* longer names of functions are cut at the front */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

void frame_text_put_function(FILE *out, const struct profile *p, uint32_t location,
			     const struct symbols_level *level)
{
	uint32_t module = p->location[location].module;
	uint64_t address = p->location[location].pc - 1;
	char name[NAME_BYTES];

	/* The address in the file is the same in every run; the address in memory is not. */
	if (level && level->full)
		terminal_put(out, shortname(symbols_text(&p->symbols, level->full), name,
					    sizeof(name)));
	else
		fprintf(out, "0x%" PRIx64, module < p->modules.count ?
						   address - p->modules.module[module].bias :
						   address);
}

void frame_text_put_level(FILE *out, const struct profile *p, uint32_t location,
			  const struct symbols_level *level)
{
	const char *object = profile_object(p, location);
	const char *name = level ? symbols_text(&p->symbols, level->full) : "";

	frame_text_put_function(out, p, location, level);
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

void frame_text_put_position(FILE *out, const struct profile *p, const struct position *at)
{
	if (at->left)
		frame_text_put_level(out, p, p->frame[at->frame].location, position_level(p, at));
	else
		fputs("[unknown]", out);
}
