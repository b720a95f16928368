/* spacetime.c -- bytes x milliseconds: adding up, the summary, and the file for hp2ps.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/spacetime.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "profile/read/snapshot_values.h"

enum { CURVES = 32, NAME_CHARS = 15, SNAPSHOTS_MAX = 1 << 22 };

/* ---- adding up --------------------------------------------------------------------------- */

static bool is_usable_snapshot(const struct mu_snapshot *shot, uint64_t not_before)
{
	return shot->kind <= MU_SNAPSHOT_PEAK && snapshot_values_are_known(shot) &&
	       shot->mono_ns >= not_before;
}

/* When the process ended; of one that ran no exit handlers, when it was last seen. */
static uint64_t end_of_run_ns(const struct spacetime *s)
{
	uint64_t exit_ns = s->image->head.process.exit_mono_ns;

	if (exit_ns == 0 && s->timeline.count > 0)
		exit_ns = s->timeline.sample[s->timeline.count - 1].mono_ns;
	return exit_ns;
}

/* Estimates the coarse clock at the last sample from its course before. */
static double tick_at_run_end(const struct spacetime *s)
{
	uint32_t before = s->count - 2;
	bool is_known = s->count > 1 && s->time[before] > 100 && s->tick[before] > 0;
	double rate = is_known ? s->tick[before] / s->time[before] : 0.9;

	return s->count > 1 ? s->tick[before] + (s->time[before + 1] - s->time[before]) * rate : 0;
}

/* The end of the process is a moment of which everything is known, too. */
static void find_usable_samples(struct spacetime *s)
{
	uint64_t count = image_count(s->image, MU_SEC_SNAPSHOTS), last_ns = 0;
	uint64_t exit_ns = end_of_run_ns(s);
	struct mu_snapshot shot;

	count = count < SNAPSHOTS_MAX ? count : SNAPSHOTS_MAX;
	s->shot = xcalloc(count + 1, sizeof(*s->shot));
	s->time = xcalloc(count + 1, sizeof(*s->time));
	s->tick = xcalloc(count + 1, sizeof(*s->tick));
	for (uint64_t i = 0; i < count && image_snapshot(s->image, i, &shot); i++) {
		if (i == 0) {
			s->first_ns = last_ns = shot.mono_ns;
			s->first_tick = shot.tick;
		}
		if (!is_usable_snapshot(&shot, last_ns))
			continue;
		last_ns = shot.mono_ns;
		s->shot[s->count] = i;
		s->tick[s->count] = (double)(shot.tick - s->first_tick);
		s->time[s->count++] = (double)(last_ns - s->first_ns) / 1e6;
	}
	if (s->count > 0 && exit_ns > last_ns) {
		s->shot[s->count] = UINT64_MAX;
		s->time[s->count++] = (double)(exit_ns - s->first_ns) / 1e6;
		s->tick[s->count - 1] = tick_at_run_end(s);
	}
}

static enum metric_kind metric_of_sample(const struct spacetime *s, uint32_t sample)
{
	return s->shot[sample] == UINT64_MAX ? METRIC_LIVE : METRIC_SNAPSHOT;
}

/* Reads the values of all sites at a sample into WEIGHT. False if the recording is damaged
 * there. */
static bool weigh_sample_sites(const struct spacetime *s, uint32_t sample, struct weight *weight)
{
	return sites_weigh(&s->filter->profile->sites, s->image, metric_of_sample(s, sample),
			   s->shot[sample] == UINT64_MAX ? 0 : s->shot[sample], weight) == 0;
}

/* A sample, and with estimates its errors. */
struct sample_weights {
	struct weight *weight;	/* one per site */
	struct sampled_error *error;
};

static void init_sample_weights(struct sample_weights *w, const struct spacetime *s)
{
	const size_t sites = s->filter->profile->sites.count;

	w->weight = xcalloc(sites + 1, sizeof(*w->weight));
	w->error = s->errors ? xcalloc(sites + 1, sizeof(*w->error)) : NULL;
}

static void free_sample_weights(struct sample_weights *w)
{
	free(w->weight);
	free(w->error);
}

