/* pprof_read.c -- profiles of pprof are read in any order of their fields; damaged ones are refused.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/base/pprof_read.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "formats/base/protobuf.h"
#include "formats/base/protobuf_read.h"
#include "formats/file_type.h"
#include "formats/stack_import.h"
#include "tests/lib/tap.h"

static struct protobuf file, part, inner;

static void begin(void)
{
	file.size = part.size = inner.size = 0;
}

static int read_bytes(struct pprof_file *p, const void *data, size_t size)
{
	int fd = memfd_create("pprof", MFD_CLOEXEC), result;
	struct textfile in;
	struct mu_error err;

	if (fd < 0 || pwrite(fd, data, size, 0) != (ssize_t)size ||
	    textfile_open(&in, fd, &err) < 0)
		abort();
	result = pprof_read(p, &in, &err);
	textfile_close(&in);
	close(fd);
	return result;
}

static void add_type(uint64_t name, uint64_t unit)
{
	protobuf_number(&part, 1, name);
	protobuf_number(&part, 2, unit);
	protobuf_message(&file, 1, &part);
}

static void add_function(uint64_t id, uint64_t name, uint64_t source)
{
	protobuf_number(&part, 1, id);
	protobuf_number(&part, 2, name);
	protobuf_number(&part, 4, source);
	protobuf_message(&file, 5, &part);
}

/* A location with one function, or with two: INNER is inlined into FUNCTION. */
static void add_location(uint64_t id, uint64_t mapping, uint64_t inlined, uint64_t function)
{
	protobuf_number(&part, 1, id);
	protobuf_number(&part, 2, mapping);
	protobuf_number(&part, 3, 0x1000 + id);
	for (int i = 0; i < 2; i++) {
		if (i == 0 && inlined == 0)
			continue;
		protobuf_number(&inner, 1, i == 0 ? inlined : function);
		protobuf_number(&inner, 2, 10 * id);
		protobuf_message(&part, 4, &inner);
	}
	protobuf_message(&file, 4, &part);
}

static void add_mapping(uint64_t id, uint64_t path)
{
	protobuf_number(&part, 1, id);
	protobuf_number(&part, 2, 0x1000);
	protobuf_number(&part, 3, 0x9000);
	protobuf_number(&part, 5, path);
	protobuf_message(&file, 3, &part);
}

static void add_sample(const uint64_t *location, int locations, const uint64_t *value, int values,
		       bool is_packed)
{
	for (int i = 0; i < locations; i++) {
		if (is_packed)
			protobuf_varint(&inner, location[i]);
		else
			protobuf_number(&part, 1, location[i]);
	}
	if (is_packed)
		protobuf_message(&part, 1, &inner);
	for (int i = 0; i < values; i++)
		protobuf_varint(&inner, value[i]);
	protobuf_message(&part, 2, &inner);
	protobuf_message(&file, 2, &part);
}

static void add_texts(void)
{
	static const char *const texts[] = { "", "inuse_objects", "count", "inuse_space", "bytes",
					     "main", "grow", "copy", "a.c", "/bin/prog" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		protobuf_bytes(&file, 6, texts[i], strlen(texts[i]));
}

static void make_profile(void)
{
	begin();
	add_type(1, 2);
	add_type(3, 4);
	add_sample((uint64_t[]){ 8, 3 }, 2, (uint64_t[]){ 2, 500 }, 2, true);
	add_sample((uint64_t[]){ 3, 77 }, 2, (uint64_t[]){ 1, 30 }, 2, false);
	add_location(8, 1, 7, 6);
	add_location(3, 1, 0, 5);
	add_function(7, 7, 8);
	add_function(6, 6, 8);
	add_function(5, 5, 8);
	add_mapping(1, 9);
	add_texts();
}

static void values_and_names(void)
{
	struct pprof_file p;
	struct stack_import s;
	struct weight weight[2];
	struct mu_error err;
	const struct symbols_level *level;
	uint32_t count;

	make_profile();
	EQ_I(read_bytes(&p, file.data, file.size), 0);
	EQ_I(file_type_of((const char *)file.data, file.size), INPUT_PPROF);
	EQ_U(p.samples, 2);
	IS_TRUE(p.has_value[PPROF_END_BYTES]);
	IS_FALSE(p.has_value[PPROF_PEAK_BYTES]);
	EQ_I(stack_import_pprof(&s, &p, NULL, &err), 0);
	stack_import_weigh_samples(&p, METRIC_LIVE, weight);
	EQ_I(weight[0].bytes, 500);
	EQ_I(weight[1].blocks, 1);
	EQ_U(s.profile.frame[s.profile.stack[0].frame].depth, 2);
	level = profile_levels(&s.profile, s.profile.frame[s.profile.stack[0].frame].location,
			       &count);
	EQ_U(count, 2);
	EQ_S(symbols_text(&s.profile.symbols, level[0].full), "copy");
	EQ_S(symbols_text(&s.profile.symbols, level[1].full), "grow");
	EQ_U(level[1].line, 80);
	EQ_S(profile_object(&s.profile, 1), "/bin/prog");
	/* A location that does not exist is left out. */
	EQ_U(s.profile.frame[s.profile.stack[1].frame].depth, 1);
	stack_import_free(&s);
	pprof_free(&p);
}

static void other_profiles(void)
{
	struct pprof_file p;

	begin();
	add_type(2, 4);
	add_texts();
	EQ_I(read_bytes(&p, file.data, file.size), -1);
	pprof_free(&p);
	EQ_I(read_bytes(&p, "text", 4), -1);
	pprof_free(&p);
}

/* What remains of a cut file is read or refused; every changed byte, too. */
static void damage(void)
{
	uint32_t read = 0, imported = 0;

	make_profile();
	for (size_t i = 0; i < 2 * file.size; i++) {
		const bool is_cut = i < file.size;
		const size_t size = is_cut ? i : file.size;
		unsigned char *copy = malloc(size + 1);
		struct pprof_file p;
		struct stack_import s;
		struct mu_error err;

		memcpy(copy, file.data, size);
		if (!is_cut)
			copy[i - file.size] ^= 0xff;
		if (read_bytes(&p, copy, size) == 0) {
			read++;
			imported += stack_import_pprof(&s, &p, NULL, &err) == 0;
			stack_import_free(&s);
		}
		pprof_free(&p);
		free(copy);
	}
	EQ_U(imported, read);
	IN_U(read, 1, 2 * file.size - 1);
}

static void messages(void)
{
	static const struct {
		const char *bytes;
		size_t size;
		int want;
	} cases[] = {
		{ "", 0, 0 }, { "\x08\x01", 2, 1 }, { "\x08", 1, -1 }, { "\x0a\x02" "a", 3, -1 },
		{ "\x0a\x01" "a", 3, 1 }, { "\x0d\1\2\3\4", 5, 1 }, { "\x0d\1\2\3", 4, -1 },
		{ "\x09\1\2\3\4\5\6\7\x08", 9, 1 }, { "\x0b", 1, -1 }, { "\x00\x01", 2, -1 },
		{ "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 11, -1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const unsigned char *data = (const unsigned char *)cases[i].bytes;
		struct protobuf_reader r = { .at = data, .end = data + cases[i].size };
		struct protobuf_field f;

		EQ_I(protobuf_next(&r, &f), cases[i].want);
	}
}

int main(void)
{
	messages();
	values_and_names();
	other_profiles();
	damage();
	protobuf_free(&file);
	protobuf_free(&part);
	protobuf_free(&inner);
	return done_testing();
}
