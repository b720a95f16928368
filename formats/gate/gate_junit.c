/* gate_junit.c -- What a gate found, as a test suite in JUnit's XML.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/gate/gate_formats.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/base/utf8.h"
#include "formats/base/xml_text.h"

static void put_escaped(FILE *out, const char *text)
{
	char *clean = utf8_clean(text, "");

	xml_text_put(out, clean);
	free(clean);
}

static void put_places(FILE *out, const struct gate_finding *f)
{
	char amount[GATE_AMOUNT];

	for (unsigned int i = 0; i < f->places; i++) {
		const struct gate_place *p = &f->place[i];

		fprintf(out, "%s%s\n", f->condition->is_relative ? "+" : "",
			gate_amount(f->condition, amount, p->new - p->old));
		for (unsigned int k = 0; k < p->frames; k++) {
			fputs("    at ", out);
			put_escaped(out, p->frame[k].function);
			if (*p->frame[k].file) {
				fputs(" (", out);
				put_escaped(out, p->frame[k].file);
				fprintf(out, ":%" PRIu32 ")", p->frame[k].line);
			}
			putc('\n', out);
		}
	}
}

static void put_result(FILE *out, const struct gate *g, const struct gate_finding *f)
{
	const char *element = f->why	       ? "error" :
			      gate_is_broken(f) ? "failure" :
			      strcmp(gate_state_name(f), "undecided") == 0 ? "skipped" :
									      "system-out";
	char sentence[GATE_SENTENCE];

	gate_sentence(g, f, sentence);
	fprintf(out, "   <%s", element);
	if (strcmp(element, "system-out") != 0) {
		fputs(" message=\"", out);
		put_escaped(out, sentence);
		putc('"', out);
	}
	if (f->why || gate_is_broken(f))
		fprintf(out, " type=\"%s\"", gate_state_name(f));
	putc('>', out);
	put_escaped(out, sentence);
	putc('\n', out);
	put_places(out, f);
	fprintf(out, "</%s>\n", element);
}

void gate_write_junit(FILE *out, const struct gate *g)
{
	size_t undecided = 0;

	for (size_t i = 0; i < g->count; i++)
		undecided += strcmp(gate_state_name(&g->finding[i]), "undecided") == 0;
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", out);
	fprintf(out, " <testsuite name=\"memusage\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" "
		"skipped=\"%zu\">\n", g->count, gate_count_broken(g), gate_count_unknown(g),
		undecided);
	for (size_t i = 0; i < g->count; i++) {
		fputs("  <testcase classname=\"memusage\" name=\"", out);
		put_escaped(out, g->finding[i].condition->text);
		fputs("\">\n", out);
		put_result(out, g, &g->finding[i]);
		fputs("  </testcase>\n", out);
	}
	fputs(" </testsuite>\n</testsuites>\n", out);
}
