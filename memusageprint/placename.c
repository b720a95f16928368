/* placename.c -- how a text names a line of code.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/placename.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/message.h"
#include "profile/shortname.h"

enum { NAME_BYTES = 200 };

static void name_unknown(char buffer[PLACENAME_LENGTH], const struct subject *s,
			 uint32_t location, const char *object)
{
	const struct profile *p = &s->profile;
	uint64_t address = p->location[location].pc - 1;
	uint32_t module = p->location[location].module;

	/* In the file, so that it is the same in every run. */
	if (module < p->modules.count)
		address -= p->modules.module[module].bias;
	snprintf(buffer, PLACENAME_LENGTH, "0x%" PRIx64 " (%s)", address,
		 *object ? object : "code made at run time");
}

const char *placename(char buffer[PLACENAME_LENGTH], const struct subject *s,
		      const struct tree_node *node)
{
	const struct profile *p = &s->profile;
	const char *object = basename(profile_object(p, node->location));
	uint32_t count;
	const struct symbols_level *level = profile_levels(p, node->location, &count);
	const char *file;
	char name[NAME_BYTES];

	if (node->level >= count || !level[node->level].full) {
		name_unknown(buffer, s, node->location, object);
	} else {
		level += node->level;
		shortname(symbols_text(&p->symbols, level->full), name, sizeof(name));
		file = symbols_text(&p->symbols, level->file);
		if (*file)
			snprintf(buffer, PLACENAME_LENGTH, "%s (%s:%" PRIu32 ")", name,
				 file + level->base, level->line);
		else
			snprintf(buffer, PLACENAME_LENGTH, "%s (%s)", name, object);
	}
	message_blunt(buffer, strlen(buffer));
	return buffer;
}
