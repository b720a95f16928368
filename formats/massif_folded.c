/* massif_folded.c -- the stacks of a massif.out as folded stacks, for flame graphs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/massif_convert.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cli/xmalloc.h"

enum { NAME_BYTES = 1 << 16 };

struct folded_writer {
	FILE *out;
	const struct massif_file *m;
	char *name; /* room for NAME_BYTES */
};

/* ';' ends a function, a line its stack. */
static void write_function_name(FILE *out, const char *name)
{
	for (; *name; name++) {
		unsigned char c = (unsigned char)*name;

		putc(c == ';' ? '_' : c < ' ' ? '?' : c, out);
	}
}

static void write_folded_stack(void *data, const struct massif_node *const *path, size_t count,
			       uint64_t bytes)
{
	struct folded_writer *w = data;
	if (count == 0)
		fputs("[unknown]", w->out);
	for (size_t i = count; i > 0; i--) {
		struct massif_place place = massif_place(massif_text(w->m, path[i - 1]));

		write_function_name(w->out, massif_place_name(&place, w->name, NAME_BYTES));
		if (i > 1)
			putc(';', w->out);
	}
	fprintf(w->out, " %" PRIu64 "\n", bytes);
}

void massif_to_folded(FILE *out, const struct massif_file *m, const struct massif_snapshot *s)
{
	struct folded_writer w = { .out = out, .m = m, .name = xmalloc(NAME_BYTES) };

	massif_stacks(m, s, write_folded_stack, &w);
	free(w.name);
}
