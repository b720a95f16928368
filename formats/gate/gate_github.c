/* gate_github.c -- What a gate found, as annotations of GitHub Actions.
 *
 *	::error file=src/input.c,line=34,title=heap peak > 64M::71.2 MiB, 7.20 MiB over ...
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/gate/gate_formats.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cli/xmalloc.h"
#include "formats/base/utf8.h"

/* A line of a command ends at the end of the line. In properties : and , end a value. */
static void put_escaped(FILE *out, const char *text, bool is_property)
{
	char *clean = utf8_clean(text, "");

	for (const char *at = clean; *at; at++) {
		if (*at == '%' || (is_property && (*at == ':' || *at == ',')))
			fprintf(out, "%%%02X", (unsigned char)*at);
		else
			putc(*at, out);
	}
	free(clean);
}

static void put_frame(FILE *out, const struct gate *g, const struct gate_frame *f)
{
	const char *file = gate_file(g, f);

	put_escaped(out, f->function, false);
	if (*file || *f->file) {
		fputs(" (", out);
		put_escaped(out, *file ? file : f->file, false);
		fprintf(out, ":%" PRIu32 ")", f->line);
	}
}

/* The lines below the message: a place, and its callers. */
static void put_places(FILE *out, const struct gate *g, const struct gate_finding *f)
{
	char amount[GATE_AMOUNT];

	for (unsigned int i = 0; i < f->places; i++) {
		const struct gate_place *p = &f->place[i];

		fprintf(out, "%%0A%s%s at ", f->condition->is_relative ? "+" : "",
			gate_amount(f->condition, amount, p->new - p->old));
		for (unsigned int k = 0; k < p->frames; k++) {
			fputs(k == 0 ? "" : k == 1 ? "%0A  called by " : ", ", out);
			put_frame(out, g, &p->frame[k]);
		}
	}
}

static void put_annotation(FILE *out, const struct gate *g, const struct gate_finding *f,
			   const char *level)
{
	const struct gate_frame *at = gate_location(g, f);
	char sentence[GATE_SENTENCE];

	fprintf(out, "::%s ", level);
	if (at) {
		fputs("file=", out);
		put_escaped(out, gate_file(g, at), true);
		fprintf(out, ",line=%" PRIu32 ",", at->line ? at->line : 1);
	}
	fputs("title=", out);
	put_escaped(out, f->condition->text, true);
	fputs("::", out);
	put_escaped(out, gate_sentence(g, f, sentence), false);
	put_places(out, g, f);
	putc('\n', out);
}

/* GitHub shows ten annotations of each kind for a step. The broken ones come first. */
void gate_write_github(FILE *out, const struct gate *g)
{
	for (size_t i = 0; i < g->count; i++) {
		if (gate_is_broken(&g->finding[i]))
			put_annotation(out, g, &g->finding[i], "error");
	}
	for (size_t i = 0; i < g->count; i++) {
		const struct gate_finding *f = &g->finding[i];

		if (f->why || f->verdict.state == VERDICT_UNDECIDED)
			put_annotation(out, g, f, f->why ? "error" : "warning");
		else if (f->lacks_place && !gate_is_broken(f))
			put_annotation(out, g, f, "notice");
	}
}
