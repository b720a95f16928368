/* word_set.c -- Options whose value is a set of words: "definite,possible", "all", "none".
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cli/word_set.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"

const char *const word_set_leak_kinds[] = { "reachable", "possible", "indirect", "definite", NULL };
const char *const word_set_leak_heuristics[] = { "stdstring", "length64", "newarray",
						 "multipleinheritance", NULL };

static unsigned int whole_set(const char *const *words)
{
	unsigned int set = 0;

	for (unsigned int i = 0; words[i]; i++)
		set |= 1u << i;
	return set;
}

static bool add_word(const char *text, size_t length, const char *const *words, unsigned int *set)
{
	for (unsigned int i = 0; words[i]; i++) {
		if (strlen(words[i]) == length && memcmp(words[i], text, length) == 0) {
			*set |= 1u << i;
			return true;
		}
	}
	return false;
}

static const char *list_words(const char *const *words)
{
	char *text = xstrdup("is none of all, none, or a list of ");

	for (unsigned int i = 0; words[i]; i++) {
		char *longer = xasprintf("%s%s%s", text, i ? ", " : "", words[i]);

		free(text);
		text = longer;
	}
	return text;
}

const char *word_set_parse(const char *text, const char *const *words, unsigned int *set)
{
	unsigned int found = 0;

	if (strcmp(text, "all") == 0 || strcmp(text, "none") == 0) {
		*set = strcmp(text, "all") == 0 ? whole_set(words) : 0;
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
