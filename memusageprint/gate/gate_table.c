/* gate_table.c -- The figures of several runs: least, median, most, and what they depend on.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/gate/gate_table.h"

#include "cli/layout.h"
#include "cli/xmalloc.h"
#include "formats/gate/gate.h"

static const enum condition_metric shown[] = {
	CONDITION_HEAP_PEAK, CONDITION_HEAP_END,  CONDITION_HEAP_TOTAL, CONDITION_BLOCKS_PEAK,
	CONDITION_CALLS,     CONDITION_TEMPORARY, CONDITION_STACK_PEAK, CONDITION_RSS_PEAK,
};

enum { SHOWN = sizeof(shown) / sizeof(*shown) };

/* Returns list->count if there is none. */
static size_t find_metric(const struct condition_list *list, enum condition_metric metric)
{
	size_t i = 0;

	while (i < list->count && (list->item[i].metric != metric ||
				   list->item[i].scope != CONDITION_ALL))
		i++;
	return i;
}

void gate_table_add(struct condition_list *list)
{
	for (size_t i = 0; i < SHOWN; i++) {
		if (find_metric(list, shown[i]) < list->count)
			continue;
		list->item = xreallocarray(list->item, list->count + 1, sizeof(*list->item));
		list->item[list->count++] = (struct condition){ .metric = shown[i] };
	}
}

void gate_table_print(FILE *out, const struct condition_list *list,
		      const struct figure_spread *spread)
{
	fprintf(out, "\n" LAYOUT_TITLE "%12s %12s %12s  " LAYOUT_TEXT "of %zu runs\n", "least",
		"median", "most", spread[find_metric(list, CONDITION_HEAP_PEAK)].runs);
	for (size_t i = 0; i < SHOWN; i++) {
		const size_t at = find_metric(list, shown[i]);
		const struct condition *c = &list->item[at];
		const struct figure_spread *s = &spread[at];
		char least[GATE_AMOUNT], median[GATE_AMOUNT], most[GATE_AMOUNT];

		if (s->runs > 0)
			fprintf(out, "%12s %12s %12s  " LAYOUT_TEXT "%s: %s\n",
				gate_amount(c, least, s->least), gate_amount(c, median, s->median),
				gate_amount(c, most, s->most), condition_metric_name(c->metric),
				verdict_class_text(s->class));
	}
}
