/* pprof_read.c -- Reads profile.proto, the format of pprof.
 *
 * Fields of a message may come in any order, and the names of the values usually come last. So the
 * samples are read in a second pass.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/base/pprof_read.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "formats/base/protobuf_read.h"
#include "profile/base/array.h"

enum {
	SAMPLE_TYPE = 1, SAMPLE = 2, MAPPING = 3, LOCATION = 4, FUNCTION = 5, STRING = 6,
	LOCATION_LINE = 4,
	COLUMNS = 32,		/* believed of a file */
	PIECE = 1 << 20
};

#define SIZE_MOST ((size_t)1 << 30)

static int refuse(struct mu_error *err)
{
	return mu_error_set(err, MU_ERROR_FORMAT, 0, "is a damaged profile of pprof");
}

/* ---- the bytes ----------------------------------------------------------------------------- */

static int read_all_bytes(struct pprof_file *p, struct textfile *in, struct mu_error *err)
{
	ssize_t got;
	size_t room = 0;

	do {
		if (room - p->size < PIECE) {
			room = 2 * room + PIECE;
			p->data = xreallocarray(p->data, room, 1);
		}
		got = textfile_read(in, p->data + p->size, room - p->size, err);
		if (got < 0)
			return -1;
		p->size += (size_t)got;
		if (p->size > SIZE_MOST)
			return mu_error_set(err, MU_ERROR_FORMAT, 0, "is larger than 1 GiB");
	} while (got > 0);
	return 0;
}

/* ---- entries ------------------------------------------------------------------------------- */

/* Reads the numbers of a message into an array by field; others are left out. */
static int read_numbers(struct protobuf_reader r, uint64_t *value, uint32_t fields)
{
	struct protobuf_field f;
	int got;

	while ((got = protobuf_next(&r, &f)) > 0) {
		if (f.number < fields && !f.data)
			value[f.number] = f.value;
	}
	return got;
}

static int read_function(struct pprof_file *p, struct protobuf_reader r)
{
	uint64_t v[5] = { 0 };

	if (p->functions >= PPROF_ITEMS_MAX || read_numbers(r, v, 5) < 0)
		return -1;
	array_reserve(&p->function, &p->function_room, (size_t)p->functions + 1,
		      sizeof(*p->function));
	p->function[p->functions++] = (struct pprof_function){ .id = v[1], .name = v[2],
							       .file = v[4] };
	return 0;
}

static int read_mapping(struct pprof_file *p, struct protobuf_reader r)
{
	uint64_t v[7] = { 0 };

	if (p->mappings >= PPROF_ITEMS_MAX || read_numbers(r, v, 7) < 0)
		return -1;
	array_reserve(&p->mapping, &p->mapping_room, (size_t)p->mappings + 1, sizeof(*p->mapping));
	p->mapping[p->mappings++] = (struct pprof_mapping){ .id = v[1], .start = v[2], .end = v[3],
							    .offset = v[4], .file = v[5],
							    .build_id = v[6] };
	return 0;
}

static int read_line(struct pprof_file *p, struct protobuf_reader r)
{
	uint64_t v[3] = { 0 };

	if (p->lines >= PPROF_ITEMS_MAX || read_numbers(r, v, 3) < 0)
		return -1;
	array_reserve(&p->line, &p->line_room, (size_t)p->lines + 1, sizeof(*p->line));
	p->line[p->lines++] = (struct pprof_line){ .function = v[1],
						   .line = v[2] < UINT32_MAX ? (uint32_t)v[2] : 0 };
	return 0;
}

static int read_location(struct pprof_file *p, struct protobuf_reader r)
{
	struct pprof_location l = { .first_line = p->lines };
	struct protobuf_field f;
	int got;

	while ((got = protobuf_next(&r, &f)) > 0) {
		if (f.number == LOCATION_LINE && f.data && read_line(p, protobuf_inner(&f)) < 0)
			return -1;
		l.id = f.number == 1 ? f.value : l.id;
		l.mapping = f.number == 2 ? f.value : l.mapping;
		l.address = f.number == 3 ? f.value : l.address;
	}
	if (got < 0 || p->locations >= PPROF_ITEMS_MAX)
		return -1;
	l.lines = p->lines - l.first_line;
	array_reserve(&p->location, &p->location_room, (size_t)p->locations + 1,
		      sizeof(*p->location));
	p->location[p->locations++] = l;
	return 0;
}

