/* root_text.h -- What holds blocks, in words: variables, stacks, mappings, and sets of them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "profile/model/holder_groups.h"

/* One moment with its names. */
struct root_words {
	const struct holders *h;
	const struct holder_names *names;
	uint32_t moment; /* its number in NAMES */
	uint32_t pid;	 /* of the process, which is the number of its main thread */
	const struct holder_groups *groups;
};

/* root_text -- Returns the words for a root: "cache in libfoo.so", "the stack of thread 4711".
 *
 * root  < w->h->head->roots. The first one of a group is "the stacks of 1,000 threads".
 * The caller frees the text. Names are those of the program and may have any characters.
 */
char *root_text(const struct root_words *w, uint32_t root);

/* root_text_of_set -- Returns the words for a set of roots: "each of: cache in a.out; ...".
 *
 * set  < w->h->head->sets.
 * The caller frees the text.
 */
char *root_text_of_set(const struct root_words *w, uint32_t set);

/* root_text_of_group -- Returns the words for a root of a group without what changes from one
 * moment to the next, such as the number of threads.
 *
 * Returns NULL if the root is in no group. The caller frees the text.
 */
char *root_text_of_group(const struct root_words *w, uint32_t root);
