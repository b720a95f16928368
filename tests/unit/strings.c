/* strings.c -- in a pool, the same text has the same number, and different texts never do.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/base/strings.h"

#include "tests/lib/tap.h"

enum { TEXTS = 50000 };

static struct strings pool;

/* Texts of every length up to 40 that begin alike: they differ at their ends. */
static int make(char *text, unsigned i)
{
	return sprintf(text, "%.*s%u", (int)(i % 40), "________________________________________",
		       i);
}

static void test_many(void)
{
	unsigned wrong = 0;
	char text[64];

	for (unsigned round = 0; round < 2; round++) {
		for (unsigned i = 0; i < TEXTS; i++)
			wrong += strings_add(&pool, text, (size_t)make(text, i)) != i + 1;
	}
	EQ_U(wrong, 0);
	EQ_U(pool.count, TEXTS);
	for (unsigned i = 0; i < TEXTS; i++) {
		make(text, i);
		wrong += strcmp(strings_get(&pool, i + 1), text) != 0;
	}
	EQ_U(wrong, 0);
}

static void test_edges(void)
{
	char *large = malloc(1 << 20);
	uint32_t number;

	EQ_U(strings_add(&pool, "", 0), 0);
	EQ_S(strings_get(&pool, 0), "");
	EQ_S(strings_get(&pool, TEXTS + 1), "");
	memset(large, 'x', 1 << 20);
	number = strings_add(&pool, large, (1 << 20) - 1);
	EQ_U(number, TEXTS + 1);
	EQ_U(strings_add(&pool, large, 1 << 20), TEXTS + 2);
	EQ_U(strlen(strings_get(&pool, number)), (1 << 20) - 1);
	/* What lies behind a text is not part of it. */
	EQ_U(strings_add(&pool, "abcdefgh1", 8), strings_add(&pool, "abcdefgh2", 8));
	EQ_U(strings_add(&pool, "abcdefghi", 9), strings_add(&pool, "abcdefghij", 9));
	strings_free(&pool);
	EQ_U(pool.count, 0);
	EQ_U(strings_add(&pool, "a", 1), 1);
	strings_free(&pool);
	free(large);
}

int main(void)
{
	test_many();
	test_edges();
	return done_testing();
}