static bool read_sample_weights(const struct spacetime *s, uint32_t sample,
				struct sample_weights *w)
{
	if (!weigh_sample_sites(s, sample, w->weight))
		return false;
	if (s->errors)
		site_errors_weigh(&s->filter->profile->sites, s->errors,
				  metric_of_sample(s, sample), w->weight, w->error);
	return true;
}

static double stack_bytes_at(const struct spacetime *s, uint32_t sample)
{
	struct mu_snapshot shot;

	return s->shot[sample] != UINT64_MAX && image_snapshot(s->image, s->shot[sample], &shot) &&
	       shot.stacks > 0 ? (double)shot.stacks : 0;
}

static bool is_shown_site(const struct spacetime *s, uint32_t site)
{
	const struct site *at = &s->filter->profile->sites.site[site];

	return sites_is_counted(at) && !filter_stack(s->filter, at->stack).is_ignored;
}

/* Bytes x ms of the whole heap between two samples, at which it holds FROM and TO. The collector's
 * samples in between are better than a straight line: it looks every 100 ms, and after a while
 * without snapshots there was no event until the one that made the next snapshot. So its first
 * sample holds from the beginning on, and its last one until the end. */
static double area_between_times(const struct spacetime *s, uint32_t sample, double from, double to)
{
	double at = s->time[sample], end = s->time[sample + 1], value = 0, area = 0;
	bool is_first = true;

	for (uint32_t i = 0; i < s->timeline.count; i++) {
		const struct mu_sample *seen = &s->timeline.sample[i];
		double time, now = (double)seen->heap;

		if (seen->mono_ns < s->first_ns || seen->heap < 0)
			continue;
		time = (double)(seen->mono_ns - s->first_ns) / 1e6;
		if (time <= at || time >= end)
			continue;
		area += (is_first ? now : (value + now) / 2) * (time - at);
		at = time;
		value = now;
		is_first = false;
	}
	return is_first ? (from + to) / 2 * (end - at) : area + value * (end - at);
}

static double sum_of_weights(const struct spacetime *s, const struct weight *weight)
{
	double sum = 0;

	for (uint32_t i = 0; i < s->filter->profile->sites.count; i++)
		sum += weight[i].bytes > 0 ? (double)weight[i].bytes : 0;
	return sum;
}

static double limit_to_unit(double share)
{
	return share < 0 ? 0 : share > 1 ? 1 : share;
}

/* Part of an interval in which a site can have held anything: all of it, or, of one that had its
 * first event within it, the rest. */
static double share_of_interval_lived(const struct spacetime *s, uint32_t sample, uint32_t site,
				      const struct weight *before)
{
	/* Ticks wrap after 52 days. */
	uint32_t first = s->filter->profile->sites.site[site].first - s->first_tick;
	double from = s->tick[sample], to = s->tick[sample + 1];

	if (before->bytes || before->blocks || first >= UINT32_MAX / 2 || first <= from)
		return 1;
	return first >= to ? 0 : (to - first) / (to - from);
}

/* How far the places came on their way, in the mean over an interval: half, if they changed
 * evenly and the area is that of a straight line. REACH is by how many bytes they can have. */
static double fraction_of_interval(double mean, double from, double reach)
{
	return reach != 0 ? limit_to_unit((mean - from) / reach) : 0.5;
}

/* The sums for a site: its bytes x ms, and their standard deviation. */
struct site_space {
	double sum, deviation;
};

static double deviation_of_weight(const struct weight *w)
{
	return w->error && w->error->variance > 0 ? sqrt(w->error->variance) : 0;
}

/* The places change together from what they hold at one sample to what they hold at the next, by
 * such a way that their sum has the area of the heap. */
