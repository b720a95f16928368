/* marks.c -- the moments that a program named, and the times in which recording was paused.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/read/marks.h"

bool marks_get(const struct image *im, uint64_t index, struct mu_mark *mark)
{
	return index < MARKS_MAX &&
	       image_copy_entry(im, MU_SEC_MARKS, index, mark, sizeof(*mark));
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

uint64_t marks_recorded(const struct image *im, uint64_t until, struct mark_part *part,
			uint64_t room, uint64_t *ns)
{
	uint64_t count = 0, since = 0;
	struct mu_mark mark;

	*ns = 0;
	for (uint64_t i = 0; marks_get(im, i, &mark); i++) {
		if (mark.kind == MU_MARK_RESUME && since == 0) {
			since = mark.mono_ns;
			if (count < room)
				part[count] = (struct mark_part){ .from = since };
			count++;
		} else if (mark.kind == MU_MARK_PAUSE && since != 0) {
			*ns += mark.mono_ns > since ? mark.mono_ns - since : 0;
			if (count <= room)
				part[count - 1].to = mark.mono_ns;
			since = 0;
		}
	}
	if (since != 0 && until > since)
		*ns += until - since;
	return count;
}
