/* pprof.c -- profile.proto, the format of pprof.
 *
 * Fields of a message may come in any order, so the table of strings is written last, when all
 * of them are known.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/pprof/pprof.h"

#include <stdlib.h>
#include <string.h>

#include "formats/base/bounds.h"
#include "formats/base/gzip.h"
#include "formats/base/protobuf.h"
#include "formats/base/triples.h"
#include "formats/base/utf8.h"
#include "profile/base/number.h"
#include "profile/base/strings.h"

/* Field numbers of profile.proto. */
enum {
	PROFILE_SAMPLE_TYPE = 1, PROFILE_SAMPLE, PROFILE_MAPPING, PROFILE_LOCATION,
	PROFILE_FUNCTION, PROFILE_STRING, PROFILE_TIME = 9, PROFILE_DURATION,
	PROFILE_PERIOD_TYPE, PROFILE_PERIOD, PROFILE_COMMENT, PROFILE_DEFAULT_TYPE,
	TYPE_TYPE = 1, TYPE_UNIT,
	SAMPLE_LOCATIONS = 1, SAMPLE_VALUES, SAMPLE_LABEL,
	LABEL_KEY = 1, LABEL_TEXT,
	MAPPING_ID = 1, MAPPING_START, MAPPING_END, MAPPING_OFFSET, MAPPING_FILE,
	MAPPING_BUILD_ID, MAPPING_HAS_FUNCTIONS, MAPPING_HAS_FILES, MAPPING_HAS_LINES,
	MAPPING_HAS_INLINES,
	LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_ADDRESS, LOCATION_LINE,
	LINE_FUNCTION = 1, LINE_LINE,
	FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME, FUNCTION_FILE
};

enum { TYPES = 6, TYPES_NOW = 4, DEFAULT_TYPE = 5 };

static const struct {
	const char *type, *unit;
} types[TYPES] = {
	{ "alloc_objects", "count" }, { "alloc_space", "bytes" },
	{ "inuse_objects", "count" }, { "inuse_space", "bytes" },
	{ "peak_objects", "count" }, { "peak_space", "bytes" },
};

struct pprof_writer {
	const struct pprof_now *now;	/* NULL: of one process, when it ended */
	const struct export *e;		/* the process that is being written */
	const struct profile *p;
	uint64_t mappings;		/* numbers that earlier processes have taken */
	uint64_t locations;
	uint64_t earlier_functions;
	struct gzip *gzip;
	struct protobuf out;		/* fields of the profile, not yet written */
	struct protobuf part;		/* a message in it */
	struct protobuf inner;		/* a message or list in that */
	struct strings strings;		/* numbers are those of the format: 0 is "" */
	struct triples functions;	/* name, file, 0; ids are their numbers + 1 */
	bool has_all_names;		/* no reader needs to look for any */
};

static void flush_message(struct pprof_writer *w)
{
	gzip_write(w->gzip, w->out.data, w->out.size);
	w->out.size = 0;
}

static uint32_t number_of_string(struct pprof_writer *w, const char *text)
{
	char *clean = utf8_clean(text, "");
	uint32_t number = strings_add(&w->strings, clean, strlen(clean));

	free(clean);
	return number;
}

static void write_value_type(struct pprof_writer *w, unsigned int field, const char *type,
			     const char *unit)
{
	protobuf_number(&w->part, TYPE_TYPE, number_of_string(w, type));
	protobuf_number(&w->part, TYPE_UNIT, number_of_string(w, unit));
	protobuf_message(&w->out, field, &w->part);
}

/* Mean bytes between two samples, as in Go's heap profiles; 1: every allocation is one. Values are
 * weighed already in either case. */
static void write_period(struct pprof_writer *w, double distance)
{
	write_value_type(w, PROFILE_PERIOD_TYPE, "space", "bytes");
	protobuf_number(&w->out, PROFILE_PERIOD, distance > 0 ? (uint64_t)distance : 1);
}

const char *pprof_describe_estimates(char text[BOUNDS_TEXT], const struct export *e)
{
	const struct sites *s = &e->filter->profile->sites;

	return e->change ? bounds_describe_change(text, e->change, s,
						  sampled_mean_distance(e->image)) :
			   bounds_describe(text, s, e->image);
}

static void write_comments(struct pprof_writer *w, const struct export *e)
{
	char text[BOUNDS_TEXT];

	protobuf_number(&w->out, PROFILE_COMMENT, number_of_string(w, e->command));
	if (*pprof_describe_estimates(text, e))
		protobuf_number(&w->out, PROFILE_COMMENT, number_of_string(w, text));
}

