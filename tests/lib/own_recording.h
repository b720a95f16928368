/* own_recording.h -- for programs that lie to their collector: where their own recording is.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <grp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recording/recording.h"

/* find_segment -- return the header of the arena that this process has mapped, NULL without one. */
__attribute__((unused)) static struct mu_segment *find_segment(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	struct mu_segment *found = NULL;
	char line[512];

	while (maps && !found && fgets(line, sizeof(line), maps)) {
		struct mu_segment *at = (void *)strtoull(line, NULL, 16);

		if (strstr(line, " rw-s ") && strstr(line, "memusage") &&
		    at->magic == MU_SEGMENT_MAGIC)
			found = at;
	}
	if (maps)
		fclose(maps);
	return found;
}

/* find_own_slot -- return the number of the slot that says it is this process's, or the number of
 * all slots if none does. */
__attribute__((unused)) static uint32_t find_own_slot(const struct mu_segment *s)
{
	const struct mu_slot *slot = (const void *)((const uint8_t *)s + s->slot_table);
	uint32_t k = 0;

	while (k < s->slot_count &&
	       (slot[k].state != MU_SLOT_LIVE || slot[k].pid != (uint32_t)getpid()))
		k++;
	return k;
}

/* become_user -- give up root's rights for those of a user, by number. Returns whether it could. */
__attribute__((unused)) static int become_user(const char *user)
{
	uid_t id = (uid_t)strtoul(user, NULL, 10);

	return setgroups(0, NULL) == 0 && setresgid(id, id, id) == 0 && setresuid(id, id, id) == 0;
}
