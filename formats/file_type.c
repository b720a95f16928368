/* file_type.c -- Recognises the type of a file by its first bytes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/file_type.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "formats/dat.h"
#include "recording/recording.h"

/* Tells whether the first bytes of a file are of its type. */
typedef bool (*recognise_fn)(const char *data, size_t size);

static bool is_recording_file(const char *data, size_t size)
{
	uint64_t magic = 0;

	if (size >= sizeof(magic))
		memcpy(&magic, data, sizeof(magic));
	return magic == MU_SEGMENT_MAGIC;
}

static bool is_blank_character(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* {"dhatFileVersion":2, ...: with this key in front, or with any key. */
static bool is_dhat_profile(const char *data, size_t size)
{
	size_t at = 0;

	while (at < size && is_blank_character(data[at]))
		at++;
	return at < size && data[at] == '{' &&
	       memmem(data, size, "\"dhat", strlen("\"dhat")) != NULL;
}

/* Checks the first line that is neither blank nor a comment. */
static bool is_massif_file(const char *data, size_t size)
{
	static const char *const words[] = { "desc:", "cmd:", "time_unit:", "snapshot=" };
	const char *end = data + size;

	for (const char *at = data, *next; at < end; at = next) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));

		next = newline ? newline + 1 : end;
		for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
			if ((size_t)(end - at) >= strlen(words[i]) &&
			    memcmp(at, words[i], strlen(words[i])) == 0)
				return true;
		}
		while (at < next && is_blank_character(*at))
			at++;
		if (at < next && *at != '#')
			return false;
	}
	return false;
}

/* Checks for two headers of 24 bytes. The first begins with the tag or with zero, which no text
 * does. */
static bool is_data_file(const char *data, size_t size)
{
	uint64_t tag;

	if (size < DAT_HEADER_BYTES)
		return false;
	memcpy(&tag, data, sizeof(tag));
	return tag == 0 || tag == DAT_TAG_NS || __builtin_bswap64(tag) == DAT_TAG_NS;
}

/* The first field is a sample type, or Go's type of the period: a message of two small numbers. No
 * text begins like that. */
static bool is_pprof_file(const char *data, size_t size)
{
	return size > 6 && (data[0] == 0x0a || data[0] == 0x5a) && data[1] >= 2 && data[1] <= 12 &&
	       (data[2] == 0x08 || data[2] == 0x10);
}

static const struct {
	const char *name;
	recognise_fn recognise;
} kinds[INPUT_KINDS] = {
	[INPUT_UNKNOWN] = { "a file of an unknown kind", NULL },
	[INPUT_MASSIF] = { "a massif.out", is_massif_file },
	[INPUT_RECORDING] = { "a recording", is_recording_file },
	[INPUT_DHAT] = { "a profile of DHAT", is_dhat_profile },
	[INPUT_PPROF] = { "a profile of pprof", is_pprof_file },
	[INPUT_DATA] = { "a data file", is_data_file },
};

const char *file_type_name(enum input_kind kind)
{
	return kinds[kind].name;
}

enum input_kind file_type_of(const char *data, size_t size)
{
	for (int kind = 0; kind < INPUT_KINDS; kind++) {
		if (kinds[kind].recognise && kinds[kind].recognise(data, size))
			return (enum input_kind)kind;
	}
	return INPUT_UNKNOWN;
}

/* ---- other files that users give --------------------------------------------------------- */

static const struct {
	const char *magic;
	struct file_guess guess;
} others[] = {
	{ "\x7f" "ELF", { "a program or a library", "memusage --top PROGRAM profiles a program" } },
	{ "\x28\xb5\x2f\xfd",
	  { "compressed by zstd", "decompress it first (zstd -d); if heaptrack wrote it, "
				  "heaptrack_print -M massif.out FILE makes a massif.out of it" } },
	{ "\xfd" "7zXZ", { "compressed by xz", "decompress it first (xz -d)" } },
	{ "\x1f\x8b", { "compressed by gzip", "decompress it first (gzip -d)" } },
	{ "BZh", { "compressed by bzip2", "decompress it first (bzip2 -d)" } },
	{ "\x89PNG", { "a PNG picture", NULL } },
	{ "%!PS", { "a PostScript picture", NULL } },
	{ "<svg", { "an SVG picture", NULL } },
	{ "<?xml", { "an SVG picture or other XML", NULL } },
	{ "<!doctype html", { "an HTML page", "a browser shows it" } },
	{ "<!DOCTYPE html", { "an HTML page", "a browser shows it" } },
	{ "# callgrind format", { "a profile for kcachegrind", "kcachegrind shows it" } },
	{ "{\"format\":\"memusage\"",
	  { "the output of memusageprint --to=json", "give the recording that it was made of" } },
	{ "v 1", { "data of heaptrack", "heaptrack_print -M massif.out FILE makes a "
					 "massif.out of it" } },
};

/* Tells whether nothing in the bytes is outside of text: no zero and no other control character. */
static bool is_plain_text(const char *data, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		unsigned char c = (unsigned char)data[i];

		if (c == 0x7f || (c < ' ' && strchr("\t\n\r\f\033", c) == NULL) || c == '\0')
			return false;
	}
	return size > 0;
}

struct file_guess file_type_guess(const char *data, size_t size)
{
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		size_t length = strlen(others[i].magic);

		if (size >= length && memcmp(data, others[i].magic, length) == 0)
			return others[i].guess;
	}
	return (struct file_guess){ is_plain_text(data, size) ? "text" : NULL, NULL };
}