static void write_profile_head(struct pprof_writer *w)
{
	const struct export *e = w->e;

	for (int i = 0; i < TYPES; i++)
		write_value_type(w, PROFILE_SAMPLE_TYPE, types[i].type, types[i].unit);
	write_period(w, sampled_mean_distance(e->image));
	protobuf_number(&w->out, PROFILE_TIME, e->start_real_ns);
	protobuf_number(&w->out, PROFILE_DURATION, e->duration_ns);
	write_comments(w, e);
	protobuf_number(&w->out, PROFILE_DEFAULT_TYPE,
			number_of_string(w, types[DEFAULT_TYPE].type));
	flush_message(w);
}

static void write_head_of_now(struct pprof_writer *w)
{
	const struct pprof_now *now = w->now;
	double distance = 0;

	for (int i = 0; i < TYPES_NOW; i++)
		write_value_type(w, PROFILE_SAMPLE_TYPE, types[i].type, types[i].unit);
	for (size_t i = 0; i < now->count; i++) {
		const double one = sampled_mean_distance(now->process[i]->image);

		distance = one > distance ? one : distance;
		write_comments(w, now->process[i]);
	}
	write_period(w, distance);
	protobuf_number(&w->out, PROFILE_TIME, now->time_ns);
	protobuf_number(&w->out, PROFILE_DURATION, now->duration_ns);
	protobuf_number(&w->out, PROFILE_DEFAULT_TYPE, number_of_string(w, now->default_type));
	flush_message(w);
}

static void write_mappings(struct pprof_writer *w)
{
	for (uint32_t i = 0; i < w->p->modules.count; i++) {
		const struct module *m = &w->p->modules.module[i];
		bool has_names = w->has_all_names ||
				 (i < w->p->symbols.modules &&
				  symbols_state_has_names(w->p->symbols.state[i]));
		char id[2 * BUILD_ID_MAX + 1] = "";

		for (size_t k = 0; k < m->id.length && k < BUILD_ID_MAX; k++)
			sprintf(id + 2 * k, "%02x", m->id.byte[k]);
		protobuf_number(&w->part, MAPPING_ID, w->mappings + i + 1);
		protobuf_number(&w->part, MAPPING_START, m->start);
		protobuf_number(&w->part, MAPPING_END, m->end);
		/* We give the start of the whole object, which is that of its file. */
		protobuf_number(&w->part, MAPPING_OFFSET, 0);
		protobuf_number(&w->part, MAPPING_FILE, number_of_string(w, m->path));
		protobuf_number(&w->part, MAPPING_BUILD_ID, number_of_string(w, id));
		for (unsigned int k = MAPPING_HAS_FUNCTIONS; k <= MAPPING_HAS_INLINES; k++)
			protobuf_number(&w->part, k, has_names);
		protobuf_message(&w->out, PROFILE_MAPPING, &w->part);
		flush_message(w);
	}
}

/* The lines of a location: inlined calls first, their function last. */
static void write_location_lines(struct pprof_writer *w, uint32_t location)
{
	uint32_t count;
	const struct symbols_level *level = profile_levels(w->p, location, &count);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t function;

		if (!level[i].full)
			continue;
		function = triples_add(&w->functions, level[i].full, level[i].file, 0);
		protobuf_number(&w->inner, LINE_FUNCTION, w->earlier_functions + function + 1);
		protobuf_number(&w->inner, LINE_LINE, level[i].line);
		protobuf_message(&w->part, LOCATION_LINE, &w->inner);
	}
}

static void write_locations(struct pprof_writer *w)
{
	for (uint32_t i = 0; i < w->p->location_count; i++) {
		const struct location *l = &w->p->location[i];

		protobuf_number(&w->part, LOCATION_ID, w->locations + i + 1);
		if (l->module < w->p->modules.count)
			protobuf_number(&w->part, LOCATION_MAPPING,
					w->mappings + l->module + 1);
		protobuf_number(&w->part, LOCATION_ADDRESS, l->pc - 1);
		write_location_lines(w, i);
		protobuf_message(&w->out, PROFILE_LOCATION, &w->part);
		flush_message(w);
	}
}

