/* condition.c -- Parsing a condition reads no further than its text, and what it accepts can be
 * parsed again to the same.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "profile/budget/condition.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_same(const struct condition *a, const struct condition *b)
{
	return strcmp(a->text, b->text) == 0 && a->metric == b->metric && a->scope == b->scope &&
	       strcmp(a->name, b->name) == 0 && a->limit == b->limit &&
	       a->is_relative == b->is_relative && a->is_percent == b->is_percent &&
	       a->or_equal == b->or_equal;
}

/* glibc needs exponential memory for "j++++++". A condition is the user's own, and is believed. */
static bool is_costly(const char *text)
{
	int repetitions = 0;

	for (; *text; text++)
		repetitions += strchr("+*?{", *text) != NULL;
	return repetitions > 2;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct condition first, second;
	struct mu_error err = { .offset = 0 };

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (is_costly(text)) {
		free(text);
		return 0;
	}
	if (condition_parse(&first, text, &err) < 0) {
		if (err.offset > strlen(text))
			abort();
	} else if (condition_parse(&second, first.text, NULL) < 0 || !is_same(&first, &second) ||
		   first.limit < 0) {
		abort();
	}
	free(text);
	return 0;
}
