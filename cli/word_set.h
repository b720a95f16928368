/* word_set.h -- Options whose value is a set of words: "definite,possible", "all", "none".
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* word_set_parse -- Reads a set of words.
 *
 * text   words, parted by commas; "none" is the only one.
 * words  the known words, ended by NULL, and behind it those that "all" does not mean, ended by
 *        NULL, too; word i is bit i of the set, without counting the first NULL.
 * set    changed only if all words are known.
 * Returns NULL, or why TEXT is wrong, as an option's parser does.
 */
const char *word_set_parse(const char *text, const char *const *words, unsigned int *set);

/* The words of --show-leak-kinds and --errors-for-leak-kinds, and of --leak-check-heuristics. */
extern const char *const word_set_leak_kinds[];
extern const char *const word_set_leak_heuristics[];
