/* labels.c -- the labels of the threads that allocated.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/read/labels.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"

uint64_t labels_copy_raw(const struct image *im, struct mu_labels *to)
{
	const uint64_t at = im->head.labels, fixed = offsetof(struct mu_labels, text);

	memset(to, 0, sizeof(*to));
	if (!at || !image_copy(im, at, to, fixed))
		return 0;
	to->count = to->count < MU_LABELS_MAX ? to->count : MU_LABELS_MAX;
	to->used = to->used < MU_LABELS_TEXT ? to->used : MU_LABELS_TEXT;
	if (!to->count || !image_copy(im, at + fixed, to->text, to->used))
		return 0;
	return fixed + to->used;
}

/* Appends a text with a zero byte. Returns its place. */
static uint32_t append_text(struct labels *l, uint32_t *used, const char *bytes, uint32_t length)
{
	uint32_t at = *used;

	memcpy(l->text + at, bytes, length);
	l->text[at + length] = '\0';
	*used += length + 1;
	return at;
}

/* Adds the sets up to the first one that makes no sense. */
static void add_sets(struct labels *l, const struct mu_labels *raw)
{
	uint32_t used = 0;

	for (uint32_t i = 0; i < raw->count; i++) {
		const struct mu_label *from = &raw->label[i];
		uint64_t length = (uint64_t)from->key_length + from->value_length;

		if (from->parent > i || from->key_length > MU_LABEL_KEY ||
		    from->value_length > MU_LABEL_VALUE || from->text > raw->used ||
		    length > raw->used - from->text)
			return;
		l->set[i] = *from;
		l->key[i] = append_text(l, &used, raw->text + from->text, from->key_length);
		l->value[i] = append_text(l, &used, raw->text + from->text + from->key_length,
					  from->value_length);
		l->count++;
	}
}

void labels_load(struct labels *l, const struct image *im)
{
	struct mu_labels *raw = xmalloc(sizeof(*raw));

	*l = (struct labels){ .count = 0 };
	if (labels_copy_raw(im, raw)) {
		l->set = xcalloc(raw->count, sizeof(*l->set));
		l->key = xcalloc(raw->count, sizeof(*l->key));
		l->value = xcalloc(raw->count, sizeof(*l->value));
		l->text = xcalloc(raw->count, MU_LABEL_KEY + MU_LABEL_VALUE + 2);
		add_sets(l, raw);
	}
	free(raw);
}

void labels_free(struct labels *l)
{
	free(l->set);
	free(l->key);
	free(l->value);
	free(l->text);
	*l = (struct labels){ .count = 0 };
}

uint32_t labels_of_set(const struct labels *l, uint32_t set, struct label label[MU_LABELS_DEPTH])
{
	uint32_t count = 0, i = 0;

	if (set > l->count)
		return 0;
	for (uint32_t at = set; at && count < MU_LABELS_DEPTH; at = l->set[at - 1].parent)
		count++;
	for (uint32_t at = set; i < count; at = l->set[at - 1].parent, i++)
		label[count - 1 - i] = (struct label){ l->text + l->key[at - 1],
						       l->text + l->value[at - 1] };
	return count;
}