static void add_interval_area(struct spacetime *s, uint32_t sample, const struct weight *a,
			      const struct weight *b, struct site_space *space)
{
	double duration = s->time[sample + 1] - s->time[sample], from = sum_of_weights(s, a);
	uint32_t sites = s->filter->profile->sites.count;
	double area, middle, share, scale, reach = 0;

	if (duration <= 0)
		return;
	for (uint32_t i = 0; i < sites; i++)
		reach += (double)(b[i].bytes - a[i].bytes) *
			 share_of_interval_lived(s, sample, i, &a[i]);
	area = area_between_times(s, sample, from, sum_of_weights(s, b));
	share = fraction_of_interval(area / duration, from, reach);
	middle = from + reach * share;
	scale = middle > 0 ? area / middle : duration;
	for (uint32_t i = 0; i < sites; i++) {
		double part = share * share_of_interval_lived(s, sample, i, &a[i]);
		double bytes = (double)a[i].bytes + (double)(b[i].bytes - a[i].bytes) * part;
		double blocks = (double)a[i].blocks + (double)(b[i].blocks - a[i].blocks) * part;

		if (!s->weight[i].is_there || bytes < 0 || blocks < 0)
			continue;
		space[i].sum += bytes * scale;
		space[i].deviation += fmax(deviation_of_weight(&a[i]),
					   deviation_of_weight(&b[i])) * scale;
		s->admin += blocks * s->admin_bytes * scale;
	}
	s->stacks += (stack_bytes_at(s, sample) + stack_bytes_at(s, sample + 1)) / 2 * duration;
}

static void add_intervals(struct spacetime *s, struct sample_weights *now,
			  struct sample_weights *next, struct site_space *space)
{
	uint32_t last = 0;
	bool has_last = false;

	for (uint32_t i = 0; i < s->count; i++) {
		struct sample_weights *swap = now;

		if (!read_sample_weights(s, i, next))
			continue;
		/* A sample that is damaged joins the interval of the next one. */
		if (has_last && last + 1 == i)
			add_interval_area(s, last, now->weight, next->weight, space);
		now = next;
		next = swap;
		last = i;
		has_last = true;
	}
}

/* As many samples as an estimate has whose blocks all stand for as much and live as long. */
static double samples_of_estimate(const struct site_space *space, double recorded)
{
	const double relative = space->deviation / space->sum;

	return fmin(fmax(floor(1 / (relative * relative)), 1), recorded);
}

static struct sampled_error error_of_space(const struct site_space *space,
					   const struct sampled_error *total)
{
	struct sampled_error e = { .is_sampled = total->is_sampled };

	if (space->deviation > 0 && space->sum > 0) {
		e.variance = space->deviation * space->deviation;
		e.samples = samples_of_estimate(space, fmax(total->samples, 1));
	} else {
		e.exact_bytes = space->sum;
	}
	return e;
}

static void set_site_space(struct spacetime *s, uint32_t site, const struct site_space *space)
{
	struct weight *w = &s->weight[site];

	w->bytes = space->sum < 9e18 ? (int64_t)(space->sum + 0.5) : INT64_MAX;
	s->heap += space->sum;
	if (!s->errors)
		return;
	s->error[site] = error_of_space(space, &s->errors[site].total);
	w->error = &s->error[site];
	if (w->is_there)
		sampled_error_add(&s->heap_error, w->error);
}

static void add_up_intervals(struct spacetime *s)
{
	const uint32_t sites = s->filter->profile->sites.count;
	struct site_space *space = xcalloc((size_t)sites + 1, sizeof(*space));
	struct sample_weights now, next;

	init_sample_weights(&now, s);
	init_sample_weights(&next, s);
	s->weight = xcalloc((size_t)sites + 1, sizeof(*s->weight));
	s->error = xcalloc((size_t)sites + 1, sizeof(*s->error));
	for (uint32_t i = 0; i < sites; i++)
		s->weight[i].is_there = is_shown_site(s, i);
	add_intervals(s, &now, &next, space);
	for (uint32_t i = 0; i < sites; i++)
		set_site_space(s, i, &space[i]);
	free_sample_weights(&now);
	free_sample_weights(&next);
	free(space);
}

int spacetime_of(struct spacetime *s, const struct filter *f, const struct image *im,
		 const struct mu_config *config, struct mu_error *err)
{
	*s = (struct spacetime){ .filter = f, .image = im, .admin_bytes = config->heap_admin };
	/* Mappings that are counted are in what the collector saw, but belong to no place. */
	if (!(config->flags & MU_CFG_MMAP) && timeline_load(&s->timeline, im, err) < 0)
		return -1;
	s->distance = sampled_mean_distance(im);
	s->errors = site_errors_load(&f->profile->sites, im);
	find_usable_samples(s);
	if (s->count < 2)
		return mu_error_set(err, MU_ERROR_FORMAT, 0,
				    "has fewer than two snapshots that know their places");
	add_up_intervals(s);
	s->total = s->heap + s->admin + s->stacks;
	return 0;
}

