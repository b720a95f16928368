/* bounds_note.c -- What the bounds in a report mean.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/text/bounds_note.h"

#include "cli/layout.h"
#include "cli/units.h"

void bounds_note_put(FILE *out, double distance, double unseen)
{
	char every[UNITS_LENGTH], most[UNITS_LENGTH];

	if (distance <= 0)
		return;
	fprintf(out, "These are estimates: about one block in %s was sampled. The true value is "
		     "within" LAYOUT_NEWLINE "the bounds, +- or - and +, in the unit of the "
		     "figure, with a probability of 95 %%." LAYOUT_NEWLINE "A place none of whose "
		     "blocks was sampled is missing; it has at most %s (97.5 %%)." LAYOUT_NEWLINE
		     "A peak, and the places at it, may be too high beyond that: it is the highest "
		     "of many estimates.\n",
		units_bytes(every, units_whole(distance)),
		units_bytes(most, units_whole(unseen)));
}
