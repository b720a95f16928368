/* labels.c -- labels that the program gives to what a thread allocates.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/requests/labels.h"

#include <string.h>

#include "libmemusage/base/hash.h"
#include "libmemusage/base/locks.h"
#include "libmemusage/base/spin.h"
#include "libmemusage/image/arena.h"
#include "libmemusage/unwind/walk.h"
#include "recording/labels.h"

#define INDEX_LOG2 11 /* twice as many places as sets */

/* Kept back for sets with MU_LABEL_MORE, and for their texts. */
#define SETS_KEPT 128u
#define TEXT_KEPT 8192u

/* Bytes of the program, or of the image. */
struct text {
	const char *bytes;
	uint32_t length;
};

struct pair {
	struct text key, value;
};

/* Numbers of sets by hash, 0: unused. Under locks.labels. */
static uint16_t set_at[1u << INDEX_LOG2];

static struct text measure_text(const char *bytes, uint32_t most)
{
	struct text text = { bytes, 0 };

	while (bytes && text.length < most && bytes[text.length])
		text.length++;
	return text;
}

static bool is_same_text(const struct text *a, const struct text *b)
{
	return a->length == b->length && !memcmp(a->bytes, b->bytes, a->length);
}

static uint64_t hash_text(uint64_t hash, const struct text *text)
{
	for (uint32_t i = 0; i < text->length; i++)
		hash = (hash ^ (uint8_t)text->bytes[i]) * UINT64_C(0x100000001B3);
	return hash ^ text->length;
}

static void count_dropped_label(void)
{
	__atomic_fetch_add(&rec.image->labels_dropped, 1, __ATOMIC_RELAXED);
}

static struct mu_labels *labels_of_image(void)
{
	if (!rec.image->labels) {
		uint64_t offset = arena_alloc(sizeof(struct mu_labels), 8);

		__atomic_store_n(&rec.image->labels, offset, __ATOMIC_RELEASE);
	}
	return rec.image->labels ? arena_at(rec.image->labels) : NULL;
}

static struct pair pair_of_set(const struct mu_labels *of, uint32_t set)
{
	const struct mu_label *label = &of->label[set - 1];
	const char *text = of->text + label->text;

	return (struct pair){ { text, label->key_length },
			      { text + label->key_length, label->value_length } };
}

/* Appends a set, if that leaves so many sets and bytes of text unused. Returns 0 if not. */
static uint32_t append_set(struct mu_labels *of, uint32_t parent, const struct pair *pair,
			   uint32_t sets_kept, uint32_t text_kept)
{
	uint32_t length = pair->key.length + pair->value.length;
	char *text = of->text + of->used;

	if (of->count + sets_kept >= MU_LABELS_MAX ||
	    of->used + length + text_kept > MU_LABELS_TEXT)
		return 0;
	memcpy(text, pair->key.bytes, pair->key.length);
	memcpy(text + pair->key.length, pair->value.bytes, pair->value.length);
	of->label[of->count] = (struct mu_label){ .parent = parent,
						  .text = of->used,
						  .key_length = (uint16_t)pair->key.length,
						  .value_length = (uint16_t)pair->value.length };
	of->used += length;
	__atomic_store_n(&of->count, of->count + 1, __ATOMIC_RELEASE);
	return of->count;
}

/* Returns the set that has one label more than its parent, 0 if it is neither known nor to be
 * added. */
static uint32_t find_or_append_set(struct mu_labels *of, uint32_t parent, const struct pair *pair,
				   uint32_t sets_kept, uint32_t text_kept)
{
	uint64_t hash = hash_text(hash_text(parent + 1, &pair->key), &pair->value);
	uint64_t i = hash_spread(hash) >> (64 - INDEX_LOG2);

	for (uint32_t set; (set = set_at[i]); i = (i + 1) % (1u << INDEX_LOG2)) {
		struct pair known = pair_of_set(of, set);

		if (of->label[set - 1].parent == parent && is_same_text(&known.key, &pair->key) &&
		    is_same_text(&known.value, &pair->value))
			return set;
	}
	uint32_t added = append_set(of, parent, pair, sets_kept, text_kept);
	set_at[i] = (uint16_t)added;
	return added;
}

/* As find_or_append_set(). Without room the label gets another value, or is left out. */
static uint32_t set_with_label(struct mu_labels *of, uint32_t parent, const struct pair *pair)
{
	const struct pair more = { pair->key, { MU_LABEL_MORE, sizeof(MU_LABEL_MORE) - 1 } };
	uint32_t set = find_or_append_set(of, parent, pair, SETS_KEPT, TEXT_KEPT);

	if (set)
		return set;
	count_dropped_label();
	set = find_or_append_set(of, parent, &more, 0, 0);
	return set ? set : parent;
}

static int compare_text(const struct text *a, const struct text *b)
{
	uint32_t shorter = a->length < b->length ? a->length : b->length;
	int difference = memcmp(a->bytes, b->bytes, shorter);

	return difference ? difference : (a->length > b->length) - (a->length < b->length);
}

/* Lists the labels of a set, ascending by key, the order in which the tree has them.
 * Returns how many. */
static unsigned int list_labels(const struct mu_labels *of, uint32_t set,
				struct pair pair[MU_LABELS_DEPTH])
{
	unsigned int count = 0, i = 0;

	for (uint32_t at = set; at && count < MU_LABELS_DEPTH; at = of->label[at - 1].parent)
		count++;
	for (uint32_t at = set; at && i < count; at = of->label[at - 1].parent, i++)
		pair[count - 1 - i] = pair_of_set(of, at);
	return count;
}

/* Under the lock. */
static uint32_t change_set(struct mu_labels *of, uint32_t set, const struct pair *change)
{
	struct pair pair[MU_LABELS_DEPTH];
	unsigned int count = list_labels(of, set, pair), i = 0, known = 0;
	uint32_t result = 0;

	for (i = 0; i < count; i++)
		known += is_same_text(&pair[i].key, &change->key);
	if (change->value.length && !known && count == MU_LABELS_DEPTH) {
		count_dropped_label();
		return set;
	}
	for (i = 0; i < count && compare_text(&pair[i].key, &change->key) < 0; i++)
		result = set_with_label(of, result, &pair[i]);
	if (change->value.length)
		result = set_with_label(of, result, change);
	for (i += known; i < count; i++)
		result = set_with_label(of, result, &pair[i]);
	return result;
}

static void give_to_thread(struct thread *thread, uint32_t set)
{
	thread->label = set;
	if (thread->walk) {
		thread->walk->label = set;
		walk_renew_key(thread->walk);
	}
}

bool labels_set(struct thread *thread, const char *key, const char *value)
{
	const struct pair change = { measure_text(key, MU_LABEL_KEY),
				     measure_text(value, MU_LABEL_VALUE) };

	if (!change.key.length)
		return false;
	if (!recorder_keeps_sites() || (!change.value.length && !thread->label))
		return true;
	if (!spin_lock(&locks.labels)) {
		count_dropped_label();
		return true;
	}
	struct mu_labels *of = labels_of_image();
	if (of)
		give_to_thread(thread, change_set(of, thread->label, &change));
	else
		count_dropped_label();
	spin_unlock(&locks.labels);
	return true;
}

void labels_init(void)
{
	memset(set_at, 0, sizeof(set_at));
}
