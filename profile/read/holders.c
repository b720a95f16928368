/* holders.c -- What held the live blocks of a process, in a recording.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/read/holders.h"

#include <stdlib.h>
#include <string.h>

/* ---- tables ----------------------------------------------------------------------------- */

/* Places the tables behind the header. Counts have 32 bits, so no sum overflows. */
static bool find_tables(struct holders *h)
{
	const struct mu_holders *head = h->head;
	const uint64_t roots = head->roots * (uint64_t)sizeof(*h->root);
	const uint64_t retained = head->retained * (uint64_t)sizeof(*h->retained);
	const uint64_t via = head->via * (uint64_t)sizeof(*h->via);
	const uint64_t types = head->types * (uint64_t)sizeof(*h->type);
	const uint64_t sets = head->sets * (uint64_t)sizeof(*h->set);
	const uint64_t links = head->links * (uint64_t)sizeof(*h->link);
	const uint64_t tables = sizeof(*head) + roots + retained + via + types + sets + links;
	const uint8_t *at = (const uint8_t *)(head + 1);

	if (head->bytes < tables || head->text != head->bytes - tables || head->text == 0)
		return false;
	h->root = (const struct mu_holder_root *)at;
	h->retained = (const struct mu_holder_node *)(at + roots);
	h->via = (const struct mu_holder_node *)(at + roots + retained);
	h->type = (const struct mu_holder_type *)(at + roots + retained + via);
	h->set = (const struct mu_holder_set *)(at + roots + retained + via + types);
	h->link = (const struct mu_holder_link *)(at + roots + retained + via + types + sets);
	h->text = (const char *)(at + roots + retained + via + types + sets + links);
	return h->text[0] == '\0' && h->text[head->text - 1] == '\0';
}

static bool are_roots_sound(const struct holders *h)
{
	for (uint32_t i = 0; i < h->head->roots; i++) {
		const struct mu_holder_root *r = &h->root[i];

		if (r->kind >= MU_HOLDER_ROOT_KINDS || r->name >= h->head->text ||
		    r->object >= h->head->text)
			return false;
	}
	for (uint32_t i = 0; i < h->head->types; i++) {
		if (h->type[i].name >= h->head->text ||
		    (i > 0 && h->type[i].site <= h->type[i - 1].site))
			return false;
	}
	return true;
}

static bool are_sets_sound(const struct holders *h)
{
	for (uint32_t i = 0; i < h->head->sets; i++) {
		const struct mu_holder_set *s = &h->set[i];

		if (s->count == 0 || s->count > MU_HOLDER_SET_MOST + 1)
			return false;
		for (uint32_t k = 0; s->count <= MU_HOLDER_SET_MOST && k < s->count; k++) {
			if (s->root[k] >= h->head->roots)
				return false;
		}
	}
	return true;
}

static bool are_links_sound(const struct holders *h)
{
	for (uint32_t i = 0; i < h->head->links; i++) {
		const struct mu_holder_link *l = &h->link[i];

		if (l->kind != MU_HOLDER_SITE &&
		    (l->kind != MU_HOLDER_ROOT || l->from >= h->head->roots))
			return false;
	}
	return true;
}

static bool is_node_sound(const struct holders *h, const struct mu_holder_node *node, uint32_t i)
{
	const struct mu_holder_node *n = &node[i];

	if (i == 0 || n->parent >= i || node[n->parent].kind == MU_HOLDER_REST)
		return i == 0 && n->kind == MU_HOLDER_ALL;
	switch (n->kind) {
	case MU_HOLDER_ROOT:
		return n->parent == 0 && n->what < h->head->roots;
	case MU_HOLDER_SET:
		return n->parent == 0 && n->what < h->head->sets;
	case MU_HOLDER_SITE:
		return n->parent > 0;
	default:
		return n->kind == MU_HOLDER_REST;
	}
}

static bool is_tree_sound(const struct holders *h, const struct mu_holder_node *node,
			  uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (!is_node_sound(h, node, i))
			return false;
	}
	return count > 0 && count <= 2 * MU_HOLDER_NODES_MOST;
}

