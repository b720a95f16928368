/* gate_markdown.c -- What a gate found, as Markdown.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/gate/gate_formats.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/utf8.h"

/* The most that GitHub takes as a summary of a step is 1 MiB. */
enum { CONDITIONS_MAX = 500 };

/* Names are hostile: nothing in them may be markup, a link, or a cell's end. */
static void put_text(FILE *out, const char *text)
{
	char *clean = utf8_clean(text, "");

	for (const char *at = clean; *at; at++) {
		if (strchr("\\`*_{}[]()#+!|~<>&$@:", *at))
			fprintf(out, "&#%d;", *at);
		else
			putc(*at, out);
	}
	free(clean);
}

static void put_frame(FILE *out, const struct gate *g, const struct gate_frame *f)
{
	const char *file = gate_file(g, f);

	fputs("<code>", out);
	put_text(out, f->function);
	fputs("</code>", out);
	if (!*f->file)
		return;
	fputs(" (", out);
	put_text(out, *file ? file : basename(f->file));
	fprintf(out, "&#58;%" PRIu32 ")", f->line);
}

static void put_places(FILE *out, const struct gate *g, const struct gate_finding *f)
{
	const bool is_relative = f->condition->is_relative;
	char amount[GATE_AMOUNT];

	fputs("\n**", out);
	put_text(out, f->condition->text);
	fputs(is_relative ? "**\n\n| change | old | new | place |\n|---:|---:|---:|---|\n" :
			    "**\n\n| | place |\n|---:|---|\n", out);
	for (unsigned int i = 0; i < f->places; i++) {
		const struct gate_place *p = &f->place[i];

		fprintf(out, "| %s%s |", is_relative ? "+" : "",
			gate_amount(f->condition, amount, p->new - p->old));
		if (is_relative) {
			fprintf(out, " %s |", gate_amount(f->condition, amount, p->old));
			fprintf(out, " %s |", gate_amount(f->condition, amount, p->new));
		}
		for (unsigned int k = 0; k < p->frames; k++) {
			fputs(k == 0 ? " " : k == 1 ? "<br>called by " : ", ", out);
			put_frame(out, g, &p->frame[k]);
		}
		fputs(p->has_more ? ", ... |\n" : " |\n", out);
	}
}

void gate_write_markdown(FILE *out, const struct gate *g)
{
	const size_t broken = gate_count_broken(g);
	char sentence[GATE_SENTENCE];

	fprintf(out, "### Memory: %zu of %zu limits broken\n\n| | found |\n|---|---|\n", broken,
		g->count);
	for (size_t i = 0; i < g->count && i < CONDITIONS_MAX; i++) {
		const struct gate_finding *f = &g->finding[i];

		fprintf(out, "| %s | ", gate_is_broken(f) ? "**broken**" : gate_state_name(f));
		put_text(out, gate_sentence(g, f, sentence));
		fputs(" |\n", out);
	}
	for (size_t i = 0; i < g->count && i < CONDITIONS_MAX; i++) {
		if (g->finding[i].places > 0)
			put_places(out, g, &g->finding[i]);
	}
	putc('\n', out);
}