void spacetime_free(struct spacetime *s)
{
	free(s->weight);
	free(s->errors);
	free(s->error);
	free(s->shot);
	free(s->time);
	free(s->tick);
	timeline_free(&s->timeline);
	*s = (struct spacetime){ .count = 0 };
}

/* ---- the summary ------------------------------------------------------------------------- */

/* Blocks that no sample has shown may have been there all the time. */
static struct sampled_interval interval_of_space(const struct spacetime *s,
						 const struct sampled_error *e, double part)
{
	return sampled_bytes_interval(e, part, s->distance * s->time[s->count - 1]);
}

static void put_percent_bounds(char *text, size_t size, const struct spacetime *s,
			       const struct sampled_interval *i, double part)
{
	const double low = fmax(part - i->low, 0) * 100 / s->total;
	const double high = fmax(i->high - part, 0) * 100 / s->total;

	if (high - low < 0.05)
		snprintf(text, size, " +- %.1f", ceil(high * 10) / 10);
	else
		snprintf(text, size, " -%.1f +%.1f", ceil(low * 10) / 10, ceil(high * 10) / 10);
}

const char *spacetime_percent(const struct spacetime *s, double part,
			      const struct sampled_error *e, char text[SPACETIME_PERCENT])
{
	struct sampled_interval i;
	unsigned int tenths;
	int length;

	if (s->total <= 0)
		return "(n/a)";
	tenths = (unsigned int)(part * 1000 / s->total + 1e-9);
	length = snprintf(text, SPACETIME_PERCENT, "%u.%u%%", tenths / 10, tenths % 10);
	if (!e)
		return text;
	i = interval_of_space(s, e, part);
	if (i.high - i.low > 0)
		put_percent_bounds(text + length, SPACETIME_PERCENT - (size_t)length, s, &i, part);
	return text;
}

static void write_grouped_number(FILE *out, uint64_t value)
{
	if (value >= 1000) {
		write_grouped_number(out, value / 1000);
		fprintf(out, ",%03" PRIu64, value % 1000);
	} else {
		fprintf(out, "%" PRIu64, value);
	}
}

void spacetime_put_summary(FILE *out, const struct spacetime *s, uint32_t pid)
{
	const struct sampled_error *e = s->errors ? &s->heap_error : NULL;
	char text[SPACETIME_PERCENT];

	fprintf(out, "==%" PRIu32 "== Total spacetime:   ", pid);
	write_grouped_number(out, s->total < 1e19 ? (uint64_t)s->total : UINT64_MAX);
	fprintf(out, " ms.B\n==%" PRIu32 "== heap:             %5s\n", pid,
		spacetime_percent(s, s->heap, e, text));
	if (s->admin_bytes)
		fprintf(out, "==%" PRIu32 "== heap admin:       %5s\n", pid,
			spacetime_percent(s, s->admin, NULL, text));
	if (s->stacks > 0)
		fprintf(out, "==%" PRIu32 "== stack(s):         %5s\n", pid,
			spacetime_percent(s, s->stacks, NULL, text));
	if (e)
		fprintf(out, "==%" PRIu32 "== (estimates from samples, within the bounds with a "
			"probability of 95 %%)\n", pid);
}

/* ---- for hp2ps --------------------------------------------------------------------------- */

/* The places of a file for hp2ps: addresses of code that allocated. */
struct curves {
	const struct spacetime *s;
	double *space;		/* by location */
	uint8_t *curve;		/* by location: which one + 1, 0 none */
	uint32_t location[CURVES];
	double value[CURVES];
	int count;
};

/* The location of a site, count of locations if nothing is known of it. */
static uint32_t location_of_site(const struct curves *c, uint32_t site)
{
	const struct profile *p = c->s->filter->profile;
	struct filtered stack = filter_stack(c->s->filter, p->sites.site[site].stack);

	return stack.count ? p->frame[stack.frame].location : p->location_count;
}

