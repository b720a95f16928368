/* marks.c -- the moments that a program named, and the times in which recording was paused.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/marks.h"

#include <string.h>

bool marks_get(const struct image *im, uint64_t index, struct mu_mark *mark)
{
	const void *entry = index < MARKS_MAX && index < image_count(im, MU_SEC_MARKS) ?
		image_entry(im, MU_SEC_MARKS, index, sizeof(*mark)) : NULL;

	if (entry)
		memcpy(mark, entry, sizeof(*mark));
	return entry != NULL;
}

uint64_t marks_paused(const struct image *im, uint64_t until, uint64_t *ns, bool *is_over)
{
	uint64_t count = 0, since = 0;
	struct mu_mark mark;

	*ns = 0;
	*is_over = true;
	for (uint64_t i = 0; marks_get(im, i, &mark); i++) {
		if (mark.kind == MU_MARK_PAUSE && *is_over) {
			count++;
			since = mark.mono_ns;
			*is_over = false;
		} else if (mark.kind == MU_MARK_RESUME && !*is_over) {
			*ns += mark.mono_ns > since ? mark.mono_ns - since : 0;
			*is_over = true;
		}
	}
	if (!*is_over && until > since)
		*ns += until - since;
	return count;
}
