/* names_file.c -- The bytes of a file of the names cache: what is known of addresses of a module.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/names/names_file.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "profile/base/array.h"
#include "profile/base/crc32.h"

static const char magic[8] = "MUNAMES";

struct names_head {
	char magic[8];
	uint32_t format;
	uint32_t crc;		/* of all bytes behind it */
	uint32_t entry_count;
	uint32_t level_count;
	uint32_t text_size;
	uint32_t reserved;
	struct names_key key;
};

enum { CRC_END = offsetof(struct names_head, entry_count) };

/* ---- reading ------------------------------------------------------------------------------- */

bool names_file_parse(struct names_file *f, const void *data, size_t size,
		      const struct names_key *key)
{
	const struct names_head *head = data;
	const char *at = (const char *)data + sizeof(*head);
	uint64_t entries, levels;

	*f = (struct names_file){ .entry_count = 0 };
	if (size < sizeof(*head) || memcmp(head->magic, magic, sizeof(magic)) != 0 ||
	    head->format != MU_NAMES_FORMAT || memcmp(&head->key, key, sizeof(*key)) != 0)
		return false;
	entries = (uint64_t)head->entry_count * sizeof(struct names_entry);
	levels = (uint64_t)head->level_count * sizeof(struct names_level);
	/* Each is below 2^37, so that the sum cannot wrap. The last byte ends every text. */
	if (sizeof(*head) + entries + levels + head->text_size != size || head->text_size == 0 ||
	    ((const char *)data)[size - 1] != '\0')
		return false;
	*f = (struct names_file){ .entry = (const void *)at,
				  .level = (const void *)(at + entries),
				  .text = at + entries + levels,
				  .entry_count = head->entry_count,
				  .level_count = head->level_count,
				  .text_size = head->text_size };
	return true;
}

bool names_file_is_whole(const void *data, size_t size)
{
	const struct names_head *head = data;

	return size >= sizeof(*head) &&
	       head->crc == crc32_add(0, (const char *)data + CRC_END, size - CRC_END);
}

const struct names_entry *names_file_find(const struct names_file *f, uint64_t address)
{
	size_t i = array_first_from(f->entry, f->entry_count, sizeof(*f->entry),
				    offsetof(struct names_entry, address), address);

	return i < f->entry_count && f->entry[i].address == address ? &f->entry[i] : NULL;
}

/* The text at an offset. Sets IS_BAD if there is none. */
static const char *text_at_offset(const struct names_file *f, uint32_t offset, bool *is_bad)
{
	if (offset == 0)
		return NULL;
	if (offset >= f->text_size) {
		*is_bad = true;
		return NULL;
	}
	return f->text + offset;
}

bool names_file_levels(const struct names_file *f, const struct names_entry *entry,
		       struct raw_level *level)
{
	bool is_bad = false;

	if (entry->count > RAW_LEVELS_MAX || entry->count > f->level_count ||
	    entry->first > f->level_count - entry->count)
		return false;
	for (uint32_t i = 0; i < entry->count; i++) {
		const struct names_level *from = &f->level[entry->first + i];

		level[i] = (struct raw_level){ .name = text_at_offset(f, from->name, &is_bad),
						 .full = text_at_offset(f, from->full, &is_bad),
						 .file = text_at_offset(f, from->file, &is_bad),
						 .base = from->base,
						 .line = from->line };
	}
	return !is_bad;
}

/* ---- writing ------------------------------------------------------------------------------- */

static uint32_t number_of_text(struct names_draft *d, const char *text)
{
	size_t length = text ? strlen(text) : 0;
	uint32_t before = d->strings.count, number;

	if (length == 0)
		return 0;
	number = strings_add(&d->strings, text, length);
	if (d->strings.count > before)
		d->text_bytes += length + 1;
	d->is_too_large |= d->text_bytes > NAMES_FILE_MAX;
	return number;
}

void names_draft_append(struct names_draft *d, uint64_t address, const struct raw_level *level,
			size_t count)
{
	if (d->is_too_large)
		return;
	array_reserve(&d->entry, &d->entry_room, (size_t)d->entry_count + 1, sizeof(*d->entry));
	array_reserve(&d->level, &d->level_room, d->level_count + count, sizeof(*d->level));
	d->entry[d->entry_count++] = (struct names_entry){ .address = address,
							   .first = d->level_count,
							   .count = (uint32_t)count };
	for (size_t i = 0; i < count; i++)
		d->level[d->level_count++] =
			(struct names_level){ .name = number_of_text(d, level[i].name),
					      .full = number_of_text(d, level[i].full),
					      .file = number_of_text(d, level[i].file),
					      .base = level[i].base,
					      .line = level[i].line };
}

static int compare_entries(const void *a, const void *b)
{
	const struct names_entry *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

static void sort_entries(struct names_draft *d)
{
	if (d->entry_count > 1)
		qsort(d->entry, d->entry_count, sizeof(*d->entry), compare_entries);
}

void names_draft_merge(struct names_draft *d, const struct names_file *f)
{
	struct raw_level level[RAW_LEVELS_MAX];
	struct names_file own = { .entry_count = d->entry_count };

	sort_entries(d);
	for (uint32_t i = 0; i < f->entry_count && !d->is_too_large; i++) {
		own.entry = d->entry; /* it moves as it grows */
		if (names_file_find(&own, f->entry[i].address) ||
		    !names_file_levels(f, &f->entry[i], level))
			continue;
		names_draft_append(d, f->entry[i].address, level, f->entry[i].count);
	}
	sort_entries(d);
}

/* Puts the texts behind an empty one, and their offsets, by number, in OFFSET. */
static void place_texts(const struct names_draft *d, char *text, uint32_t *offset)
{
	uint32_t at = 1;

	text[0] = '\0';
	offset[0] = 0;
	for (uint32_t i = 1; i <= d->strings.count; i++) {
		const char *from = strings_get(&d->strings, i);
		size_t size = strlen(from) + 1;

		memcpy(text + at, from, size);
		offset[i] = at;
		at += (uint32_t)size;
	}
}

void *names_draft_bytes(const struct names_draft *d, const struct names_key *key, size_t *size)
{
	const size_t entries = (size_t)d->entry_count * sizeof(*d->entry);
	const size_t levels = (size_t)d->level_count * sizeof(*d->level);
	struct names_head *head;
	struct names_level *level;
	uint32_t *offset;

	*size = sizeof(*head) + entries + levels + d->text_bytes + 1;
	if (d->is_too_large || *size > NAMES_FILE_MAX)
		return NULL;
	head = xcalloc(1, *size);
	offset = xcalloc((size_t)d->strings.count + 1, sizeof(*offset));
	memcpy(head->magic, magic, sizeof(magic));
	head->format = MU_NAMES_FORMAT;
	head->entry_count = d->entry_count;
	head->level_count = d->level_count;
	head->text_size = (uint32_t)d->text_bytes + 1;
	head->key = *key;
	memcpy(head + 1, d->entry, entries);
	level = (struct names_level *)((char *)(head + 1) + entries);
	place_texts(d, (char *)level + levels, offset);
	for (uint32_t i = 0; i < d->level_count; i++) {
		level[i] = d->level[i];
		level[i].name = offset[level[i].name];
		level[i].full = offset[level[i].full];
		level[i].file = offset[level[i].file];
	}
	free(offset);
	head->crc = crc32_add(0, (const char *)head + CRC_END, *size - CRC_END);
	return head;
}

void names_draft_free(struct names_draft *d)
{
	strings_free(&d->strings);
	free(d->entry);
	free(d->level);
	*d = (struct names_draft){ .entry_count = 0 };
}
