/* gate_gitlab.c -- What a gate found, as GitLab's report of code quality.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/gate/gate_formats.h"

#include <inttypes.h>
#include <string.h>

#include "formats/json.h"

/* GitLab compares fingerprints of two branches: figures are not part of it, the condition is. */
static uint64_t fingerprint(const char *text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return hash;
}

static void write_location(FILE *out, const struct gate *g, const struct gate_finding *f)
{
	const struct gate_frame *at = gate_location(g, f);

	fputs("\"location\":{\"path\":", out);
	json_put_string(out, at ? gate_file(g, at) : "memory");
	fprintf(out, ",\"lines\":{\"begin\":%" PRIu32 "}}", at && at->line ? at->line : 1);
}

void gate_write_gitlab(FILE *out, const struct gate *g)
{
	const char *before = "\n ";
	char sentence[GATE_SENTENCE];

	putc('[', out);
	for (size_t i = 0; i < g->count; i++) {
		const struct gate_finding *f = &g->finding[i];

		if (strcmp(gate_state_name(f), "holds") == 0)
			continue;
		fprintf(out, "%s{", before);
		json_put_field(out, "description", gate_sentence(g, f, sentence));
		json_put_field(out, "check_name", condition_metric_name(f->condition->metric));
		fprintf(out, "\"fingerprint\":\"%016" PRIx64 "\",\"severity\":\"%s\",\n  ",
			fingerprint(f->condition->text), gate_is_broken(f) ? "major" : "info");
		write_location(out, g, f);
		putc('}', out);
		before = ",\n ";
	}
	fputs("]\n", out);
}
