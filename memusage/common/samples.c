/* samples.c -- A bounded timeline of one recorded process.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/common/samples.h"

#include <stdbool.h>
#include <stdlib.h>

#include "cli/xmalloc.h"
#include "profile/read/timeline.h"

static bool has_more_resident(const struct mu_sample *a, const struct mu_sample *b)
{
	return timeline_resident(a) > timeline_resident(b);
}

/* The first sample is kept: it shows the memory of the process before its first block. */
static void halve_samples(struct samples *s)
{
	uint32_t to = 1;

	for (uint32_t i = 1; i < s->count; i += 2, to++) {
		const struct mu_sample *a = &s->item[i];

		s->item[to] = i + 1 < s->count && !has_more_resident(a, a + 1) ? a[1] : a[0];
	}
	s->count = to;
	s->stride *= 2;
}

void samples_add(struct samples *s, const struct mu_sample *look)
{
	if (s->stride == 0) {
		s->item = xcalloc(SAMPLES_MAX, sizeof(*s->item));
		s->stride = 1;
	}
	if (s->count > 1 && s->readings < s->stride) {
		if (!has_more_resident(&s->item[s->count - 1], look))
			s->item[s->count - 1] = *look;
		s->readings++;
		return;
	}
	if (s->count == SAMPLES_MAX)
		halve_samples(s);
	s->item[s->count++] = *look;
	s->readings = 1;
}

void samples_free(struct samples *s)
{
	free(s->item);
	*s = (struct samples){ .item = NULL };
}
