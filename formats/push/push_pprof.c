/* push_pprof.c -- profile.proto for a push, and Pyroscope's message around it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/push/push_encode.h"

#include <stdio.h>
#include <string.h>

/* Field numbers of profile.proto, and of Pyroscope's push.proto. */
enum {
	PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE, PROFILE_MAPPING, PROFILE_LOCATION,
	PROFILE_FUNCTION, PROFILE_STRING, PROFILE_TIME = 9, PROFILE_DURATION,
	PROFILE_PERIOD_TYPE, PROFILE_PERIOD, PROFILE_DEFAULT_TYPE = 14,
	TYPE_TYPE = 1, TYPE_UNIT,
	SAMPLE_LOCATIONS = 1, SAMPLE_VALUES, SAMPLE_LABEL,
	LABEL_KEY = 1, LABEL_TEXT,
	MAPPING_ID = 1, MAPPING_START, MAPPING_END, MAPPING_FILE = 5, MAPPING_BUILD_ID,
	MAPPING_HAS_FUNCTIONS, MAPPING_HAS_INLINES = 10,
	LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_ADDRESS, LOCATION_LINE,
	LINE_FUNCTION = 1, LINE_LINE,
	FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILE,
	REQUEST_SERIES = 1, SERIES_LABELS = 1, SERIES_SAMPLES,
	PAIR_NAME = 1, PAIR_VALUE, RAW_PROFILE = 1, RAW_ID
};

struct pprof_encoder {
	struct protobuf *out;
	struct protobuf part, inner;	/* a message in it, and one in that */
	const struct push_set *set;
	struct push_dictionary *d;
};

static void put_value_type(struct pprof_encoder *e, unsigned int field, const char *type,
			   const char *unit)
{
	protobuf_number(&e->part, TYPE_TYPE, push_dictionary_text(e->d, type));
	protobuf_number(&e->part, TYPE_UNIT, push_dictionary_text(e->d, unit));
	protobuf_message(e->out, field, &e->part);
}

static void put_head(struct pprof_encoder *e)
{
	const struct push_set *s = e->set;

	for (int i = 0; i < PUSH_TYPES; i++)
		put_value_type(e, PROFILE_SAMPLE_TYPE, push_type_names[i].type,
			       push_type_names[i].unit);
	put_value_type(e, PROFILE_PERIOD_TYPE, "space", "bytes");
	protobuf_number(e->out, PROFILE_PERIOD, s->distance > 0 ? (uint64_t)s->distance : 1);
	protobuf_number(e->out, PROFILE_TIME, s->time_ns);
	protobuf_number(e->out, PROFILE_DURATION, s->duration_ns);
	protobuf_number(e->out, PROFILE_DEFAULT_TYPE,
			push_dictionary_text(e->d, push_type_names[PUSH_INUSE_SPACE].type));
}

static void put_mappings(struct pprof_encoder *e)
{
	for (uint32_t i = 0; i < e->d->mappings; i++) {
		const struct push_mapping *m = &e->d->mapping[i];

		protobuf_number(&e->part, MAPPING_ID, (uint64_t)i + 1);
		protobuf_number(&e->part, MAPPING_START, m->start);
		protobuf_number(&e->part, MAPPING_END, m->end);
		protobuf_number(&e->part, MAPPING_FILE, m->file);
		protobuf_number(&e->part, MAPPING_BUILD_ID, m->build_id);
		for (unsigned int k = MAPPING_HAS_FUNCTIONS; k <= MAPPING_HAS_INLINES; k++)
			protobuf_number(&e->part, k, m->has_names);
		protobuf_message(e->out, PROFILE_MAPPING, &e->part);
	}
}

