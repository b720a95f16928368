/* names.c -- fuzz the reader of the names cache: whatever a file says, only what is in it is read,
 * and merging it into another one gives a file that can be read.
 *
 * The checksum is not compared, or nothing else would ever be tried.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/names/names_file.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int condition)
{
	if (!condition)
		abort();
}

static size_t text_length(const char *text)
{
	return text ? strlen(text) : 0;
}

/* Returns how many entries are good. */
static uint32_t read_all(const struct names_file *f)
{
	struct raw_level level[RAW_LEVELS_MAX];
	uint32_t good = 0;

	for (uint32_t i = 0; i < f->entry_count; i++) {
		names_file_find(f, f->entry[i].address);
		if (!names_file_levels(f, &f->entry[i], level))
			continue;
		for (uint32_t k = 0; k < f->entry[i].count; k++)
			must(text_length(level[k].name) + text_length(level[k].full) +
			     text_length(level[k].file) <= (size_t)3 * f->text_size);
		good++;
	}
	return good;
}

static void merge_and_read(const struct names_file *f, const struct names_key *key)
{
	const struct raw_level level = { .name = "own" };
	struct names_draft d = { .entry_count = 0 };
	struct names_file merged;
	uint32_t good = read_all(f);
	size_t size;
	void *bytes;

	names_draft_append(&d, 8, &level, 1);
	names_draft_merge(&d, f);
	bytes = names_draft_bytes(&d, key, &size);
	if (bytes) {
		must(names_file_is_whole(bytes, size));
		must(names_file_parse(&merged, bytes, size, key));
		must(read_all(&merged) == merged.entry_count && merged.entry_count <= good + 1);
		must(names_file_find(&merged, 8) != NULL);
	}
	free(bytes);
	names_draft_free(&d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct names_key key;
	struct names_file f;
	void *copy = malloc(size ? size : 1);

	must(copy != NULL);
	memcpy(copy, data, size);
	memset(&key, 0, sizeof(key));
	/* The bytes are aligned as those of a file are. */
	if (names_file_parse(&f, copy, size, &key))
		merge_and_read(&f, &key);
	names_file_is_whole(copy, size);
	free(copy);
	return 0;
}
