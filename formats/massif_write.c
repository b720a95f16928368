/* massif_write.c -- massif.out: write.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/massif.h"

#include <inttypes.h>
#include <string.h>

/* Up to LENGTH bytes of a text; a control character would end the line, or a field of it. */
static void write_clean_text(FILE *out, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)text[i];

		putc(c < ' ' && c != '\t' ? ' ' : c, out);
	}
}

static void write_clean_line(FILE *out, const char *text, size_t length)
{
	write_clean_text(out, text, length);
	putc('\n', out);
}

void massif_write_header(FILE *out, const char *desc, const char *cmd, enum massif_unit unit)
{
	while (*desc) {
		size_t length = strcspn(desc, "\n");

		fputs("desc:", out);
		write_clean_line(out, desc, length);
		desc += length + (desc[length] == '\n');
	}
	fputs("cmd: ", out);
	write_clean_line(out, cmd, strlen(cmd));
	fprintf(out, "time_unit: %s\n", massif_unit_name(unit));
}

void massif_write_snapshot(FILE *out, const struct massif_snapshot *s)
{
	static const char *const kinds[] = {
		[MASSIF_PLAIN] = "empty", [MASSIF_DETAILED] = "detailed", [MASSIF_PEAK] = "peak",
	};

	fprintf(out,
		"#-----------\n"
		"snapshot=%" PRIu64 "\n"
		"#-----------\n"
		"time=%" PRIu64 "\n"
		"mem_heap_B=%" PRIu64 "\n"
		"mem_heap_extra_B=%" PRIu64 "\n"
		"mem_stacks_B=%" PRIu64 "\n"
		"heap_tree=%s\n",
		s->number, s->time, s->heap, s->extra, s->stacks, kinds[s->kind]);
}

void massif_write_node(FILE *out, const struct massif_node *node, const char *text)
{
	fprintf(out, "%*sn%" PRIu32 ": %" PRIu64, (int)node->depth, "", node->children,
		node->bytes);
	write_clean_line(out, text, strlen(text));
}

void massif_write(FILE *out, const struct massif_file *m)
{
	massif_write_header(out, m->desc, m->cmd, m->unit);
	for (size_t i = 0; i < m->count; i++) {
		const struct massif_snapshot *s = &m->snapshots[i];
		const struct massif_node *node = massif_tree(m, s);

		massif_write_snapshot(out, s);
		for (uint32_t k = 0; k < s->node_count; k++)
			massif_write_node(out, &node[k], massif_text(m, &node[k]));
	}
}