static void choose_curves(struct curves *c)
{
	const struct profile *p = c->s->filter->profile;

	for (uint32_t i = 0; i < p->sites.count; i++)
		c->space[location_of_site(c, i)] += (double)c->s->weight[i].bytes;
	for (uint32_t i = 0; i < p->location_count; i++) {
		int at = c->count;

		while (at > 0 && c->space[c->location[at - 1]] < c->space[i])
			at--;
		if (c->space[i] <= 0 || at == CURVES)
			continue;
		c->count += c->count < CURVES;
		memmove(&c->location[at + 1], &c->location[at],
			(size_t)(c->count - 1 - at) * sizeof(*c->location));
		c->location[at] = i;
	}
	for (int k = 0; k < c->count; k++)
		c->curve[c->location[k]] = (uint8_t)(k + 1);
}

/* "x401767D0:_nl_intern_loc"; a blank and parentheses would end the identifier. */
static void write_identifier(FILE *out, const struct profile *p, uint32_t location)
{
	const char *name = profile_function(p, location);

	fprintf(out, "x%" PRIX64 ":", p->location[location].pc - 1);
	name = *name ? name : "???";
	for (int i = 0; i < NAME_CHARS && name[i]; i++) {
		unsigned char c = (unsigned char)name[i];

		if (c == '(' || c == ')')
			fprintf(out, "\\%c", c);
		else
			putc(c <= ' ' || c >= 0x7f ? '%' : c, out);
	}
}

static void write_hp_sample(FILE *out, struct curves *c, uint32_t sample, const struct weight *now)
{
	const struct spacetime *s = c->s;
	double other = 0, blocks = 0, time = s->time[sample];

	memset(c->value, 0, sizeof(c->value));
	for (uint32_t i = 0; i < s->filter->profile->sites.count; i++) {
		int curve = c->curve[location_of_site(c, i)];

		if (!s->weight[i].is_there || now[i].bytes < 0)
			continue;
		*(curve ? &c->value[curve - 1] : &other) += (double)now[i].bytes;
		blocks += (double)now[i].blocks;
	}
	fprintf(out, "MARK %.6f\nBEGIN_SAMPLE %.6f\n", time, time);
	for (int k = 0; k < c->count; k++) {
		if (c->value[k] <= 0)
			continue;
		write_identifier(out, s->filter->profile, c->location[k]);
		fprintf(out, " %.0f\n", c->value[k]);
	}
	if (other > 0)
		fprintf(out, "other %.0f\n", other);
	if (blocks * s->admin_bytes > 0)
		fprintf(out, "heap-admin %.0f\n", blocks * s->admin_bytes);
	if (s->stacks > 0)
		fprintf(out, "stack(s) %.0f\n", stack_bytes_at(s, sample));
	fprintf(out, "END_SAMPLE %.6f\n", time);
}

static void write_job_text(FILE *out, const char *command)
{
	fputs("JOB         \"", out);
	for (; *command; command++) {
		unsigned char c = (unsigned char)*command;

		putc(c < ' ' || c >= 0x7f ? '?' : c == '"' ? '\'' : c, out);
	}
	fputs("\"\nDATE        \"\"\nSAMPLE_UNIT \"ms\"\nVALUE_UNIT  \"bytes\"\n", out);
}

void spacetime_put_hp(FILE *out, const struct spacetime *s, const char *command)
{
	const struct profile *p = s->filter->profile;
	struct curves c = { .s = s };
	struct weight *now = xcalloc((size_t)p->sites.count + 1, sizeof(*now));

	c.space = xcalloc((size_t)p->location_count + 1, sizeof(*c.space));
	c.curve = xcalloc((size_t)p->location_count + 1, sizeof(*c.curve));
	choose_curves(&c);
	write_job_text(out, command);
	for (uint32_t i = 0; i < s->count; i++) {
		if (weigh_sample_sites(s, i, now))
			write_hp_sample(out, &c, i, now);
	}
	free(now);
	free(c.space);
	free(c.curve);
}
