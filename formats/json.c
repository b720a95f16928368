/* json.c -- everything that is known of an image, for programs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "formats/holders/json_holders.h"
#include "formats/json_examined.h"
#include "formats/json_run.h"
#include "profile/model/place_trends.h"
#include "profile/read/accesses.h"
#include "profile/read/site_errors.h"
#include "profile/read/timeline.h"

static void write_build_id(FILE *out, const struct build_id *id)
{
	fputs("\"build_id\":\"", out);
	for (uint32_t i = 0; i < id->length && i < BUILD_ID_MAX; i++)
		fprintf(out, "%02x", id->byte[i]);
	fputs("\",", out);
}

static void write_module_list(FILE *out, const struct profile *p)
{
	fputs("\"modules\":[", out);
	for (uint32_t i = 0; i < p->modules.count; i++) {
		const struct module *m = &p->modules.module[i];
		bool has_names = i < p->symbols.modules &&
				 symbols_state_has_names(p->symbols.state[i]);

		fputs(i ? ",\n {" : "\n {", out);
		json_put_field(out, "path", m->path);
		write_build_id(out, &m->id);
		fprintf(out, "\"start\":\"0x%" PRIx64 "\",\"end\":\"0x%" PRIx64
			"\",\"bias\":\"0x%" PRIx64 "\",\"names\":%s}", m->start, m->end, m->bias,
			has_names ? "true" : "false");
	}
	fputs("],\n", out);
}

void json_put_levels(FILE *out, const struct profile *p, uint32_t location)
{
	uint32_t count;
	const struct symbols_level *level = profile_levels(p, location, &count);

	fputs("\"levels\":[", out);
	for (uint32_t i = 0; i < count; i++) {
		fputs(i ? ",{" : "{", out);
		json_put_field(out, "function", symbols_text(&p->symbols, level[i].full));
		json_put_field(out, "file", symbols_text(&p->symbols, level[i].file));
		fprintf(out, "\"line\":%" PRIu32 "}", level[i].line);
	}
	fputs("]}", out);
}

static void write_locations(FILE *out, const struct profile *p)
{
	fputs("\"locations\":[", out);
	for (uint32_t i = 0; i < p->location_count; i++) {
		fprintf(out, "%s{\"pc\":\"0x%" PRIx64 "\",\"module\":", i ? ",\n " : "\n ",
			p->location[i].pc);
		if (p->location[i].module < p->modules.count)
			fprintf(out, "%" PRIu32 ",", p->location[i].module);
		else
			fputs("null,", out);
		json_put_levels(out, p, i);
	}
	fputs("],\n", out);
}

static void write_stack_frames(FILE *out, const struct profile *p, const struct filtered *stack)
{
	uint32_t frame = stack->frame;

	fputs("\"stack\":[", out);
	for (uint32_t i = 0; i < stack->count && frame; i++, frame = p->frame[frame].parent)
		fprintf(out, "%s%" PRIu32, i ? "," : "", p->frame[frame].location);
	fputs("],", out);
}

/* ---- sites ------------------------------------------------------------------------------- */

/* The data of a site besides its sums. */
struct site_details {
	struct sites_classes *classes;
	struct weight *growth;	    /* NULL if a snapshot is damaged */
	struct site_errors *errors; /* NULL if nothing was sampled */
	struct sampled_error *growth_error; /* NULL without both */
	double distance;	    /* mean bytes between two samples */
	bool has_lifetimes;
	uint32_t *place;	    /* number in trend of each site, or PLACE_NONE */
	enum trend *trend;
	struct accesses accesses;   /* without sites: none were counted */
};

/* The intervals of a sampled recording. */
static void write_site_error(FILE *out, const char *name, const struct sampled_error *e,
			     int64_t bytes, int64_t blocks, double distance)
{
	fprintf(out, "\"%s\":{\"samples\":%.0f", name, e->samples);
	json_put_interval(out, "bytes", sampled_bytes_interval(e, (double)bytes, distance));
	json_put_interval(out, "blocks", sampled_blocks_interval(e, (double)blocks));
	fputs("}", out);
}

