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
		return false;
	}
	all->check = more;
	all->check[all->count++] = *c;
	return true;
}

static void keep_known_losses(struct leak_check *c)
{
	uint64_t kept = 0;

	for (uint64_t i = 0; i < c->head.count; i++) {
		if (c->loss[i].kind <= MU_LOSS_DEFINITE &&
		    c->loss[i].heuristic < LEAK_HEURISTICS)
			c->loss[kept++] = c->loss[i];
	}
	c->head.count = kept;
}

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
	if (c->loss && image_copy(im, offset + sizeof(c->head), c->loss, bytes)) {
		keep_known_losses(c);
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
	keep_known_losses(&c);
	append_check(all, &c);
}

void leak_checks_read(struct leak_checks *all, const struct image *im)
{
	uint64_t next = im->head.examined.check;
	uint64_t left = im->size; /* a hostile chain may share its bytes */
	struct leak_check c;

	*all = (struct leak_checks){ .count = 0 };
	while (next && all->count < LEAK_CHECKS_MAX && read_check(&c, im, next)) {
		uint64_t bytes = sizeof(c.head) + c.head.count * sizeof(*c.loss);

		if (!append_check(all, &c) || bytes > left)
			break;
		left -= bytes;
		next = c.head.next;
	}
	reverse_checks(all);
	if (im->leak_check_before)
		append_outside(all, im->leak_check_before);
	if (im->leak_check)
		append_outside(all, im->leak_check);
}

void leak_checks_free(struct leak_checks *all)
{
	for (size_t i = 0; i < all->count; i++)
		free(all->check[i].loss);
	free(all->check);
	*all = (struct leak_checks){ .count = 0 };
}