static void write_functions(struct pprof_writer *w)
{
	const struct symbols *s = &w->p->symbols;

	for (uint32_t i = 0; i < w->functions.count; i++) {
		const struct triple *f = &w->functions.triple[i];
		uint32_t name = number_of_string(w, symbols_text(s, f->a));

		protobuf_number(&w->part, FUNCTION_ID, w->earlier_functions + i + 1);
		protobuf_number(&w->part, FUNCTION_NAME, name);
		protobuf_number(&w->part, FUNCTION_SYSTEM_NAME, name);
		protobuf_number(&w->part, FUNCTION_FILE,
				number_of_string(w, symbols_text(s, f->b)));
		protobuf_message(&w->out, PROFILE_FUNCTION, &w->part);
		flush_message(w);
	}
}

/* Sums of a damaged recording may be negative. */
static uint64_t value_of_now(const struct pprof_writer *w, int64_t value)
{
	return w->now && w->now->is_change ? (uint64_t)value : positive_or_zero(value);
}

static void write_label(struct pprof_writer *w, const char *key, const char *text)
{
	protobuf_number(&w->inner, LABEL_KEY, number_of_string(w, key));
	protobuf_number(&w->inner, LABEL_TEXT, number_of_string(w, text));
	protobuf_message(&w->part, SAMPLE_LABEL, &w->inner);
}

static void write_pid_label(struct pprof_writer *w)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", w->e->pid);
	write_label(w, "pid", text);
}

static void write_thread_labels(struct pprof_writer *w, uint32_t set)
{
	struct label label[MU_LABELS_DEPTH];
	uint32_t count = labels_of_set(&w->p->labels, set, label);

	for (uint32_t i = 0; i < count; i++)
		write_label(w, label[i].key, label[i].value);
}

static void write_sample(struct pprof_writer *w, const struct site *s, const struct filtered *stack)
{
	const uint64_t value[TYPES] = { s->total_blocks,
					s->total_bytes,
					value_of_now(w, s->live_blocks),
					value_of_now(w, s->live_bytes),
					positive_or_zero(s->peak_blocks),
					positive_or_zero(s->peak_bytes) };
	uint32_t frame = stack->frame;

	for (uint32_t i = 0; i < stack->count && frame; i++, frame = w->p->frame[frame].parent)
		protobuf_varint(&w->inner, w->locations + w->p->frame[frame].location + 1);
	protobuf_message(&w->part, SAMPLE_LOCATIONS, &w->inner);
	for (int i = 0; i < (w->now ? TYPES_NOW : TYPES); i++)
		protobuf_varint(&w->inner, value[i]);
	protobuf_message(&w->part, SAMPLE_VALUES, &w->inner);
	if (w->now)
		write_pid_label(w);
	write_thread_labels(w, s->label);
	protobuf_message(&w->out, PROFILE_SAMPLE, &w->part);
	flush_message(w);
}

bool pprof_shows_site(const struct pprof_now *now, const struct site *s)
{
	struct site known = *s;

	if (!now || !now->is_change)
		return sites_is_counted(s);
	known.total_blocks = 1;
	return sites_is_counted(&known) && (s->total_blocks || s->total_bytes || s->live_blocks ||
					    s->live_bytes);
}

static void write_all_samples(struct pprof_writer *w)
{
	for (uint32_t i = 0; i < w->p->sites.count; i++) {
		const struct site *s = &w->p->sites.site[i];
		struct filtered stack = filter_stack(w->e->filter, s->stack);

		if (pprof_shows_site(w->now, s) && !stack.is_ignored)
			write_sample(w, s, &stack);
	}
}

static void write_string_table(struct pprof_writer *w)
{
	for (uint32_t i = 0; i <= w->strings.count; i++) {
		const char *text = strings_get(&w->strings, i);

		protobuf_bytes(&w->out, PROFILE_STRING, text, strlen(text));
		flush_message(w);
	}
}

/* Everything that has numbers of its own in each process. */
static void write_process(struct pprof_writer *w, const struct export *e)
{
	w->e = e;
	w->p = e->filter->profile;
	w->functions = (struct triples){ .count = 0 };
	write_mappings(w);
	write_locations(w);
	write_functions(w);
	write_all_samples(w);
	w->mappings += w->p->modules.count;
	w->locations += w->p->location_count;
	w->earlier_functions += w->functions.count;
	triples_free(&w->functions);
}

static void finish_profile(struct pprof_writer *w)
{
	write_string_table(w);
	gzip_close(w->gzip);
	protobuf_free(&w->out);
	protobuf_free(&w->part);
	protobuf_free(&w->inner);
	strings_free(&w->strings);
}