static int read_string(struct pprof_file *p, const struct protobuf_field *f)
{
	if (p->strings >= PPROF_ITEMS_MAX)
		return -1;
	array_reserve(&p->string, &p->string_room, (size_t)p->strings + 1, sizeof(*p->string));
	p->string[p->strings++] = (struct pprof_string){ (const char *)f->data, f->value };
	return 0;
}

static int read_entry(struct pprof_file *p, const struct protobuf_field *f)
{
	if (!f->data)
		return 0;
	switch (f->number) {
	case MAPPING:
		return read_mapping(p, protobuf_inner(f));
	case LOCATION:
		return read_location(p, protobuf_inner(f));
	case FUNCTION:
		return read_function(p, protobuf_inner(f));
	case STRING:
		return read_string(p, f);
	default:
		return 0;
	}
}

static int read_entries(struct pprof_file *p)
{
	struct protobuf_reader r = { .at = p->data, .end = p->data + p->size };
	struct protobuf_field f;
	int got;

	while ((got = protobuf_next(&r, &f)) > 0) {
		if (read_entry(p, &f) < 0)
			return -1;
	}
	return got;
}

/* ---- values -------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	enum pprof_value value;
} types[] = {
	{ "alloc_objects", PPROF_TOTAL_BLOCKS }, { "alloc_space", PPROF_TOTAL_BYTES },
	{ "inuse_objects", PPROF_END_BLOCKS }, { "inuse_space", PPROF_END_BYTES },
	{ "peak_objects", PPROF_PEAK_BLOCKS }, { "peak_space", PPROF_PEAK_BYTES },
	{ "objects", PPROF_END_BLOCKS }, { "space", PPROF_END_BYTES },
};

static void name_column(struct pprof_file *p, int column, uint64_t name)
{
	size_t length;
	const char *text = pprof_text(p, name, &length);

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		if (strlen(types[i].name) != length || memcmp(types[i].name, text, length) != 0 ||
		    p->has_value[types[i].value])
			continue;
		p->column[types[i].value] = column;
		p->has_value[types[i].value] = true;
	}
}

static int read_types(struct pprof_file *p, struct mu_error *err)
{
	struct protobuf_reader r = { .at = p->data, .end = p->data + p->size };
	struct protobuf_field f;
	bool has_bytes = false;

	for (int i = 0; i < PPROF_VALUES; i++)
		p->column[i] = -1;
	for (int column = 0; column < COLUMNS && protobuf_next(&r, &f) > 0;) {
		uint64_t v[3] = { 0 };

		if (f.number != SAMPLE_TYPE || !f.data)
			continue;
		if (read_numbers(protobuf_inner(&f), v, 3) < 0)
			return refuse(err);
		name_column(p, column++, v[1]);
	}
	for (int i = PPROF_TOTAL_BYTES; i < PPROF_VALUES; i += 2)
		has_bytes |= p->has_value[i];
	return has_bytes ? 0 : mu_error_set(err, MU_ERROR_FORMAT, 0,
					    "is no heap profile of pprof: it has none of the "
					    "sample types alloc_space, inuse_space, peak_space "
					    "and space");
}

/* A repeated number is a packed list or one number. Returns its length; -1: damaged. */
static int read_list(const struct protobuf_field *f, int64_t *value, int count, int most)
{
	struct protobuf_reader r;
	uint64_t number;
	int got;

	if (!f->data) {
		if (count < most)
			value[count] = (int64_t)f->value;
		return count + 1;
	}
	for (r = protobuf_inner(f); (got = protobuf_varint_next(&r, &number)) > 0; count++) {
		if (count < most)
			value[count] = (int64_t)number;
	}
	return got < 0 ? -1 : count;
}

