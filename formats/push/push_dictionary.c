/* push_dictionary.c -- The texts, functions, locations and objects that the samples of a push use.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/push/push_dictionary.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "formats/base/utf8.h"
#include "profile/base/array.h"

/* Code of no object has other names in each process. */
#define NO_MAPPING UINT32_C(0x80000000)

uint32_t push_dictionary_text(struct push_dictionary *d, const char *text)
{
	char *clean = utf8_clean(text, "");
	uint32_t number = strings_add(&d->strings, clean, strlen(clean));

	free(clean);
	return number;
}

static const struct profile *profile_of(const struct push_dictionary *d, uint32_t process)
{
	return d->set->process[process].export->filter->profile;
}

/* ---- objects ------------------------------------------------------------------------------- */

static struct push_mapping describe_module(struct push_dictionary *d, const struct profile *p,
					   uint32_t module)
{
	const struct module *m = &p->modules.module[module];
	char id[2 * BUILD_ID_MAX + 1] = "";

	for (size_t k = 0; k < m->id.length && k < BUILD_ID_MAX; k++)
		sprintf(id + 2 * k, "%02x", m->id.byte[k]);
	return (struct push_mapping){
		.start = m->start, .end = m->end,
		.file = push_dictionary_text(d, m->path),
		.build_id = push_dictionary_text(d, id),
		.has_names = module < p->symbols.modules &&
			     symbols_state_has_names(p->symbols.state[module]),
	};
}

static bool is_same_mapping(const struct push_mapping *a, const struct push_mapping *b)
{
	return a->start == b->start && a->end == b->end && a->file == b->file &&
	       a->build_id == b->build_id;
}

static uint32_t number_of_module(struct push_dictionary *d, uint32_t process, uint32_t module)
{
	const struct profile *p = profile_of(d, process);
	struct push_mapping m;

	if (module >= p->modules.count)
		return 0;
	if (d->mapping_of[process][module])
		return d->mapping_of[process][module];
	m = describe_module(d, p, module);
	for (uint32_t i = 0; i < d->mappings; i++) {
		if (is_same_mapping(&d->mapping[i], &m))
			return d->mapping_of[process][module] = i + 1;
	}
	array_reserve(&d->mapping, &d->mapping_room, d->mappings + 1, sizeof(*d->mapping));
	d->mapping[d->mappings++] = m;
	return d->mapping_of[process][module] = d->mappings;
}

/* ---- locations ----------------------------------------------------------------------------- */

static void append_line(struct push_dictionary *d, uint32_t name, uint32_t file, uint32_t line)
{
	array_reserve(&d->line, &d->line_room, d->lines + 1, sizeof(*d->line));
	d->line[d->lines++] = (struct push_line){ triples_add(&d->functions, name, file, 0) + 1,
						  line };
}

static void append_location(struct push_dictionary *d, uint64_t address, uint32_t mapping)
{
	array_reserve(&d->location, &d->location_room, d->locations + 1, sizeof(*d->location));
	d->location[d->locations++] = (struct push_location){
		.address = address, .mapping = mapping, .first_line = d->lines };
}

static void add_location(struct push_dictionary *d, uint32_t process, uint32_t location,
			 uint32_t mapping)
{
	const struct profile *p = profile_of(d, process);
	uint32_t count;
	const struct symbols_level *level = profile_levels(p, location, &count);

	append_location(d, p->location[location].pc - 1, mapping);
	for (uint32_t i = 0; i < count; i++) {
		if (level[i].full)
			append_line(d, push_dictionary_text(d, symbols_text(&p->symbols,
									    level[i].full)),
				    push_dictionary_text(d, symbols_text(&p->symbols,
									 level[i].file)),
				    level[i].line);
	}
	d->location[d->locations - 1].lines = d->lines - d->location[d->locations - 1].first_line;
}

static uint32_t number_of_location(struct push_dictionary *d, uint32_t process, uint32_t location)
{
	const struct location *l = &profile_of(d, process)->location[location];
	uint32_t mapping = number_of_module(d, process, l->module), key;

	key = triples_add(&d->keys, mapping ? mapping : NO_MAPPING | process,
			  (uint32_t)(l->pc >> 32), (uint32_t)l->pc);
	if (key == d->locations)
		add_location(d, process, location, mapping);
	return key + 1;
}

