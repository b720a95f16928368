/* gate_openmetrics.c -- What a gate found, as figures of OpenMetrics.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/gate/gate_formats.h"

#include <stdlib.h>

#include "formats/base/utf8.h"

/* {condition="heap peak > 64M",unit="bytes"} */
static void put_labels(FILE *out, const struct condition *c)
{
	char *clean = utf8_clean(c->text, "");

	fputs("{condition=\"", out);
	for (const char *at = clean; *at; at++) {
		if (*at == '"' || *at == '\\')
			putc('\\', out);
		putc(*at, out);
	}
	fprintf(out, "\",unit=\"%s\"} ", condition_counts_bytes(c->metric) ? "bytes" : "count");
	free(clean);
}

static void put_title(FILE *out, const char *name, const char *help)
{
	fprintf(out, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name);
}

void gate_write_openmetrics(FILE *out, const struct gate *g)
{
	static const char *const names[] = { "memusage_figure", "memusage_limit",
					     "memusage_broken" };
	static const char *const helps[] = {
		"What a condition is about, the median of all runs.",
		"What it must not exceed.", "1 if it does.",
	};

	for (int k = 0; k < 3; k++) {
		put_title(out, names[k], helps[k]);
		for (size_t i = 0; i < g->count; i++) {
			const struct gate_finding *f = &g->finding[i];

			if (f->why)
				continue;
			fputs(names[k], out);
			put_labels(out, f->condition);
			fprintf(out, "%.15g\n", k == 0 ? f->verdict.new.median :
						k == 1 ? f->verdict.limit :
							 gate_is_broken(f) ? 1.0 : 0.0);
		}
	}
	fputs("# EOF\n", out);
}
