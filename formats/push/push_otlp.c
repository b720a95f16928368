/* push_otlp.c -- OpenTelemetry's profiles.
 *
 * Four profiles, of one type each, share one dictionary, in which element 0 of each table is empty.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/push/push_encode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"

/* Field numbers of opentelemetry/proto. */
enum {
	REQUEST_RESOURCES = 1, REQUEST_DICTIONARY,
	RESOURCES_RESOURCE = 1, RESOURCES_SCOPES,
	RESOURCE_ATTRIBUTES = 1,
	PAIR_KEY = 1, PAIR_VALUE, ANY_STRING = 1,
	SCOPES_SCOPE = 1, SCOPES_PROFILES, SCOPE_NAME = 1, SCOPE_VERSION,
	PROFILE_TYPE = 1, PROFILE_SAMPLES, PROFILE_TIME, PROFILE_DURATION, PROFILE_PERIOD_TYPE,
	PROFILE_PERIOD, PROFILE_ID,
	TYPE_TYPE = 1, TYPE_UNIT,
	SAMPLE_STACK = 1, SAMPLE_ATTRIBUTES, SAMPLE_VALUES = 4,
	DICTIONARY_MAPPING = 1, DICTIONARY_LOCATION, DICTIONARY_FUNCTION, DICTIONARY_LINK,
	DICTIONARY_STRING, DICTIONARY_ATTRIBUTE, DICTIONARY_STACK,
	MAPPING_START = 1, MAPPING_LIMIT, MAPPING_FILE = 4, MAPPING_ATTRIBUTES,
	LOCATION_MAPPING = 1, LOCATION_ADDRESS, LOCATION_LINES,
	LINE_FUNCTION = 1, LINE_LINE,
	FUNCTION_NAME = 1, FUNCTION_SYSTEM_NAME, FUNCTION_FILE,
	LINK_TRACE = 1, LINK_SPAN,
	ATTRIBUTE_KEY = 1, ATTRIBUTE_VALUE,
	STACK_LOCATIONS = 1
};

/* The part of a sample that all types have in common. */
struct otlp_sample {
	uint32_t stack;		/* number in the table */
	uint32_t attributes;
	uint32_t attribute[MU_LABELS_DEPTH];
};

struct otlp_encoder {
	const struct push_set *set;
	struct push_dictionary *d;
	struct otlp_sample *sample;	/* of all that are kept, and of the others */
	size_t samples;
	struct strings stacks;		/* "3,1,2": stacks are in the table once */
	struct triples attributes;	/* key, text, 0; by number - 1 */
	struct protobuf part, inner, list;
};

/* ---- dictionary ---------------------------------------------------------------------------- */

static uint32_t number_of_attribute(struct otlp_encoder *e, uint32_t key, uint32_t text)
{
	return triples_add(&e->attributes, key, text, 0) + 1;
}

static uint32_t number_of_stack(struct otlp_encoder *e, const uint32_t *location, uint32_t count)
{
	char text[PUSH_DEPTH_MAX * 12], *end = text;

	for (uint32_t i = 0; i < count; i++)
		end += sprintf(end, "%u,", location[i]);
	return strings_add(&e->stacks, text, (size_t)(end - text));
}

static void number_samples(struct otlp_encoder *e)
{
	static uint32_t location[PUSH_DEPTH_MAX];

	e->samples = e->set->kept + push_set_has_other(e->set);
	e->sample = xcalloc(e->samples + 1, sizeof(*e->sample));
	for (size_t i = 0; i < e->samples; i++) {
		uint32_t key[MU_LABELS_DEPTH], text[MU_LABELS_DEPTH];
		struct otlp_sample *s = &e->sample[i];

		s->stack = number_of_stack(e, location,
					   push_dictionary_stack(e->d, i, location));
		s->attributes = push_dictionary_labels(e->d, i, key, text);
		for (uint32_t k = 0; k < s->attributes; k++)
			s->attribute[k] = number_of_attribute(e, key[k], text[k]);
	}
}