void pprof_write(FILE *out, const struct export *e)
{
	struct pprof_writer w = { .e = e, .p = e->filter->profile, .gzip = gzip_open(out) };

	write_profile_head(&w);
	write_process(&w, e);
	finish_profile(&w);
}

void pprof_write_now(FILE *out, const struct pprof_now *now)
{
	struct pprof_writer w = { .now = now, .gzip = gzip_open(out) };

	write_head_of_now(&w);
	for (size_t i = 0; i < now->count; i++)
		write_process(&w, now->process[i]);
	finish_profile(&w);
}

/* ---- comparisons --------------------------------------------------------------------------- */

/* Returns the number of the first of two types; TYPES if the format has none for the metric. */
static int types_of_metric(enum metric_kind kind)
{
	return kind == METRIC_TOTAL ? 0 : kind == METRIC_LIVE ? 2 : kind == METRIC_PEAK ? 4 : TYPES;
}

static void write_diff_head(struct pprof_writer *w, const struct diff_export *e)
{
	int type = TYPES;

	for (uint32_t i = 0; i < e->metrics; i++) {
		if (types_of_metric(e->metric[i].kind) == TYPES)
			continue;
		type = types_of_metric(e->metric[i].kind);
		write_value_type(w, PROFILE_SAMPLE_TYPE, types[type].type, types[type].unit);
		write_value_type(w, PROFILE_SAMPLE_TYPE, types[type + 1].type,
				 types[type + 1].unit);
	}
	write_value_type(w, PROFILE_PERIOD_TYPE, "space", "bytes");
	protobuf_number(&w->out, PROFILE_PERIOD, e->distance > 0 ? (uint64_t)e->distance : 1);
	for (int s = 0; s < SIDES; s++) {
		protobuf_number(&w->out, PROFILE_COMMENT, number_of_string(w, e->file[s]));
		protobuf_number(&w->out, PROFILE_COMMENT, number_of_string(w, e->process[s]));
	}
	if (types_of_metric(e->metric[0].kind) < TYPES)
		protobuf_number(&w->out, PROFILE_DEFAULT_TYPE,
				number_of_string(w, types[types_of_metric(e->metric[0].kind) + 1]
							    .type));
	flush_message(w);
}

/* Writes what one file has at a site, unless that is nothing. */
static void write_diff_sample(struct pprof_writer *w, const struct diff_export *e, enum side side,
			      uint32_t site)
{
	const uint32_t frame = w->p->stack[w->p->sites.site[site].stack].frame;
	bool has_values = false;

	for (uint32_t f = frame; f; f = w->p->frame[f].parent)
		protobuf_varint(&w->inner, (uint64_t)w->p->frame[f].location + 1);
	protobuf_message(&w->part, SAMPLE_LOCATIONS, &w->inner);
	for (uint32_t i = 0; i < e->metrics; i++) {
		const struct weight *v = &e->metric[i].weight[side][site];

		if (types_of_metric(e->metric[i].kind) == TYPES)
			continue;
		has_values |= v->bytes != 0 || v->blocks != 0;
		protobuf_varint(&w->inner, (uint64_t)(side == SIDE_OLD ? -v->blocks : v->blocks));
		protobuf_varint(&w->inner, (uint64_t)(side == SIDE_OLD ? -v->bytes : v->bytes));
	}
	protobuf_message(&w->part, SAMPLE_VALUES, &w->inner);
	if (side == SIDE_OLD) {
		protobuf_number(&w->inner, LABEL_KEY, number_of_string(w, "pprof::base"));
		protobuf_number(&w->inner, LABEL_TEXT, number_of_string(w, "true"));
		protobuf_message(&w->part, SAMPLE_LABEL, &w->inner);
	}
	if (has_values)
		protobuf_message(&w->out, PROFILE_SAMPLE, &w->part);
	w->part.size = 0;
	flush_message(w);
}

void pprof_write_diff(FILE *out, const struct diff_export *e)
{
	struct pprof_writer w = { .p = &e->comparison->profile, .gzip = gzip_open(out),
				  .has_all_names = true };

	write_diff_head(&w, e);
	write_mappings(&w);
	write_locations(&w);
	write_functions(&w);
	for (int s = 0; s < SIDES; s++)
		for (uint32_t i = 0; i < w.p->sites.count; i++)
			write_diff_sample(&w, e, s, i);
	finish_profile(&w);
	triples_free(&w.functions);
}