static void write_site_errors(FILE *out, const struct site *s, const struct site_errors *e,
			      const struct weight *growth, double distance)
{
	fputs("\"interval_95\":{", out);
	write_site_error(out, "peak", &e->peak, s->peak_bytes, s->peak_blocks, distance);
	fputs(",", out);
	write_site_error(out, "live", &e->live, s->live_bytes, s->live_blocks, distance);
	fputs(",", out);
	write_site_error(out, "total", &e->total, (int64_t)s->total_bytes,
			 (int64_t)s->total_blocks, distance);
	if (growth && growth->error) {
		fputs(",", out);
		write_site_error(out, "growth", growth->error, growth->bytes, growth->blocks,
				 distance);
	}
	fputs("},", out);
}

static void write_site_numbers(FILE *out, const struct site *s, const struct site_details *d,
			       uint32_t number)
{
	fprintf(out, "\"peak_bytes\":%" PRId64 ",\"peak_blocks\":%" PRId64
		",\"live_bytes\":%" PRId64 ",\"live_blocks\":%" PRId64 ",", s->peak_bytes,
		s->peak_blocks, s->live_bytes, s->live_blocks);
	fprintf(out, "\"total_bytes\":%" PRIu64 ",\"total_blocks\":%" PRIu64
		",\"temporary_blocks\":%" PRIu64 ",\"max_bytes\":%" PRId64, s->total_bytes,
		s->total_blocks, s->temporary, s->max_bytes);
	if (d->growth)
		fprintf(out, ",\"growth_bytes\":%" PRId64 ",\"growth_blocks\":%" PRId64,
			d->growth[number].bytes, d->growth[number].blocks);
	if (d->place[number] != PLACE_NONE && trend_name(d->trend[d->place[number]]))
		fprintf(out, ",\"trend\":\"%s\"", trend_name(d->trend[d->place[number]]));
	if (s->total_blocks > 0 && d->has_lifetimes)
		fprintf(out, ",\"lifetime_ns\":%.0f",
			(double)s->life / (double)s->total_blocks * SITES_TICK_NS);
	if (number < d->accesses.sites)
		fprintf(out, ",\"read_bytes\":%" PRIu64 ",\"written_bytes\":%" PRIu64,
			d->accesses.site[number].read_bytes,
			d->accesses.site[number].written_bytes);
	fputs(",\"size_classes\":[", out);
	for (unsigned int i = 0; i < SITES_CLASSES; i++)
		fprintf(out, "%s%" PRIu64, i ? "," : "", d->classes[number].blocks[i]);
	fputs("]}", out);
}

static bool is_site_listed(const struct filter *f, uint32_t number)
{
	const struct site *s = &f->profile->sites.site[number];

	return sites_is_counted(s) && !filter_stack(f, s->stack).is_ignored;
}

/* "labels":{"request":"login"}, */
static void write_site_labels(FILE *out, const struct labels *labels, uint32_t set)
{
	struct label label[MU_LABELS_DEPTH];
	uint32_t count = labels_of_set(labels, set, label);

	for (uint32_t i = 0; i < count; i++) {
		fputs(i ? "," : "\"labels\":{", out);
		json_put_string(out, label[i].key);
		putc(':', out);
		json_put_string(out, label[i].value);
	}
	fputs(count ? "}," : "", out);
}

