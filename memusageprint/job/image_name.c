/* image_name.c -- The names of files that every process image of a recording gets.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/job/image_name.h"

#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/output.h"
#include "cli/xmalloc.h"

static bool pattern_has_pid(const char *pattern)
{
	for (const char *at = pattern; (at = strchr(at, '%')) != NULL; at += at[1] ? 2 : 1) {
		if (at[1] == 'p')
			return true;
	}
	return false;
}

/* Returns how many images of the same process follow an image. */
static unsigned int count_later_images(const struct recording *r, uint32_t slot, pid_t pid)
{
	unsigned int count = 0;
	struct mu_slot entry;

	for (uint32_t k = slot + 1; k < r->segment.head.slot_count; k++)
		count += segment_slot(&r->segment, k, &entry) && (pid_t)entry.pid == pid;
	return count;
}

char *image_name_make(const struct report_subject *s, const struct settings *settings,
		      const char *pattern)
{
	const struct recording *r = s->recording;
	char why[128], *name = output_expand(pattern, s->pid, getenv, why), *longer;
	unsigned int later = count_later_images(r, s->slot, s->pid);
	uint32_t first = recording_main(r, settings);
	struct mu_slot entry;

	if (!name) {
		warn("%s: %s", pattern, why);
		return NULL;
	}
	if (!pattern_has_pid(pattern) && segment_slot(&r->segment, first, &entry) &&
	    (pid_t)entry.pid != s->pid) {
		longer = xasprintf("%s.%d", name, (int)s->pid);
		free(name);
		name = longer;
	}
	if (later > 0) {
		longer = xasprintf("%s.%u", name, later);
		free(name);
		name = longer;
	}
	return name;
}
