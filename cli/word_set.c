/* word_set.c -- Options whose value is a set of words: "definite,possible", "all", "none".
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cli/word_set.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"

const char *const word_set_leak_kinds[] = { "reachable", "possible", "indirect", "definite", NULL,
					    NULL };
const char *const word_set_leak_heuristics[] = { "stdstring", "length64", "newarray",
						 "multipleinheritance", NULL, "header", NULL };

static unsigned int whole_set(const char *const *words)
{
	unsigned int set = 0;

	for (unsigned int i = 0; words[i]; i++)
		set |= 1u << i;
	return set;
}

static unsigned int count_of_all(const char *const *words)
{
	unsigned int count = 0;

	while (words[count])
		count++;
	return count;
}

/* Returns the word of a bit, NULL behind the last one. */
static const char *word_of_bit(const char *const *words, unsigned int bit)
{
	return words[bit < count_of_all(words) ? bit : bit + 1];
}

static bool is_word(const char *text, size_t length, const char *word)
{
	return strlen(word) == length && memcmp(word, text, length) == 0;
}

static bool add_word(const char *text, size_t length, const char *const *words, unsigned int *set)
{
	const char *word;

	if (is_word(text, length, "all")) {
		*set |= whole_set(words);
		return true;
	}
	for (unsigned int i = 0; (word = word_of_bit(words, i)) != NULL; i++) {
		if (is_word(text, length, word)) {
			*set |= 1u << i;
			return true;
		}
	}
	return false;
}

static const char *list_words(const char *const *words)
{
	char *text = xstrdup("is none of all, none, or a list of ");
	const char *word;

	for (unsigned int i = 0; (word = word_of_bit(words, i)) != NULL; i++) {
		char *longer = xasprintf("%s%s%s", text, i ? ", " : "", word);

		free(text);
		text = longer;
	}
	return text;
}

const char *word_set_parse(const char *text, const char *const *words, unsigned int *set)
{
	unsigned int found = 0;

	if (strcmp(text, "none") == 0) {
		*set = 0;
		return NULL;
	}
	for (const char *at = text;; at++) {
		size_t length = strcspn(at, ",");

		if (!add_word(at, length, words, &found))
			return list_words(words);
		at += length;
		if (!*at)
			break;
	}
	*set = found;
	return NULL;
}