static void write_site_list(FILE *out, const struct filter *f, const struct site_details *details)
{
	const struct profile *p = f->profile;
	const char *before = "\n {";

	fputs("\"sites\":[", out);
	for (uint32_t i = 0; i < p->sites.count; i++) {
		const struct site *s = &p->sites.site[i];
		struct filtered stack = filter_stack(f, s->stack);
		bool is_truncated = s->stack < p->stack_count &&
				    (p->stack[s->stack].flags & MU_STACK_TRUNCATED);

		if (!is_site_listed(f, i))
			continue;
		fprintf(out, "%s\"call\":\"%s\",", before, json_function_name(s->fn));
		write_stack_frames(out, p, &stack);
		fprintf(out, "\"truncated\":%s,", is_truncated ? "true" : "false");
		write_site_labels(out, &p->labels, s->label);
		if (details->errors)
			write_site_errors(out, s, &details->errors[i],
					  details->growth ? &details->growth[i] : NULL,
					  details->distance);
		write_site_numbers(out, s, details, i);
		before = ",\n {";
	}
	fputs("],\n", out);
}

/* "growth":{"from":"snapshot","from_ns":1,"to":"end","to_ns":2,"bytes":3,"blocks":4}, */
static void write_growth_sums(FILE *out, const struct filter *f, const struct growth_range *g,
			      const struct weight *growth)
{
	int64_t bytes = 0, blocks = 0;

	for (uint32_t i = 0; i < f->profile->sites.count; i++) {
		if (!is_site_listed(f, i))
			continue;
		bytes = (int64_t)((uint64_t)bytes + (uint64_t)growth[i].bytes);
		blocks = (int64_t)((uint64_t)blocks + (uint64_t)growth[i].blocks);
	}
	fprintf(out, "\"growth\":{\"from\":\"%s\",\"from_ns\":%" PRIu64 ",\"to\":\"%s\",\"to_ns\":%"
		PRIu64 ",", moment_kind_name(g->from.kind), g->from.ns,
		moment_kind_name(g->to.kind), g->to.ns);
	fprintf(out, "\"bytes\":%" PRId64 ",\"blocks\":%" PRId64 "},\n", bytes, blocks);
}

/* Judges the sites that ever held a thousandth of the heap peak. */
static void judge_sites(struct site_details *d, const struct export *e)
{
	const struct sites *sites = &e->filter->profile->sites;
	uint32_t count = 0;

	d->place = xcalloc((size_t)sites->count + 1, sizeof(*d->place));
	d->trend = xcalloc((size_t)sites->count + 1, sizeof(*d->trend));
	for (uint32_t i = 0; i < sites->count; i++)
		d->place[i] = is_site_listed(e->filter, i) && sites->site[i].max_bytes > 0 &&
			      sites->site[i].max_bytes >= e->image->head.heap.peak / 1000 ?
			      count++ : PLACE_NONE;
	place_trends_judge(d->trend, d->place, count, sites, e->image, d->errors,
			   e->by_bytes);
}

static void write_sites(FILE *out, const struct export *e)
{
	const struct sites *sites = &e->filter->profile->sites;
	struct site_details d = {
		.classes = sites_classes(sites, e->image),
		.errors = site_errors_load(sites, e->image),
		.distance = sampled_mean_distance(e->image),
		.has_lifetimes = sites->has_lifetimes,
	};
	struct growth_range g;
	struct mu_error err;

	if (e->image->head.features & MU_FEATURE(MU_SEC_ACCESSES))
		accesses_load(&d.accesses, e->image, sites->count, NULL);
	if (e->growth)
		g = *e->growth;
	else
		moment_choose_range(&g, e->image);
	d.growth = xcalloc((size_t)sites->count + 1, sizeof(*d.growth));
	if (moment_growth(sites, e->image, &g, d.growth, &err) < 0) {
		free(d.growth);
		d.growth = NULL;
	}
	if (d.growth && d.errors) {
		d.growth_error = xcalloc((size_t)sites->count + 1, sizeof(*d.growth_error));
		moment_growth_errors(sites, e->image, &g, d.errors, d.growth, d.growth_error, &err);
	}
	judge_sites(&d, e);
	if (d.growth)
		write_growth_sums(out, e->filter, &g, d.growth);
	write_site_list(out, e->filter, &d);
	free(d.classes);
	free(d.growth);
	free(d.errors);
	free(d.growth_error);
	free(d.place);
	free(d.trend);
	accesses_free(&d.accesses);
}