static void put_locations(struct pprof_encoder *e)
{
	for (uint32_t i = 0; i < e->d->locations; i++) {
		const struct push_location *l = &e->d->location[i];

		protobuf_number(&e->part, LOCATION_ID, (uint64_t)i + 1);
		protobuf_number(&e->part, LOCATION_MAPPING, l->mapping);
		protobuf_number(&e->part, LOCATION_ADDRESS, l->address);
		for (uint32_t k = 0; k < l->lines; k++) {
			const struct push_line *line = &e->d->line[l->first_line + k];

			protobuf_number(&e->inner, LINE_FUNCTION, line->function);
			protobuf_number(&e->inner, LINE_LINE, line->line);
			protobuf_message(&e->part, LOCATION_LINE, &e->inner);
		}
		protobuf_message(e->out, PROFILE_LOCATION, &e->part);
	}
	for (uint32_t i = 0; i < e->d->functions.count; i++) {
		const struct triple *f = &e->d->functions.triple[i];

		protobuf_number(&e->part, FUNCTION_ID, (uint64_t)i + 1);
		protobuf_number(&e->part, FUNCTION_NAME, f->a);
		protobuf_number(&e->part, FUNCTION_SYSTEM_NAME, f->a);
		protobuf_number(&e->part, FUNCTION_FILE, f->b);
		protobuf_message(e->out, PROFILE_FUNCTION, &e->part);
	}
}

static void put_sample(struct pprof_encoder *e, size_t sample, const int64_t *value)
{
	static uint32_t location[PUSH_DEPTH_MAX];
	uint32_t key[MU_LABELS_DEPTH], text[MU_LABELS_DEPTH];
	uint32_t count = push_dictionary_stack(e->d, sample, location);

	for (uint32_t i = 0; i < count; i++)
		protobuf_varint(&e->inner, location[i]);
	protobuf_message(&e->part, SAMPLE_LOCATIONS, &e->inner);
	for (int i = 0; i < PUSH_TYPES; i++)
		protobuf_varint(&e->inner, (uint64_t)value[i]);
	protobuf_message(&e->part, SAMPLE_VALUES, &e->inner);
	count = push_dictionary_labels(e->d, sample, key, text);
	for (uint32_t i = 0; i < count; i++) {
		protobuf_number(&e->inner, LABEL_KEY, key[i]);
		protobuf_number(&e->inner, LABEL_TEXT, text[i]);
		protobuf_message(&e->part, SAMPLE_LABEL, &e->inner);
	}
	protobuf_message(e->out, PROFILE_SAMPLE, &e->part);
}

/* The table of strings comes last, when all of them are known. */
void push_pprof_encode(struct protobuf *out, const struct push_set *s, struct push_dictionary *d)
{
	struct pprof_encoder e = { .out = out, .set = s, .d = d };

	put_head(&e);
	put_mappings(&e);
	put_locations(&e);
	for (size_t i = 0; i < s->kept; i++)
		put_sample(&e, i, s->sample[i].value);
	if (push_set_has_other(s))
		put_sample(&e, s->kept, s->other);
	for (uint32_t i = 0; i <= d->strings.count; i++) {
		const char *text = strings_get(&d->strings, i);

		protobuf_bytes(out, PROFILE_STRING, text, strlen(text));
	}
	protobuf_free(&e.part);
	protobuf_free(&e.inner);
}

/* ---- Pyroscope ----------------------------------------------------------------------------- */

static void put_pair(struct protobuf *series, struct protobuf *pair, const char *name,
		     const char *value)
{
	protobuf_text(pair, PAIR_NAME, name);
	protobuf_text(pair, PAIR_VALUE, value);
	protobuf_message(series, SERIES_LABELS, pair);
}

static void format_uuid(char text[2 * PUSH_ID + 5], const unsigned char *id)
{
	for (int i = 0; i < PUSH_ID; i++)
		text += sprintf(text, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x",
				id[i]);
}

/* __delta__: what was allocated is that of this push alone. Pyroscope 1 would otherwise subtract
 * the profile before, and drop the first one. */
void push_pyroscope_encode(struct protobuf *out, const struct push_identity *of,
			   const void *profile, size_t size)
{
	struct protobuf series = { .size = 0 }, pair = { .size = 0 };
	char uuid[2 * PUSH_ID + 5];

	put_pair(&series, &pair, "__name__", "memory");
	put_pair(&series, &pair, "__delta__", "false");
	put_pair(&series, &pair, "service_name", of->service);
	for (size_t i = 0; i < of->labels; i++)
		put_pair(&series, &pair, of->label[i].name, of->label[i].value);
	format_uuid(uuid, of->id);
	protobuf_bytes(&pair, RAW_PROFILE, profile, size);
	protobuf_text(&pair, RAW_ID, uuid);
	protobuf_message(&series, SERIES_SAMPLES, &pair);
	protobuf_message(out, REQUEST_SERIES, &series);
	protobuf_free(&series);
	protobuf_free(&pair);
}