static bool are_tables_sound(struct holders *h)
{
	return find_tables(h) && are_roots_sound(h) && are_sets_sound(h) && are_links_sound(h) &&
	       is_tree_sound(h, h->retained, h->head->retained) &&
	       is_tree_sound(h, h->via, h->head->via);
}

/* ---- moments ---------------------------------------------------------------------------- */

/* Takes H->head over. Returns false without memory. */
static bool append_moment(struct holder_moments *m, struct holders *h)
{
	struct holders *more;

	if (!are_tables_sound(h)) {
		free(h->head);
		return true;
	}
	more = reallocarray(m->at, m->count + (size_t)1, sizeof(*more));
	if (!more) {
		free(h->head);
		return false;
	}
	m->at = more;
	m->at[m->count++] = *h;
	return true;
}

/* Copies all bytes at an offset. Returns NULL if they are not there. */
static struct mu_holders *copy_moment(const struct image *im, uint64_t offset)
{
	struct mu_holders head, *all;

	if (!image_copy(im, offset, &head, sizeof(head)) || head.bytes < sizeof(head) ||
	    head.bytes > im->size)
		return NULL;
	all = malloc(head.bytes);
	if (all && image_copy(im, offset, all, head.bytes) && all->bytes == head.bytes)
		return all;
	free(all);
	return NULL;
}

/* A moment that was examined from outside is in our own memory. */
static void append_outside(struct holder_moments *m, const struct mu_holders *from)
{
	struct holders h = { .head = malloc(from->bytes) };

	if (!h.head)
		return;
	memcpy(h.head, from, from->bytes);
	append_moment(m, &h);
}

static int compare_times(const void *a, const void *b)
{
	const uint64_t x = ((const struct holders *)a)->head->mono_ns;
	const uint64_t y = ((const struct holders *)b)->head->mono_ns;

	return x < y ? -1 : x > y;
}

void holder_moments_read(struct holder_moments *m, const struct image *im)
{
	uint64_t next = im->head.holders;
	uint64_t left = im->size; /* a hostile chain may share its bytes */

	*m = (struct holder_moments){ .count = 0 };
	for (unsigned int i = 0; next && i < HOLDERS_MAX; i++) {
		struct holders h = { .head = copy_moment(im, next) };

		if (!h.head)
			break;
		next = h.head->bytes <= left ? h.head->next : 0;
		left -= next ? h.head->bytes : left;
		if (!append_moment(m, &h))
			break;
	}
	for (uint32_t i = 0; i < im->holder_count; i++)
		append_outside(m, im->holders[i]);
	if (m->count > 0)
		qsort(m->at, m->count, sizeof(*m->at), compare_times);
}

void holder_moments_free(struct holder_moments *m)
{
	for (uint32_t i = 0; i < m->count; i++)
		free(m->at[i].head);
	free(m->at);
	*m = (struct holder_moments){ .count = 0 };
}

/* ---- one moment ------------------------------------------------------------------------- */

const char *holders_text(const struct holders *h, uint32_t offset)
{
	return offset < h->head->text ? h->text + offset : "";
}

const char *holders_type(const struct holders *h, uint32_t site)
{
	uint32_t low = 0, high = h->head->types;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (h->type[middle].site < site)
			low = middle + 1;
		else
			high = middle;
	}
	return low < h->head->types && h->type[low].site == site ?
		       holders_text(h, h->type[low].name) : "";
}

void holders_sum(const struct mu_holder_node *node, uint32_t count, uint64_t *bytes,
		 uint64_t *blocks)
{
	for (uint32_t i = 0; i < count; i++) {
		bytes[i] = node[i].bytes;
		blocks[i] = node[i].blocks;
	}
	for (uint32_t i = count; i-- > 1;) {
		bytes[node[i].parent] += bytes[i];
		blocks[node[i].parent] += blocks[i];
	}
}