static int append_stacked(struct pprof_file *p, const struct protobuf_field *f)
{
	struct protobuf_reader r = protobuf_inner(f);
	uint64_t id = f->value;
	int got = 1;

	while (!f->data || (got = protobuf_varint_next(&r, &id)) > 0) {
		if (p->stacked_count >= UINT32_MAX / 16)
			return -1;
		array_reserve(&p->stacked, &p->stacked_room, (size_t)p->stacked_count + 1,
			      sizeof(*p->stacked));
		p->stacked[p->stacked_count++] = id;
		if (!f->data)
			break;
	}
	return got < 0 ? -1 : 0;
}

static int read_sample(struct pprof_file *p, struct protobuf_reader r)
{
	struct pprof_sample s = { .first = p->stacked_count };
	int64_t value[COLUMNS] = { 0 };
	struct protobuf_field f;
	int got, count = 0;

	while ((got = protobuf_next(&r, &f)) > 0) {
		if (f.number == 1 && append_stacked(p, &f) < 0)
			return -1;
		if (f.number == 2 && (count = read_list(&f, value, count, COLUMNS)) < 0)
			return -1;
	}
	if (got < 0 || p->samples >= PPROF_ITEMS_MAX)
		return -1;
	s.locations = p->stacked_count - s.first;
	for (int i = 0; i < PPROF_VALUES; i++)
		s.value[i] = p->column[i] >= 0 ? value[p->column[i]] : 0;
	array_reserve(&p->sample, &p->sample_room, (size_t)p->samples + 1, sizeof(*p->sample));
	p->sample[p->samples++] = s;
	return 0;
}

static int read_samples(struct pprof_file *p)
{
	struct protobuf_reader r = { .at = p->data, .end = p->data + p->size };
	struct protobuf_field f;

	while (protobuf_next(&r, &f) > 0) {
		if (f.number == SAMPLE && f.data && read_sample(p, protobuf_inner(&f)) < 0)
			return -1;
	}
	return 0;
}

/* ---- look-ups ------------------------------------------------------------------------------ */

/* All entries begin with their id. */
static int compare_ids(const void *a, const void *b)
{
	uint64_t x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return (x > y) - (x < y);
}

static void sort_entries(void *entry, uint32_t count, size_t size)
{
	if (count > 1)
		qsort(entry, count, size, compare_ids);
}

static const void *find_entry(uint64_t id, const void *entry, uint32_t count, size_t size)
{
	return count ? bsearch(&id, entry, count, size, compare_ids) : NULL;
}

const struct pprof_function *pprof_find_function(const struct pprof_file *p, uint64_t id)
{
	return find_entry(id, p->function, p->functions, sizeof(*p->function));
}

const struct pprof_mapping *pprof_find_mapping(const struct pprof_file *p, uint64_t id)
{
	return find_entry(id, p->mapping, p->mappings, sizeof(*p->mapping));
}

const struct pprof_location *pprof_find_location(const struct pprof_file *p, uint64_t id)
{
	return find_entry(id, p->location, p->locations, sizeof(*p->location));
}

const char *pprof_text(const struct pprof_file *p, uint64_t number, size_t *length)
{
	*length = number < p->strings ? p->string[number].length : 0;
	return *length ? p->string[number].text : "";
}

/* ---- files --------------------------------------------------------------------------------- */

int pprof_read(struct pprof_file *p, struct textfile *in, struct mu_error *err)
{
	*p = (struct pprof_file){ .size = 0 };
	if (read_all_bytes(p, in, err) < 0)
		return -1;
	if (read_entries(p) < 0)
		return refuse(err);
	if (read_types(p, err) < 0)
		return -1;
	if (read_samples(p) < 0)
		return refuse(err);
	sort_entries(p->function, p->functions, sizeof(*p->function));
	sort_entries(p->mapping, p->mappings, sizeof(*p->mapping));
	sort_entries(p->location, p->locations, sizeof(*p->location));
	return 0;
}

void pprof_free(struct pprof_file *p)
{
	free(p->function);
	free(p->mapping);
	free(p->location);
	free(p->line);
	free(p->sample);
	free(p->stacked);
	free(p->string);
	free(p->data);
	*p = (struct pprof_file){ .size = 0 };
}