/* Sums of a damaged recording may wrap. */
static void add_to_sum(int64_t *sum, int64_t value)
{
	*sum = (int64_t)((uint64_t)*sum + (uint64_t)value);
}

/* Returns all sites as one. */
static struct site sum_of_sites(const struct sites *sites)
{
	struct site sum = { .stack = 0 };

	for (uint32_t i = 0; i < sites->count; i++) {
		const struct site *s = &sites->site[i];

		if (!sites_is_counted(s))
			continue;
		add_to_sum(&sum.peak_bytes, s->peak_bytes);
		add_to_sum(&sum.peak_blocks, s->peak_blocks);
		add_to_sum(&sum.live_bytes, s->live_bytes);
		add_to_sum(&sum.live_blocks, s->live_blocks);
		sum.total_bytes += s->total_bytes;
		sum.total_blocks += s->total_blocks;
	}
	return sum;
}

/* How the blocks were sampled, if they were. */
static void write_sampling(FILE *out, const struct export *e, const struct json_estimates *of)
{
	const struct mu_sampling *s = &e->image->head.sampling;
	const struct site all = sum_of_sites(&e->filter->profile->sites);

	if (of->distance <= 0)
		return;
	fputs("\"sampling\":{", out);
	write_site_errors(out, &all, &of->sum, NULL, of->distance);
	fprintf(out, "\"bytes\":%.0f,\"first_bytes\":%.0f,\"samples\":%" PRIu64
		",\"live\":%" PRIu64 ",\"thinned\":%" PRIu64 ",\"lost\":%" PRIu64
		",\"cost_ns\":%" PRIu64 "},\n", of->distance,
		ldexp(1, (int)(s->first_log2 & 63)), s->samples, s->live, s->thinned, s->losses,
		s->slow_ns);
}

static void write_snapshots(FILE *out, const struct image *im, const struct json_estimates *of)
{
	static const char *const kinds[] = { "normal", "detailed", "peak", "requested" };
	const uint64_t start = im->head.process.start_mono_ns;

	fputs("\"snapshots\":[", out);
	for (uint64_t i = 0; i < image_count(im, MU_SEC_SNAPSHOTS); i++) {
		struct mu_snapshot s;

		if (!image_snapshot(im, i, &s))
			break;
		fprintf(out, "%s{\"time_ns\":%" PRIu64 ",\"kind\":\"%s\",",
			i ? ",\n " : "\n ", s.mono_ns > start ? s.mono_ns - start : 0,
			s.kind < 4 ? kinds[s.kind] : "other");
		fprintf(out, "\"heap\":%" PRId64 ",\"extra\":%" PRId64 ",\"clock_bytes\":%" PRIu64,
			s.heap, s.extra, s.clock_bytes);
		json_put_heap_bounds(out, s.heap, of);
		putc('}', out);
	}
	fputs("],\n", out);
}

/* The memory that the kernel reports. */
static void write_timeline(FILE *out, const struct image *im)
{
	struct timeline t;
	uint32_t count = timeline_load(&t, im, NULL) == 0 ? t.count : 0;

	fprintf(out, "\"rss_peak\":%" PRIu64 ",\"timeline\":[", t.rss_peak);
	for (uint32_t i = 0; i < count; i++) {
		const struct mu_sample *s = &t.sample[i];

		fprintf(out, "%s{\"time_ns\":%" PRIu64 ",\"heap\":%" PRId64 ",\"stacks\":%" PRId64
			",", i ? ",\n " : "\n ",
			s->mono_ns > t.start_ns ? s->mono_ns - t.start_ns : 0, s->heap, s->stack);
		fprintf(out, "\"rss_anon\":%" PRIu64 ",\"rss_file\":%" PRIu64 ",\"rss_shmem\":%"
			PRIu64 ",\"swap\":%" PRIu64 ",", s->rss_anon, s->rss_file, s->rss_shmem,
			s->swap);
		fprintf(out, "\"recorder_shmem\":%" PRIu64 ",\"recorder_anon\":%" PRIu64
			",\"events\":%" PRIu64 ",\"mapped\":%" PRIu64 "}", s->recorder,
			s->recorder_anon, s->events, s->mapped);
	}
	fputs("]", out);
	timeline_free(&t);
}

