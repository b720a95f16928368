/* frame_text.c -- Names of code for a terminal: functions, lines, objects.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/text/frame_text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "cli/layout.h"
#include "cli/terminal.h"
#include "profile/model/shortname.h"

enum { NAME_BYTES = 160 };	/* longer names of functions are cut at the front */

static void put_function_name(FILE *out, const struct profile *p, uint32_t location,
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

void frame_text_put_function(FILE *out, const struct profile *p, uint32_t location,
			     const struct symbols_level *level)
{
	fputs(LAYOUT_FRAME, out);
	put_function_name(out, p, location, level);
	fputs(LAYOUT_FRAME_END, out);
}

void frame_text_put_nameless(FILE *out, const struct profile *p, uint32_t location)
{
	const char *object = profile_object(p, location);

	if (!*object) {
		fputs("functions without a name, made at run time", out);
		return;
	}
	fputs("functions without a name in ", out);
	terminal_put(out, basename(object));
}

static void put_source_line(FILE *out, const struct profile *p, const struct symbols_level *level)
{
	terminal_put(out, basename(symbols_text(&p->symbols, level->file)));
	if (level->line)
		fprintf(out, ":%" PRIu32, level->line);
}

void frame_text_put_line(FILE *out, const struct profile *p, const struct symbols_level *level)
{
	fputs(LAYOUT_FRAME LAYOUT_FRAME_LINE, out);
	if (level && level->file)
		put_source_line(out, p, level);
	else
		fputs("[no line]", out);
	fputs(LAYOUT_FRAME_END, out);
}

/* has_line  false: of the source file alone. */
static void put_level(FILE *out, const struct profile *p, uint32_t location,
		      const struct symbols_level *level, bool has_line)
{
	const char *object = profile_object(p, location);
	const char *name = level ? symbols_text(&p->symbols, level->full) : "";

	fputs(LAYOUT_FRAME, out);
	put_function_name(out, p, location, level);
	fputs(LAYOUT_FRAME_LINE, out);
	if (level && level->file) {
		fputs(" (", out);
		if (has_line)
			put_source_line(out, p, level);
		else
			terminal_put(out, basename(symbols_text(&p->symbols, level->file)));
		putc(')', out);
	} else if (*object && *name != '[') {
		fputs(" in ", out);
		terminal_put(out, basename(object));
	}
	fputs(LAYOUT_FRAME_END, out);
}

void frame_text_put_level(FILE *out, const struct profile *p, uint32_t location,
			  const struct symbols_level *level)
{
	put_level(out, p, location, level, true);
}

void frame_text_put_position(FILE *out, const struct profile *p, const struct position *at)
{
	if (at->left)
		frame_text_put_level(out, p, p->frame[at->frame].location, position_level(p, at));
	else
		fputs("[unknown]", out);
}

static void put_object_path(FILE *out, const struct profile *p, const struct position *at)
{
	const char *object = profile_object(p, p->frame[at->frame].location);

	terminal_put(out, *object ? object : "code made at run time");
}

void frame_text_put_place(FILE *out, const struct profile *p, const struct position *at,
			  enum top_kind group)
{
	const struct symbols_level *level = at->left ? position_level(p, at) : NULL;

	if (group == TOP_BY_LINE || !at->left) {
		frame_text_put_position(out, p, at);
	} else if (group == TOP_BY_FUNCTION && level && level->full) {
		put_level(out, p, p->frame[at->frame].location, level, false);
	} else if (group == TOP_BY_FILE && level && level->file) {
		terminal_put(out, symbols_text(&p->symbols, level->file));
	} else {
		fputs(group == TOP_BY_OBJECT ? "" :
		      group == TOP_BY_FILE   ? "[no source file] " : "[no name] ", out);
		put_object_path(out, p, at);
	}
}
