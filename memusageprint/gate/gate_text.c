/* gate_text.c -- What a gate found, for people.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/gate/gate_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/layout.h"
#include "cli/terminal.h"

enum { CALLERS = 6 };

static void put_sentence(FILE *out, const struct gate *g, const struct gate_finding *f,
			 const char *before)
{
	char text[GATE_SENTENCE];

	fprintf(out, "%s" LAYOUT_TEXT, before);
	if (gate_is_broken(f))
		fputs(LAYOUT_STRONG, out);
	terminal_put(out, gate_sentence(g, f, text));
	fputs(LAYOUT_PLAIN "\n", out);
}

static void put_frame(FILE *out, const struct gate_frame *f)
{
	fputs(LAYOUT_FRAME, out);
	terminal_put(out, f->function);
	fputs(LAYOUT_FRAME_LINE, out);
	if (*f->file) {
		fputs(" (", out);
		terminal_put(out, basename(f->file));
		if (f->line)
			fprintf(out, ":%" PRIu32, f->line);
		putc(')', out);
	} else if (*f->object) {
		fputs(" in ", out);
		terminal_put(out, basename(f->object));
	}
	fputs(LAYOUT_FRAME_END, out);
}

static void put_callers(FILE *out, const struct gate_place *p, int width)
{
	if (p->frames < 2)
		return;
	fprintf(out, "%*s" LAYOUT_TEXT "called by ", width, "");
	for (unsigned int i = 1; i < p->frames && i <= CALLERS; i++) {
		fputs(i > 1 ? ", " : "", out);
		put_frame(out, &p->frame[i]);
	}
	fputs(p->frames > CALLERS + 1 || p->has_more ? ", ...\n" : "\n", out);
}

static int put_figures(FILE *out, const struct condition *c, const struct gate_place *p)
{
	char change[GATE_AMOUNT], old[GATE_AMOUNT], new[GATE_AMOUNT], plus[GATE_AMOUNT + 1];

	if (!c->is_relative)
		return fprintf(out, "%11s  ", gate_amount(c, new, p->new));
	snprintf(plus, sizeof(plus), "+%s", gate_amount(c, change, p->new - p->old));
	return fprintf(out, "%11s %11s %11s  ", plus, gate_amount(c, old, p->old),
		       gate_amount(c, new, p->new));
}

static const char *title_of(const struct condition *c)
{
	static const char *const titles[CONDITION_METRICS] = {
		[CONDITION_HEAP_PEAK] = "live when the heap was largest",
		[CONDITION_HEAP_END] = "live at the end",
		[CONDITION_HEAP_TOTAL] = "allocated in all",
		[CONDITION_BLOCKS_PEAK] = "blocks that were live when the heap was largest",
		[CONDITION_BLOCKS_END] = "blocks that were live at the end",
		[CONDITION_CALLS] = "blocks allocated in all",
		[CONDITION_LEAKS] = "lost: no pointer leads there",
		[CONDITION_TEMPORARY] = "blocks freed before the next allocation",
		[CONDITION_RSS_PEAK] = "of the heap, live when it was largest",
	};

	return titles[c->metric];
}

static void put_places(FILE *out, const struct gate_finding *f)
{
	const struct condition *c = f->condition;

	if (f->places == 0)
		return;
	fputs("\n" LAYOUT_TITLE, out);
	if (c->is_relative)
		fprintf(out, "%11s %11s %11s  " LAYOUT_TEXT "%s\n", "change", "old", "new",
			title_of(c));
	else
		fprintf(out, "%11s  " LAYOUT_TEXT "%s\n", "", title_of(c));
	for (unsigned int i = 0; i < f->places; i++) {
		const int width = put_figures(out, c, &f->place[i]);

		fputs(LAYOUT_TEXT, out);
		if (f->place[i].frames)
			put_frame(out, &f->place[i].frame[0]);
		else
			fputs("[unknown]", out);
		putc('\n', out);
		put_callers(out, &f->place[i], width);
	}
	if (f->more > 0)
		fprintf(out, "%*s" LAYOUT_TEXT "and %u more place%s\n",
			c->is_relative ? 37 : 13, "", f->more, f->more == 1 ? "" : "s");
}

void gate_text_print(FILE *out, const struct gate *g, const char *before, bool quiet)
{
	bool has_places = false;

	for (size_t i = 0; i < g->count; i++) {
		if (!gate_is_broken(&g->finding[i]))
			continue;
		fputs(has_places ? "\n" : "", out);
		put_sentence(out, g, &g->finding[i], before);
		put_places(out, &g->finding[i]);
		has_places = g->finding[i].places > 0;
	}
	for (size_t i = 0; i < g->count; i++) {
		const struct gate_finding *f = &g->finding[i];

		if (gate_is_broken(f) || (quiet && strcmp(gate_state_name(f), "holds") == 0))
			continue;
		fputs(has_places ? "\n" : "", out);
		put_sentence(out, g, f, before);
		has_places = false;
	}
}
