/* gate_sarif.c -- What a gate found, as a log of SARIF.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/gate/gate_formats.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "formats/json.h"

/* GitHub refuses a result without a file. */
#define NOWHERE "memory"

/* "heap peak" is the rule "heap-peak". */
static void put_rule_id(FILE *out, enum condition_metric metric)
{
	putc('"', out);
	for (const char *at = condition_metric_name(metric); *at; at++)
		putc(*at == ' ' ? '-' : *at, out);
	putc('"', out);
}

static void write_rules(FILE *out)
{
	for (unsigned int i = 0; i < CONDITION_METRICS; i++) {
		fputs(i ? ",\n    {\"id\":" : "\n    {\"id\":", out);
		put_rule_id(out, i);
		fprintf(out, ",\"shortDescription\":{\"text\":\"A limit of memory: %s.\"},\n     "
			"\"fullDescription\":{\"text\":\"The program passes a limit that "
			"memusage --fail-if or --budget gave it: %s.\"},\n     "
			"\"help\":{\"text\":\"The stacks of the result make the difference, the "
			"largest first. man memusage, section Limits, explains the figure.\"}}",
			condition_metric_name(i), condition_metric_name(i));
	}
}

/* A relative reference: what RFC 3986 does not reserve. */
static void put_uri(FILE *out, const char *path)
{
	putc('"', out);
	for (; *path; path++) {
		if (isalnum((unsigned char)*path) || strchr("/-._~", *path))
			putc(*path, out);
		else
			fprintf(out, "%%%02X", (unsigned char)*path);
	}
	putc('"', out);
}

/* "physicalLocation":{..} of a file below the root. */
static void write_physical(FILE *out, const char *file, uint32_t line)
{
	fputs("\"physicalLocation\":{\"artifactLocation\":{\"uri\":", out);
	put_uri(out, file);
	fprintf(out, ",\"uriBaseId\":\"%%SRCROOT%%\"},\"region\":{\"startLine\":%" PRIu32 "}}",
		line ? line : 1);
}

static void write_frame(FILE *out, const struct gate *g, const struct gate_frame *f)
{
	const char *file = gate_file(g, f);

	fputs("{\"location\":{", out);
	if (*file) {
		write_physical(out, file, f->line);
		putc(',', out);
	}
	fputs("\"logicalLocations\":[{", out);
	json_put_field(out, "fullyQualifiedName", f->function);
	fputs("\"kind\":\"function\"}]},\"module\":", out);
	json_put_string(out, f->object);
	putc('}', out);
}

static void write_stacks(FILE *out, const struct gate *g, const struct gate_finding *f)
{
	char amount[GATE_AMOUNT];

	for (unsigned int i = 0; i < f->places; i++) {
		const struct gate_place *p = &f->place[i];

		fprintf(out, "%s{\"message\":{\"text\":\"%s%s\"},\"frames\":[", i ? ",\n     " : "",
			f->condition->is_relative ? "+" : "",
			gate_amount(f->condition, amount, p->new - p->old));
		for (unsigned int k = 0; k < p->frames; k++) {
			fputs(k ? ",\n      " : "\n      ", out);
			write_frame(out, g, &p->frame[k]);
		}
		fputs("]}", out);
	}
}

static void write_result(FILE *out, const struct gate *g, const struct gate_finding *f)
{
	const bool is_error = f->why || gate_is_broken(f);
	const struct gate_frame *at = gate_location(g, f);
	char sentence[GATE_SENTENCE];

	fputs("{\"ruleId\":", out);
	put_rule_id(out, f->condition->metric);
	fprintf(out, ",\"level\":\"%s\",\"kind\":\"%s\",\"message\":{\"text\":",
		is_error ? "error" : "none", is_error ? "fail" : "review");
	json_put_string(out, gate_sentence(g, f, sentence));
	fputs("},\"partialFingerprints\":{\"condition/v1\":", out);
	json_put_string(out, f->condition->text);
	fputs("},\"locations\":[{", out);
	write_physical(out, at ? gate_file(g, at) : NOWHERE, at ? at->line : 1);
	fputs("}]", out);
	if (f->places > 0) {
		fputs(",\n    \"stacks\":[", out);
		write_stacks(out, g, f);
		fputs("]", out);
	}
	putc('}', out);
}

/* A condition that holds is no result: viewers list all as problems. */
void gate_write_sarif(FILE *out, const struct gate *g)
{
	const char *before = "\n   ";

	fputs("{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\","
	      "\"version\":\"2.1.0\",\n \"runs\":[{\"tool\":{\"driver\":{"
	      "\"name\":\"memusage\",", out);
	json_put_field(out, "version", g->version);
	fputs("\"rules\":[", out);
	write_rules(out);
	fputs("]}},\n  \"originalUriBaseIds\":{\"%SRCROOT%\":{\"description\":{\"text\":"
	      "\"The root of the sources.\"}}},\n  \"results\":[", out);
	for (size_t i = 0; i < g->count; i++) {
		if (strcmp(gate_state_name(&g->finding[i]), "holds") == 0)
			continue;
		fputs(before, out);
		write_result(out, g, &g->finding[i]);
		before = ",\n   ";
	}
	fputs("]}]}\n", out);
}