/* ,"resident_rise":{"from":1,"to":2,"heap_from":3,"heap_to":4}, if there is one. */
static void write_resident_rise(FILE *out, const struct image *im)
{
	struct resident_rise r;

	if (!resident_rise_find(&r, im))
		return;
	fprintf(out, ",\n\"resident_rise\":{\"from\":%" PRIu64 ",\"to\":%" PRIu64
		",\"heap_from\":%" PRIu64 ",\"heap_to\":%" PRIu64 "}", r.from, r.to,
		r.heap_from, r.heap_to);
}

/* The parts of the memory when most was resident. */
static void write_memory_split(FILE *out, const struct image *im, const struct json_estimates *of)
{
	struct memory_split m = { 0 };
	struct timeline t;

	if (timeline_load(&t, im, NULL) == 0)
		timeline_split(&t, timeline_highest(&t), &m);
	fprintf(out, ",\n\"memory\":{\"time_ns\":%" PRIu64 ",\"resident\":%" PRIu64
		",\"heap\":%" PRIu64 ",\"spare\":%" PRIu64 ",\"globals\":%" PRIu64 ",", m.time_ns,
		m.resident, m.heap, m.spare, m.globals);
	fprintf(out, "\"stacks\":%" PRIu64 ",\"file\":%" PRIu64 ",\"shared\":%" PRIu64
		",\"recorder\":%" PRIu64 ",\"untouched\":%" PRIu64 ",\"swap\":%" PRIu64,
		m.stacks, m.file, m.shared, m.recorder, m.untouched, m.swap);
	json_put_heap_bounds(out, (int64_t)m.heap, of);
	putc('}', out);
	timeline_free(&t);
}

/* These members name sites by their indexes in the list. */
static void write_examinations(FILE *out, const struct export *e)
{
	const uint32_t sites = e->filter->profile->sites.count;
	uint32_t *listed = xcalloc((size_t)sites + 1, sizeof(*listed)), count = 0;

	for (uint32_t i = 0; i < sites; i++)
		listed[i] = is_site_listed(e->filter, i) ? count++ : UINT32_MAX;
	json_write_pages(out, e, listed);
	json_write_holders(out, e->image, e->filter->profile, listed);
	json_write_checks(out, e, listed);
	free(listed);
}

void json_write(FILE *out, const struct export *e)
{
	struct json_estimates of = { .distance = sampled_mean_distance(e->image) };

	site_errors_sum(&of.sum, &e->filter->profile->sites, e->image);
	fputs("{\"format\":\"memusage\",\"version\":1,", out);
	json_put_field(out, "creator", e->version);
	fprintf(out, "\"pid\":%" PRIu32 ",", e->pid);
	json_put_field(out, "command", e->command);
	fprintf(out, "\"start_real_ns\":%" PRIu64 ",\"duration_ns\":%" PRIu64 ",\n",
		e->start_real_ns, e->duration_ns);
	json_write_run(out, e, &of);
	write_sampling(out, e, &of);
	write_module_list(out, e->filter->profile);
	write_locations(out, e->filter->profile);
	write_sites(out, e);
	write_snapshots(out, e->image, &of);
	write_timeline(out, e->image);
	write_memory_split(out, e->image, &of);
	write_resident_rise(out, e->image);
	write_examinations(out, e);
	fputs("}\n", out);
}