static void put_mappings(struct otlp_encoder *e, struct protobuf *out)
{
	const uint32_t key = push_dictionary_text(e->d, "process.executable.build_id.gnu");

	protobuf_message(out, DICTIONARY_MAPPING, &e->part);
	for (uint32_t i = 0; i < e->d->mappings; i++) {
		const struct push_mapping *m = &e->d->mapping[i];

		protobuf_number(&e->part, MAPPING_START, m->start);
		protobuf_number(&e->part, MAPPING_LIMIT, m->end);
		protobuf_number(&e->part, MAPPING_FILE, m->file);
		if (m->build_id) {
			protobuf_varint(&e->list, number_of_attribute(e, key, m->build_id));
			protobuf_message(&e->part, MAPPING_ATTRIBUTES, &e->list);
		}
		protobuf_message(out, DICTIONARY_MAPPING, &e->part);
	}
}

static void put_locations(struct otlp_encoder *e, struct protobuf *out)
{
	protobuf_message(out, DICTIONARY_LOCATION, &e->part);
	for (uint32_t i = 0; i < e->d->locations; i++) {
		const struct push_location *l = &e->d->location[i];

		protobuf_number(&e->part, LOCATION_MAPPING, l->mapping);
		protobuf_number(&e->part, LOCATION_ADDRESS, l->address);
		for (uint32_t k = 0; k < l->lines; k++) {
			const struct push_line *line = &e->d->line[l->first_line + k];

			protobuf_number(&e->inner, LINE_FUNCTION, line->function);
			protobuf_number(&e->inner, LINE_LINE, line->line);
			protobuf_message(&e->part, LOCATION_LINES, &e->inner);
		}
		protobuf_message(out, DICTIONARY_LOCATION, &e->part);
	}
	protobuf_message(out, DICTIONARY_FUNCTION, &e->part);
	for (uint32_t i = 0; i < e->d->functions.count; i++) {
		const struct triple *f = &e->d->functions.triple[i];

		protobuf_number(&e->part, FUNCTION_NAME, f->a);
		protobuf_number(&e->part, FUNCTION_SYSTEM_NAME, f->a);
		protobuf_number(&e->part, FUNCTION_FILE, f->b);
		protobuf_message(out, DICTIONARY_FUNCTION, &e->part);
	}
}

static void put_empty_link(struct otlp_encoder *e, struct protobuf *out)
{
	static const unsigned char zeros[16];

	protobuf_bytes(&e->part, LINK_TRACE, zeros, 16);
	protobuf_bytes(&e->part, LINK_SPAN, zeros, 8);
	protobuf_message(out, DICTIONARY_LINK, &e->part);
}

static void put_stacks(struct otlp_encoder *e, struct protobuf *out)
{
	protobuf_message(out, DICTIONARY_STACK, &e->part);
	for (uint32_t i = 1; i <= e->stacks.count; i++) {
		const char *text = strings_get(&e->stacks, i);
		char *end;

		for (; *text; text = end + 1)
			protobuf_varint(&e->list, strtoul(text, &end, 10));
		protobuf_message(&e->part, STACK_LOCATIONS, &e->list);
		protobuf_message(out, DICTIONARY_STACK, &e->part);
	}
}

static void put_any(struct otlp_encoder *e, struct protobuf *to, unsigned int field,
		    const char *text)
{
	protobuf_bytes(&e->inner, ANY_STRING, text, strlen(text));
	protobuf_message(to, field, &e->inner);
}

static void put_attributes(struct otlp_encoder *e, struct protobuf *out)
{
	protobuf_message(out, DICTIONARY_ATTRIBUTE, &e->part);
	for (uint32_t i = 0; i < e->attributes.count; i++) {
		const struct triple *a = &e->attributes.triple[i];

		protobuf_number(&e->part, ATTRIBUTE_KEY, a->a);
		put_any(e, &e->part, ATTRIBUTE_VALUE, strings_get(&e->d->strings, a->b));
		protobuf_message(out, DICTIONARY_ATTRIBUTE, &e->part);
	}
}

/* After everything that has texts. */
static void put_dictionary(struct otlp_encoder *e, struct protobuf *out)
{
	struct protobuf dictionary = { .size = 0 };

	put_mappings(e, &dictionary);
	put_locations(e, &dictionary);
	put_empty_link(e, &dictionary);
	put_attributes(e, &dictionary);
	put_stacks(e, &dictionary);
	for (uint32_t i = 0; i <= e->d->strings.count; i++) {
		const char *text = strings_get(&e->d->strings, i);

		protobuf_bytes(&dictionary, DICTIONARY_STRING, text, strlen(text));
	}
	protobuf_message(out, REQUEST_DICTIONARY, &dictionary);
	protobuf_free(&dictionary);
}