/* Number 0 of the keys is that of PUSH_OTHER, which has no address. */
static void add_other_location(struct push_dictionary *d)
{
	triples_add(&d->keys, 0, 0, 0);
	append_location(d, 0, 0);
	append_line(d, push_dictionary_text(d, PUSH_OTHER), 0, 0);
	d->location[0].lines = 1;
	d->other = 1;
}

/* ---- samples ------------------------------------------------------------------------------- */

static struct filtered stack_of_sample(const struct push_dictionary *d, size_t sample)
{
	const struct push_sample *s = &d->set->sample[sample];
	const struct filter *f = d->set->process[s->process].export->filter;

	return filter_stack(f, f->profile->sites.site[s->site].stack);
}

static void number_stack(struct push_dictionary *d, size_t sample)
{
	const uint32_t process = d->set->sample[sample].process;
	const struct profile *p = profile_of(d, process);
	struct filtered stack = stack_of_sample(d, sample);
	uint32_t frame = stack.frame;

	for (uint32_t i = 0; i < stack.count && i < PUSH_DEPTH_MAX && frame; i++) {
		const uint32_t location = p->frame[frame].location;

		if (!d->location_of[process][location])
			d->location_of[process][location] =
				number_of_location(d, process, location);
		frame = p->frame[frame].parent;
	}
}

uint32_t push_dictionary_stack(const struct push_dictionary *d, size_t sample,
			       uint32_t location[PUSH_DEPTH_MAX])
{
	uint32_t count = 0, process, frame;
	struct filtered stack;

	if (sample < d->set->kept) {
		process = d->set->sample[sample].process;
		stack = stack_of_sample(d, sample);
		frame = stack.frame;
		for (; count < stack.count && count < PUSH_DEPTH_MAX && frame;
		     frame = profile_of(d, process)->frame[frame].parent)
			location[count++] = d->location_of[process][profile_of(d, process)
									    ->frame[frame]
									    .location];
	}
	if (count == 0)
		location[count++] = d->other;
	return count;
}

void push_label_name(char *name)
{
	for (char *c = name; *c; c++) {
		const bool is_letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z');

		if (!is_letter && *c != '_' && (*c < '0' || *c > '9' || c == name))
			*c = '_';
	}
}

uint32_t push_dictionary_labels(struct push_dictionary *d, size_t sample,
				uint32_t key[MU_LABELS_DEPTH], uint32_t text[MU_LABELS_DEPTH])
{
	struct label label[MU_LABELS_DEPTH];
	uint32_t count = 0, labels = 0;

	if (sample < d->set->kept) {
		const struct push_sample *s = &d->set->sample[sample];
		const struct profile *p = profile_of(d, s->process);

		labels = labels_of_set(&p->labels, p->sites.site[s->site].label, label);
	}
	for (uint32_t i = 0; i < labels; i++) {
		char *name = xstrdup(label[i].key);
		bool is_new = true;

		push_label_name(name);
		key[count] = push_dictionary_text(d, name);
		text[count] = push_dictionary_text(d, label[i].value);
		free(name);
		for (uint32_t k = 0; k < count; k++)
			is_new &= key[k] != key[count];
		count += is_new;
	}
	return count;
}

/* ---- all ----------------------------------------------------------------------------------- */

void push_dictionary_build(struct push_dictionary *d, const struct push_set *set)
{
	*d = (struct push_dictionary){ .set = set };
	d->mapping_of = xcalloc(set->processes + 1, sizeof(*d->mapping_of));
	d->location_of = xcalloc(set->processes + 1, sizeof(*d->location_of));
	for (uint32_t i = 0; i < set->processes; i++) {
		const struct profile *p = profile_of(d, i);

		d->mapping_of[i] = xcalloc((size_t)p->modules.count + 1, sizeof(uint32_t));
		d->location_of[i] = xcalloc((size_t)p->location_count + 1, sizeof(uint32_t));
	}
	add_other_location(d);
	for (size_t i = 0; i < set->kept; i++)
		number_stack(d, i);
}

void push_dictionary_free(struct push_dictionary *d)
{
	for (size_t i = 0; d->set && i < d->set->processes; i++) {
		free(d->mapping_of[i]);
		free(d->location_of[i]);
	}
	free(d->mapping_of);
	free(d->location_of);
	free(d->mapping);
	free(d->location);
	free(d->line);
	strings_free(&d->strings);
	triples_free(&d->functions);
	triples_free(&d->keys);
	*d = (struct push_dictionary){ .set = NULL };
}
