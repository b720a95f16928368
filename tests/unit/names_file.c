/* names_file.c -- a file of the names cache gives back what was put in, and a cut, damaged or
 * hostile one gives nothing that is not in it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/names/names_file.h"

#include <stdlib.h>
#include <string.h>

#include "tests/lib/tap.h"

static const struct raw_level inlined = { .name = "in", .full = "ns::in(int)",
					    .file = "/src/a/b.h", .base = 5, .line = 7 };
static const struct raw_level function = { .name = "f@@V1", .full = "f", .line = 9 };

static struct names_key key_of(const char *version)
{
	struct names_key key;

	memset(&key, 0, sizeof(key));
	strcpy(key.version, version);
	key.build_id_length = 2;
	return key;
}

/* The bytes of a draft with the entries that were known before. The draft is released. */
static void *finish(struct names_draft *d, const struct names_file *before,
		    const struct names_key *key, size_t *size)
{
	void *data;

	names_draft_merge(d, before);
	data = names_draft_bytes(d, key, size);
	names_draft_free(d);
	return data;
}

/* The names of an address: "in/ns::in(int)//src/a/b.h:7+5 f@@V1/f/-:9+0", "nothing", "unknown". */
static const char *names(const struct names_file *f, uint64_t address)
{
	static char text[4096];
	struct raw_level level[RAW_LEVELS_MAX];
	const struct names_entry *entry = names_file_find(f, address);
	size_t used = 0;

	if (!entry)
		return "unknown";
	if (!names_file_levels(f, entry, level))
		return "damaged";
	strcpy(text, "nothing");
	for (uint32_t i = 0; i < entry->count; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s/%s/%s:%u+%u",
					 i ? " " : "", level[i].name ? level[i].name : "-",
					 level[i].full ? level[i].full : "-",
					 level[i].file ? level[i].file : "-", level[i].line,
					 level[i].base);
	return text;
}

#define BOTH "in/ns::in(int)//src/a/b.h:7+5 f@@V1/f/-:9+0"

static void *make_file(const struct names_key *key, size_t *size)
{
	const struct raw_level two[] = { inlined, function };
	const struct names_file nothing = { .entry_count = 0 };
	struct names_draft d = { .entry_count = 0 };

	names_draft_append(&d, 0x30, two, 2);
	names_draft_append(&d, 0x10, &function, 1);
	names_draft_append(&d, 0x20, NULL, 0);
	return finish(&d, &nothing, key, size);
}

static void round_trip(void)
{
	const struct names_key key = key_of("1"), other = key_of("2");
	struct names_file f;
	size_t size;
	void *data = make_file(&key, &size);

	IS_TRUE(data && names_file_is_whole(data, size) &&
		names_file_parse(&f, data, size, &key));
	EQ_S(names(&f, 0x10), "f@@V1/f/-:9+0");
	EQ_S(names(&f, 0x20), "nothing");
	EQ_S(names(&f, 0x30), BOTH);
	EQ_S(names(&f, 0x11), "unknown");
	IS_FALSE(names_file_parse(&f, data, size, &other));
	EQ_U(f.entry_count, 0);
	EQ_S(names(&f, 0x10), "unknown");
	free(data);
}

/* What is new wins, and what was known stays. */
static void merge(void)
{
	const struct names_key key = key_of("1");
	const struct raw_level fresh = { .name = "fresh" };
	struct names_draft d = { .entry_count = 0 };
	struct names_file f;
	size_t size;
	void *before = make_file(&key, &size), *data;

	IS_TRUE(names_file_parse(&f, before, size, &key));
	names_draft_append(&d, 0x40, &inlined, 1);
	names_draft_append(&d, 0x20, &fresh, 1);
	names_draft_append(&d, 0x08, NULL, 0);
	data = finish(&d, &f, &key, &size);
	free(before);
	IS_TRUE(data && names_file_parse(&f, data, size, &key));
	EQ_U(f.entry_count, 5);
	EQ_S(names(&f, 0x08), "nothing");
	EQ_S(names(&f, 0x10), "f@@V1/f/-:9+0");
	EQ_S(names(&f, 0x20), "fresh/-/-:0+0");
	EQ_S(names(&f, 0x30), BOTH);
	EQ_S(names(&f, 0x40), "in/ns::in(int)//src/a/b.h:7+5");
	free(data);
}

/* A draft that gets too large is given up, not cut. */
static void bounds(void)
{
	static char large[1 << 20];
	const struct names_file nothing = { .entry_count = 0 };
	const struct names_key key = key_of("1");
	struct names_draft d = { .entry_count = 0 };
	size_t size;

	memset(large, 'x', sizeof(large) - 1);
	for (uint64_t i = 0; i < 20; i++) {
		large[0] = (char)('a' + i);
		names_draft_append(&d, i, &(struct raw_level){ .name = large }, 1);
	}
	IS_NULL(finish(&d, &nothing, &key, &size));
}

static void look_at_all(const struct names_file *f)
{
	for (uint64_t address = 0; address < 0x40; address += 8)
		names(f, address);
	for (uint32_t i = 0; i < f->entry_count; i++)
		names(f, f->entry[i].address);
}

/* Each cut and each flipped bit is noticed by the checksum; without it, nothing is read that is not
 * there, which a sanitizer or the allocator would tell. */
static void damage(void)
{
	const struct names_key key = key_of("1");
	struct names_file f;
	size_t size, accepted = 0;
	unsigned char *data = make_file(&key, &size), *bad;

	for (size_t cut = 0; cut < size; cut++) {
		bad = malloc(cut ? cut : 1);
		memcpy(bad, data, cut);
		accepted += names_file_is_whole(bad, cut);
		accepted += names_file_parse(&f, bad, cut, &key);
		free(bad);
	}
	EQ_U(accepted, 0);
	for (size_t bit = 0; bit < size * 8; bit++) {
		data[bit / 8] ^= (unsigned char)(1 << bit % 8);
		/* The magic and the format are no part of the checksum, but compared. */
		accepted += names_file_is_whole(data, size) &&
			    names_file_parse(&f, data, size, &key);
		if (names_file_parse(&f, data, size, &key))
			look_at_all(&f);
		data[bit / 8] ^= (unsigned char)(1 << bit % 8);
	}
	EQ_U(accepted, 0);
	IS_TRUE(names_file_is_whole(data, size) && names_file_parse(&f, data, size, &key));
	free(data);
}

/* Entries and texts that point out of the tables. */
static void hostile(void)
{
	static const struct names_level level[] = { { .name = 1 }, { .file = 8 } };
	static const struct names_entry entry[] = {
		{ 1, 0, 1 }, { 2, 0, 3 }, { 3, 2, 1 }, { 4, UINT32_MAX, 2 }, { 5, 1, 1 },
		{ 6, 0, UINT32_MAX }, { 7, 0, RAW_LEVELS_MAX + 1 },
	};
	const struct names_file f = { .entry = entry, .level = level, .text = "\0abcdef",
				      .entry_count = 7, .level_count = 2, .text_size = 8 };

	EQ_S(names(&f, 1), "abcdef/-/-:0+0");
	for (uint64_t address = 2; address <= 7; address++)
		EQ_S(names(&f, address), "damaged");
}

int main(void)
{
	round_trip();
	merge();
	bounds();
	damage();
	hostile();
	return done_testing();
}