/* ---- profiles ------------------------------------------------------------------------------ */

static void put_value_type(struct otlp_encoder *e, struct protobuf *to, unsigned int field,
			   const char *type, const char *unit)
{
	protobuf_number(&e->inner, TYPE_TYPE, push_dictionary_text(e->d, type));
	protobuf_number(&e->inner, TYPE_UNIT, push_dictionary_text(e->d, unit));
	protobuf_message(to, field, &e->inner);
}

static void put_sample(struct otlp_encoder *e, struct protobuf *profile,
		       const struct otlp_sample *s, int64_t value)
{
	protobuf_number(&e->part, SAMPLE_STACK, s->stack);
	for (uint32_t i = 0; i < s->attributes; i++)
		protobuf_varint(&e->list, s->attribute[i]);
	if (s->attributes)
		protobuf_message(&e->part, SAMPLE_ATTRIBUTES, &e->list);
	protobuf_varint(&e->list, (uint64_t)value);
	protobuf_message(&e->part, SAMPLE_VALUES, &e->list);
	protobuf_message(profile, PROFILE_SAMPLES, &e->part);
}

/* The time of a profile is the start of its duration; that of pprof is the end. */
static void put_profile(struct otlp_encoder *e, struct protobuf *scopes, int type,
			const unsigned char *id)
{
	const struct push_set *s = e->set;
	struct protobuf profile = { .size = 0 };
	unsigned char own_id[PUSH_ID];

	memcpy(own_id, id, PUSH_ID);
	own_id[PUSH_ID - 1] ^= (unsigned char)type;
	put_value_type(e, &profile, PROFILE_TYPE, push_type_names[type].type,
		       push_type_names[type].unit);
	for (size_t i = 0; i < e->samples; i++) {
		const int64_t *value = i < s->kept ? s->sample[i].value : s->other;

		if (value[type])
			put_sample(e, &profile, &e->sample[i], value[type]);
	}
	protobuf_fixed64(&profile, PROFILE_TIME, s->time_ns > s->duration_ns ?
							 s->time_ns - s->duration_ns : 0);
	protobuf_number(&profile, PROFILE_DURATION, s->duration_ns);
	put_value_type(e, &profile, PROFILE_PERIOD_TYPE, "space", "bytes");
	protobuf_number(&profile, PROFILE_PERIOD, s->distance > 0 ? (uint64_t)s->distance : 1);
	protobuf_bytes(&profile, PROFILE_ID, own_id, PUSH_ID);
	protobuf_message(scopes, SCOPES_PROFILES, &profile);
	protobuf_free(&profile);
}

static void put_resource_attribute(struct otlp_encoder *e, const char *name, const char *value)
{
	protobuf_text(&e->list, PAIR_KEY, name);
	put_any(e, &e->list, PAIR_VALUE, value);
	protobuf_message(&e->part, RESOURCE_ATTRIBUTES, &e->list);
}

static void put_resources(struct otlp_encoder *e, struct protobuf *out,
			  const struct push_identity *of)
{
	struct protobuf resources = { .size = 0 }, scopes = { .size = 0 };

	put_resource_attribute(e, "service.name", of->service);
	for (size_t i = 0; i < of->labels; i++)
		put_resource_attribute(e, of->label[i].name, of->label[i].value);
	protobuf_message(&resources, RESOURCES_RESOURCE, &e->part);
	protobuf_text(&e->part, SCOPE_NAME, "memusage");
	protobuf_text(&e->part, SCOPE_VERSION, of->version);
	protobuf_message(&scopes, SCOPES_SCOPE, &e->part);
	for (int i = 0; i < PUSH_TYPES; i++)
		put_profile(e, &scopes, i, of->id);
	protobuf_message(&resources, RESOURCES_SCOPES, &scopes);
	protobuf_message(out, REQUEST_RESOURCES, &resources);
	protobuf_free(&resources);
	protobuf_free(&scopes);
}

void push_otlp_encode(struct protobuf *out, const struct push_set *s, struct push_dictionary *d,
		      const struct push_identity *of)
{
	struct otlp_encoder e = { .set = s, .d = d };

	number_samples(&e);
	put_resources(&e, out, of);
	put_dictionary(&e, out);
	free(e.sample);
	strings_free(&e.stacks);
	triples_free(&e.attributes);
	protobuf_free(&e.part);
	protobuf_free(&e.inner);
	protobuf_free(&e.list);
}
