/* gate_json.c -- What a gate found, as JSON.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/gate/gate_formats.h"

#include <inttypes.h>

#include "formats/json.h"

static void write_spread(FILE *out, const char *name, const struct figure_spread *s)
{
	static const char *const classes[] = {
		[FIGURE_EXACT] = "exact", [FIGURE_BY_THREADS] = "threads",
		[FIGURE_BY_MACHINE] = "machine", [FIGURE_ESTIMATED] = "estimate",
	};

	fprintf(out, "\"%s\":", name);
	if (s->runs == 0)
		fputs("null,", out);
	else
		fprintf(out, "{\"runs\":%zu,\"least\":%.0f,\"median\":%.1f,\"most\":%.0f,"
			"\"varies_by\":\"%s\"},", s->runs, s->least, s->median, s->most,
			classes[s->class]);
}

static void write_place(FILE *out, const struct gate_place *p, bool is_relative)
{
	if (is_relative)
		fprintf(out, "{\"old\":%.0f,", p->old);
	else
		fputs("{\"old\":null,", out);
	fprintf(out, "\"new\":%.0f,\"stack\":[", p->new);
	for (unsigned int i = 0; i < p->frames; i++) {
		fputs(i ? ",\n   {" : "\n   {", out);
		json_put_field(out, "function", p->frame[i].function);
		json_put_field(out, "file", p->frame[i].file);
		fprintf(out, "\"line\":%" PRIu32 ",\"object\":", p->frame[i].line);
		json_put_string(out, p->frame[i].object);
		putc('}', out);
	}
	fprintf(out, "],\"cut\":%s}", p->has_more ? "true" : "false");
}

static void write_finding(FILE *out, const struct gate *g, const struct gate_finding *f)
{
	char sentence[GATE_SENTENCE];

	json_put_field(out, "condition", f->condition->text);
	json_put_field(out, "metric", condition_metric_name(f->condition->metric));
	json_put_field(out, "unit", condition_counts_bytes(f->condition->metric) ? "bytes" :
										    "count");
	json_put_field(out, "state", gate_state_name(f));
	json_put_field(out, "message", gate_sentence(g, f, sentence));
	json_put_field(out, "process", f->process);
	write_spread(out, "value", &f->verdict.new);
	write_spread(out, "baseline", &f->verdict.old);
	if (f->why)
		fputs("\"limit\":null,\"over\":null,", out);
	else
		fprintf(out, "\"limit\":%.1f,\"over\":%.1f,", f->verdict.limit, f->verdict.over);
	if (!f->why && f->verdict.p <= 1)
		fprintf(out, "\"p\":%.6f,", f->verdict.p);
	fprintf(out, "\"broken_runs\":%zu,\"more_places\":%u,\n  \"places\":[", f->verdict.broken,
		f->more);
	for (unsigned int i = 0; i < f->places; i++) {
		fputs(i ? ",\n   " : "\n   ", out);
		write_place(out, &f->place[i], f->condition->is_relative);
	}
	fputs("]}", out);
}

void gate_write_json(FILE *out, const struct gate *g)
{
	fputs("{\"format\":\"memusage-gate\",\"version\":1,", out);
	json_put_field(out, "creator", g->version);
	fprintf(out, "\"broken\":%zu,\"unknown\":%zu,\n\"conditions\":[", gate_count_broken(g),
		gate_count_unknown(g));
	for (size_t i = 0; i < g->count; i++) {
		fputs(i ? ",\n {" : "\n {", out);
		write_finding(out, g, &g->finding[i]);
	}
	fputs("]}\n", out);
}
