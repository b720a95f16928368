/* folded.c -- folded stacks: what flame graphs are made of.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/folded.h"

#include <inttypes.h>
#include <stdlib.h>

#include "formats/base/stacklist.h"
#include "formats/base/utf8.h"

static void write_function_name(FILE *out, const struct profile *p, const struct stackitem *item)
{
	char unknown[256];
	char *name = utf8_clean(stacklist_name(p, item, unknown), ";");

	fputs(name, out);
	free(name);
}

static void write_folded_stack(FILE *out, const struct profile *p, const struct stacklist *list)
{
	if (list->count == 0)
		fputs("[unknown]", out);
	for (size_t i = list->count; i > 0; i--) {
		write_function_name(out, p, &list->item[i - 1]);
		if (i > 1)
			putc(';', out);
	}
}

void folded_write(FILE *out, const struct export *e, const struct weight *weight, bool by_blocks)
{
	const struct profile *p = e->filter->profile;
	struct stacklist list = { .count = 0 };

	for (uint32_t i = 0; i < p->sites.count; i++) {
		struct filtered stack = filter_stack(e->filter, p->sites.site[i].stack);
		int64_t worth = by_blocks ? weight[i].blocks : weight[i].bytes;

		if (stack.is_ignored || !weight[i].is_there || worth <= 0)
			continue;
		stacklist_set(&list, p, &stack);
		write_folded_stack(out, p, &list);
		fprintf(out, " %" PRId64 "\n", worth);
	}
	stacklist_free(&list);
}
