/* page_stacks.h -- the tree of a report page from stacks of texts.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "formats/page/page_foreign.h"

/* page_stacks_init -- for a file with so many different texts. */
void page_stacks_init(struct page_stacks *s, uint32_t texts, bool hides_runtime);

/* page_stacks_place -- the place that a text describes.
 *
 * number  of the text, less than TEXTS: each is taken to pieces once.
 */
uint32_t page_stacks_place(struct page_stacks *s, uint32_t number, const char *text);

/* page_stacks_mark_interpreter -- Flags the functions of interpreters as run-times, if functions of
 * their programs have names; after page_stacks_place() of all texts. */
void page_stacks_mark_interpreter(struct page_stacks *s);

/* page_stacks_add -- Returns the node of a stack, which is added if it is new.
 *
 * place  COUNT places, innermost first.
 * With s->hides_runtime those of run-times are left out; if there are no others, the innermost
 * stays that is no library's, or else the innermost.
 */
uint32_t page_stacks_add(struct page_stacks *s, const uint32_t *place, size_t count);

/* page_stacks_site -- the number of the site whose stack ends at a node. */
uint32_t page_stacks_site(struct page_stacks *s, uint32_t node);

/* page_stacks_free -- release it. */
void page_stacks_free(struct page_stacks *s);
