/* merge_labels.c -- The sets of labels of several processes as one.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/merge/merge_labels.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"

enum { SLOTS = 4 * MU_LABELS_MAX };

/* A set without its parent's labels. */
struct new_set {
	uint32_t parent;
	const char *key, *value;
	size_t key_length, value_length;
};

static uint32_t hash_set(const struct new_set *s)
{
	uint32_t h = 2166136261u ^ s->parent;

	for (size_t i = 0; i <= s->key_length; i++) /* with the zero byte between them */
		h = (h ^ (unsigned char)s->key[i]) * 16777619u;
	for (size_t i = 0; i < s->value_length; i++)
		h = (h ^ (unsigned char)s->value[i]) * 16777619u;
	return h ^ h >> 15;
}

static bool is_same_set(const struct mu_labels *sets, uint32_t number, const struct new_set *s)
{
	const struct mu_label *known = &sets->label[number - 1];
	const char *text = sets->text + known->text;

	return known->parent == s->parent && known->key_length == s->key_length &&
	       known->value_length == s->value_length &&
	       memcmp(text, s->key, s->key_length) == 0 &&
	       memcmp(text + s->key_length, s->value, s->value_length) == 0;
}

/* Returns its number; 0 without room. */
static uint32_t append_set(struct mu_labels *sets, const struct new_set *s)
{
	const size_t length = s->key_length + s->value_length;

	if (sets->count >= MU_LABELS_MAX || length > MU_LABELS_TEXT - sets->used)
		return 0;
	memcpy(sets->text + sets->used, s->key, s->key_length);
	memcpy(sets->text + sets->used + s->key_length, s->value, s->value_length);
	sets->label[sets->count++] = (struct mu_label){
		.parent = s->parent, .text = sets->used, .key_length = (uint16_t)s->key_length,
		.value_length = (uint16_t)s->value_length };
	sets->used += (uint32_t)length;
	return sets->count;
}

/* Returns the set's number; that of its parent if there is no room. */
static uint32_t find_or_append_set(struct merge_labels *l, const struct new_set *s)
{
	uint32_t at = hash_set(s) % SLOTS, number;

	if (!l->sets) {
		l->sets = xcalloc(1, sizeof(*l->sets));
		l->slot = xcalloc(SLOTS, sizeof(*l->slot));
	}
	for (; l->slot[at]; at = (at + 1) % SLOTS) {
		if (is_same_set(l->sets, l->slot[at], s))
			return l->slot[at];
	}
	number = append_set(l->sets, s);
	l->dropped += number == 0;
	l->slot[at] = (uint16_t)number;
	return number ? number : s->parent;
}

uint32_t *merge_labels_add(struct merge_labels *l, const struct labels *from, uint64_t dropped)
{
	uint32_t *number = xcalloc((size_t)from->count + 1, sizeof(*number));

	for (uint32_t i = 0; i < from->count; i++) {
		const char *key = from->text + from->key[i];
		const char *value = from->text + from->value[i];

		number[i + 1] = find_or_append_set(l, &(struct new_set){
			.parent = number[from->set[i].parent], .key = key, .value = value,
			.key_length = strlen(key), .value_length = strlen(value) });
	}
	l->dropped += dropped;
	return number;
}

void merge_labels_free(struct merge_labels *l)
{
	free(l->sets);
	free(l->slot);
	*l = (struct merge_labels){ .dropped = 0 };
}
