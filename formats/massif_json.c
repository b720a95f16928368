/* massif_json.c -- a massif.out as JSON.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/massif_convert.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "formats/json.h"

/* The nodes stand in preorder: after each, as many trees end as the depth falls. */
static void write_node_tree(FILE *out, const struct massif_file *m, const struct massif_snapshot *s)
{
	const struct massif_node *tree = massif_tree(m, s);

	for (uint32_t i = 0; i < s->node_count; i++) {
		const char *text = massif_text(m, &tree[i]);
		uint32_t next = i + 1 < s->node_count ? tree[i + 1].depth : 0;

		fprintf(out, "\n  {\"bytes\":%" PRIu64 ",", tree[i].bytes);
		json_put_field(out, "text", text + strspn(text, " \t"));
		fputs("\"children\":[", out);
		for (uint32_t depth = tree[i].depth + 1; depth > next; depth--)
			fputs("]}", out);
		if (next > 0 && next <= tree[i].depth)
			putc(',', out);
	}
}

static void write_snapshot(FILE *out, const struct massif_file *m, const struct massif_snapshot *s)
{
	static const char *const kinds[] = {
		[MASSIF_PLAIN] = "plain", [MASSIF_DETAILED] = "detailed", [MASSIF_PEAK] = "peak",
	};

	fprintf(out,
		"\n {\"number\":%" PRIu64 ",\"time\":%" PRIu64 ",\"heap\":%" PRIu64
		",\"extra\":%" PRIu64 ",\"stacks\":%" PRIu64 ",\"kind\":\"%s\"",
		s->number, s->time, s->heap, s->extra, s->stacks, kinds[s->kind]);
	if (s->node_count > 0) {
		fputs(",\"tree\":", out);
		write_node_tree(out, m, s);
	}
	putc('}', out);
}

/* Without the blank before it and the end of its last line. */
static void write_desc_array(FILE *out, const char *desc)
{
	size_t length = strlen(desc);
	char *copy = xstrndup(desc, length > 0 ? length - 1 : 0);

	json_put_field(out, "desc", copy + strspn(copy, " \t"));
	free(copy);
}

void massif_to_json(FILE *out, const struct massif_file *m)
{
	fputs("{\"format\":\"massif\",\"version\":1,", out);
	write_desc_array(out, m->desc);
	json_put_field(out, "command", m->cmd);
	json_put_field(out, "time_unit", massif_unit_name(m->unit));
	fputs("\"snapshots\":[", out);
	for (size_t i = 0; i < m->count; i++) {
		if (i > 0)
			putc(',', out);
		write_snapshot(out, m, &m->snapshots[i]);
	}
	fputs("]}\n", out);
}
