/* leak_checks.c -- The results of leak checks in an image.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/read/leak_checks.h"

#include <stdlib.h>
#include <string.h>

#include "profile/graph/leak_heuristics.h"

/* Takes the losses over. Returns false without memory. */
static bool append_check(struct leak_checks *all, const struct leak_check *c)
{
	struct leak_check *more = reallocarray(all->check, all->count + 1, sizeof(*more));

	if (!more) {
		free(c->loss);
		free(c->earlier);
		free(c->list);
		return false;
	}
	all->check = more;
	all->check[all->count++] = *c;
	return true;
}

static bool is_of_earlier(const struct mu_loss *loss)
{
	return loss->kind >= MU_LOSS_CALLED && loss->kind <= MU_LOSS_FOUND;
}

static bool make_room_for_earlier(struct leak_check *c)
{
	uint64_t count = 0;

	for (uint64_t i = 0; i < c->head.count; i++)
		count += is_of_earlier(&c->loss[i]);
	c->earlier_count = 0;
	c->earlier = count ? calloc(count, sizeof(*c->earlier)) : NULL;
	return c->earlier;
}

static void part_known_losses(struct leak_check *c)
{
	const bool has_earlier = make_room_for_earlier(c);
	uint64_t kept = 0;

	for (uint64_t i = 0; i < c->head.count; i++) {
		if (c->loss[i].kind <= MU_LOSS_DEFINITE &&
		    c->loss[i].heuristic < LEAK_HEURISTICS)
			c->loss[kept++] = c->loss[i];
		else if (has_earlier && is_of_earlier(&c->loss[i]))
			c->earlier[c->earlier_count++] = c->loss[i];
	}
	c->head.count = kept;
}

/* ---- lists ------------------------------------------------------------------------------- */

static uint64_t entry_bytes(uint32_t kind)
{
	return kind == MU_LEAK_LIST_BLOCKS   ? sizeof(struct mu_leak_block) :
	       kind == MU_LEAK_LIST_POINTERS ? sizeof(struct mu_leak_pointer) : UINT64_MAX;
}

/* The entries are within the list, numbers are those of entries, and texts end there. */
static bool is_valid_list(const struct mu_leak_list *l)
{
	const uint64_t room = l->bytes - sizeof(*l);
	const struct mu_leak_block *block = (const void *)(l + 1);
	const struct mu_leak_pointer *pointer = (const void *)(l + 1);
	const char *texts = (const char *)l;

	if (l->count > room / entry_bytes(l->kind))
		return false;
	for (uint64_t i = 0; i < l->count; i++) {
		if (l->kind == MU_LEAK_LIST_BLOCKS ?
			    block[i].group >= l->count || block[i].kind > MU_LOSS_DEFINITE ||
				    block[i].heuristic >= LEAK_HEURISTICS :
			    pointer[i].text >= l->bytes || pointer[i].heuristic >= LEAK_HEURISTICS)
			return false;
	}
	return texts[l->bytes - 1] == '\0';
}

/* Takes a copy over. Returns NULL if it is damaged, or there is no memory. */
static struct mu_leak_list *check_list(struct mu_leak_list *l, uint64_t bytes)
{
	if (l && l->bytes == bytes && is_valid_list(l))
		return l;
	free(l);
	return NULL;
}

static struct mu_leak_list *read_list(const struct image *im, uint64_t offset)
{
	struct mu_leak_list head, *l;

	if (!image_copy(im, offset, &head, sizeof(head)) || head.bytes < sizeof(head) ||
	    head.bytes > im->size || head.bytes % 8 != 0)
		return NULL;
	l = malloc(head.bytes);
	if (l && !image_copy(im, offset, l, head.bytes))
		l->bytes = 0;
	return check_list(l, head.bytes);
}

static struct mu_leak_list *copy_list(const struct mu_leak_list *from)
{
	struct mu_leak_list *l = malloc(from->bytes);

	if (l)
		memcpy(l, from, from->bytes);
	return check_list(l, from->bytes);
}

/* ---- checks ------------------------------------------------------------------------------ */

/* Copies the check at an offset; false if it is not all there. */
static bool read_check(struct leak_check *c, const struct image *im, uint64_t offset)
{
	size_t bytes;

	if (!image_copy(im, offset, &c->head, sizeof(c->head)) ||
	    c->head.count > LEAK_LOSSES_MAX || offset > UINT64_MAX - sizeof(c->head))
		return false;
	bytes = c->head.count * sizeof(*c->loss);
	if (bytes > im->size)
		return false;
	c->loss = calloc(c->head.count + 1, sizeof(*c->loss));
	c->list = NULL;
	if (c->loss && image_copy(im, offset + sizeof(c->head), c->loss, bytes)) {
		if (c->head.flags & MU_LEAK_CHECK_LIST)
			c->list = read_list(im, offset + sizeof(c->head) + bytes);
		part_known_losses(c);
		return true;
	}
	free(c->loss);
	return false;
}

static void reverse_checks(struct leak_checks *all)
{
	for (size_t i = 0; i < all->count / 2; i++) {
		struct leak_check c = all->check[i];

		all->check[i] = all->check[all->count - 1 - i];
		all->check[all->count - 1 - i] = c;
	}
}

/* A check that was made from outside is in our own memory. */
static void append_outside(struct leak_checks *all, const struct mu_leak_check *from)
{
	struct leak_check c = { .head = *from };

	c.loss = calloc(from->count + 1, sizeof(*c.loss));
	if (!c.loss)
		return;
	memcpy(c.loss, from->loss, from->count * sizeof(*c.loss));
	if (from->flags & MU_LEAK_CHECK_LIST)
		c.list = copy_list((const void *)&from->loss[from->count]);
	part_known_losses(&c);
	append_check(all, &c);
}

void leak_checks_read(struct leak_checks *all, const struct image *im)
{
	uint64_t next = im->head.examined.check;
	uint64_t left = im->size; /* a hostile chain may share its bytes */
	struct leak_check c;

	*all = (struct leak_checks){ .count = 0 };
	while (next && all->count < LEAK_CHECKS_MAX && read_check(&c, im, next)) {
		uint64_t bytes = sizeof(c.head) + c.head.count * sizeof(*c.loss) +
				 (c.list ? c.list->bytes : 0);

		if (!append_check(all, &c) || bytes > left)
			break;
		left -= bytes;
		next = c.head.next;
	}
	reverse_checks(all);
	for (unsigned int i = 0; i < IMAGE_OUTSIDE_CHECKS; i++) {
		if (im->outside_check[i])
			append_outside(all, im->outside_check[i]);
	}
}

bool leak_checks_at_end(const struct image *im)
{
	struct leak_checks all;
	bool result;

	leak_checks_read(&all, im);
	result = all.count > 0 && all.check[all.count - 1].head.flags & MU_LEAK_CHECK_AT_END;
	leak_checks_free(&all);
	return result;
}

void leak_checks_free(struct leak_checks *all)
{
	for (size_t i = 0; i < all->count; i++) {
		free(all->check[i].loss);
		free(all->check[i].earlier);
		free(all->check[i].list);
	}
	free(all->check);
	*all = (struct leak_checks){ .count = 0 };
}
