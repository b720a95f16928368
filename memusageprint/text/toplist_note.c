/* toplist_note.c -- What the figures of a list of places mean.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/text/toplist_note.h"

#include "cli/layout.h"
#include "memusageprint/text/bounds_note.h"

void toplist_note_put(FILE *out, const struct toplist *list)
{
	const char *place = list->group == TOP_BY_LINE	   ? "a line of " :
			    list->group == TOP_BY_FUNCTION ? "" :
			    list->group == TOP_BY_FILE	   ? "the source file of " :
							     "the program or library of ";
	putc('\n', out);
	bounds_note_put(out, list->distance, list->unseen);
	if (list->merge && list->merge->processes > 1)
		fputs("Beside each place: how processes differ, each when it held most. An outlier "
		      "is farther from the" LAYOUT_NEWLINE "median of its program than 5.2 times "
		      "the median distance.\n", out);
	if (list->kind == METRIC_LIVE && !list->is_live)
		fputs("Not all of this need be a leak: what a program keeps to its end is here "
		      "too.\n",
		      out);
	if (list->kind == METRIC_LIVE && list->is_live)
		fputs("Most of this is no leak: what the program still uses is here too; "
		      "what keeps growing may" LAYOUT_NEWLINE "be one.\n", out);
	if (list->kind == METRIC_GROWTH && list->image)
		fputs("Verdicts (still growing, settled, churns) are about the whole run; a place "
		      "without one gives no" LAYOUT_NEWLINE "evidence.\n", out);
	if (list->kind == METRIC_TEMPORARY)
		fputs("Temporary blocks were freed by the thread that allocated them, before it "
		      "allocated again.\n", out);
	if (list->kind == METRIC_AD_HOC)
		fputs("Units are the weights that the program gave its events; places whose events "
		      "have none are" LAYOUT_NEWLINE "left out. ", out);
	else
		fputs("Bytes are those that were asked for. ", out);
	if (list->shows_runtime)
		fprintf(out, "A place is %sthe function" LAYOUT_NEWLINE
			"that called malloc or the like.\n", place);
	else
		fprintf(out, "A place is %sthe innermost function" LAYOUT_NEWLINE
			"that neither wraps malloc, by its name, "
			"nor belongs to a language's run-time.\n", place);
	if (list->lifetimes)
		fputs("Lifetimes are those of all blocks that the stacks in this list ever "
		      "allocated, known to" LAYOUT_NEWLINE
		      "a millisecond; a block that was not freed lived to the end.\n", out);
}
