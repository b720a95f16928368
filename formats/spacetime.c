/* spacetime.c -- bytes x milliseconds: adding up, the summary, and the file for hp2ps.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/spacetime.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CURVES = 32, NAME_CHARS = 15, SNAPSHOTS_MAX = 1 << 22 };

static int no_memory(struct mu_error *err)
{
	return mu_error_set(err, MU_ERROR_MEMORY, 0, "no memory for the spacetime of places");
}

static bool load(const struct image *im, uint64_t i, struct mu_snapshot *shot)
{
	const void *entry = image_entry(im, MU_SEC_SNAPSHOTS, i, sizeof(*shot));

	if (entry)
		memcpy(shot, entry, sizeof(*shot));
	return entry != NULL;
}

/* ---- adding up --------------------------------------------------------------------------- */

static bool is_usable(const struct mu_snapshot *shot, uint64_t not_before)
{
	return shot->kind <= MU_SNAPSHOT_PEAK && (shot->values || shot->heap == 0) &&
	       shot->mono_ns >= not_before;
}

/* The end of the process is a moment of which everything is known, too. */
static bool find_samples(struct spacetime *s)
{
	uint64_t count = image_count(s->image, MU_SEC_SNAPSHOTS), first_ns = 0, last_ns = 0;
	uint64_t exit_ns = s->image->head.process.exit_mono_ns;
	struct mu_snapshot shot;

	count = count < SNAPSHOTS_MAX ? count : SNAPSHOTS_MAX;
	s->shot = calloc(count + 1, sizeof(*s->shot));
	s->time = calloc(count + 1, sizeof(*s->time));
	if (!s->shot || !s->time)
		return false;
	for (uint64_t i = 0; i < count && load(s->image, i, &shot); i++) {
		if (i == 0)
			first_ns = last_ns = shot.mono_ns;
		if (!is_usable(&shot, last_ns))
			continue;
		last_ns = shot.mono_ns;
		s->shot[s->count] = i;
		s->time[s->count++] = (double)(last_ns - first_ns) / 1e6;
	}
	if (s->count > 0 && exit_ns > last_ns) {
		s->shot[s->count] = UINT64_MAX;
		s->time[s->count++] = (double)(exit_ns - first_ns) / 1e6;
	}
	return true;
}

/* What every site holds at a sample, into WEIGHT. False if the recording is damaged there. */
static bool weigh_sample(const struct spacetime *s, uint32_t sample, struct weight *weight)
{
	bool is_end = s->shot[sample] == UINT64_MAX;

	return sites_weigh(&s->filter->profile->sites, s->image,
			   is_end ? METRIC_LIVE : METRIC_SNAPSHOT,
			   is_end ? 0 : s->shot[sample], weight) == 0;
}

static double stacks_at(const struct spacetime *s, uint32_t sample)
{
	struct mu_snapshot shot;

	return s->shot[sample] != UINT64_MAX && load(s->image, s->shot[sample], &shot) &&
	       shot.stacks > 0 ? (double)shot.stacks : 0;
}

/* How long a sample's values count: half of the time to each of its neighbours. */
static double duration_of(const struct spacetime *s, uint32_t sample)
{
	uint32_t last = s->count - 1;
	double from = s->time[sample > 0 ? sample - 1 : 0];

	return (s->time[sample < last ? sample + 1 : last] - from) / 2;
}

static bool is_shown(const struct spacetime *s, uint32_t site)
{
	const struct site *at = &s->filter->profile->sites.site[site];

	return sites_is_counted(at) && !filter_stack(s->filter, at->stack).is_ignored;
}

static void add_sample(struct spacetime *s, uint32_t sample, const struct weight *now,
		       double *sum)
{
	uint32_t sites = s->filter->profile->sites.count;
	double duration = duration_of(s, sample), blocks = 0;

	for (uint32_t i = 0; i < sites; i++) {
		if (!s->weight[i].is_there || now[i].bytes < 0 || now[i].blocks < 0)
			continue;
		sum[i] += (double)now[i].bytes * duration;
		blocks += (double)now[i].blocks;
	}
	s->admin += blocks * s->admin_bytes * duration;
	s->stacks += stacks_at(s, sample) * duration;
}

static bool add_up(struct spacetime *s)
{
	size_t sites = s->filter->profile->sites.count;
	struct weight *now = calloc(sites + 1, sizeof(*now));
	double *sum = calloc(sites + 1, sizeof(*sum));
	bool has_memory = now && sum;

	s->weight = calloc(sites + 1, sizeof(*s->weight));
	for (uint32_t i = 0; has_memory && s->weight && i < sites; i++)
		s->weight[i].is_there = is_shown(s, i);
	for (uint32_t i = 0; has_memory && s->weight && i < s->count; i++) {
		if (weigh_sample(s, i, now))
			add_sample(s, i, now, sum);
	}
	for (uint32_t i = 0; has_memory && s->weight && i < sites; i++) {
		s->weight[i].bytes = sum[i] < 9e18 ? (int64_t)(sum[i] + 0.5) : INT64_MAX;
		s->heap += sum[i];
	}
	free(now);
	free(sum);
	return has_memory && s->weight;
}

int spacetime_of(struct spacetime *s, const struct filter *f, const struct image *im,
		 const struct mu_config *config, struct mu_error *err)
{
	*s = (struct spacetime){ .filter = f, .image = im, .admin_bytes = config->heap_admin };
	if (!find_samples(s) || (s->count >= 2 && !add_up(s)))
		return no_memory(err);
	if (s->count < 2)
		return mu_error_set(err, MU_ERROR_FORMAT, 0,
				    "has fewer than two snapshots that know their places");
	s->total = s->heap + s->admin + s->stacks;
	return 0;
}

void spacetime_free(struct spacetime *s)
{
	free(s->weight);
	free(s->shot);
	free(s->time);
	*s = (struct spacetime){ .count = 0 };
}

/* ---- the summary ------------------------------------------------------------------------- */

const char *spacetime_percent(const struct spacetime *s, double part, char text[16])
{
	unsigned int tenths;

	if (s->total <= 0)
		return "(n/a)";
	tenths = (unsigned int)(part * 1000 / s->total + 1e-9);
	snprintf(text, 16, "%u.%u%%", tenths / 10, tenths % 10);
	return text;
}

static void put_grouped(FILE *out, uint64_t value)
{
	if (value >= 1000) {
		put_grouped(out, value / 1000);
		fprintf(out, ",%03" PRIu64, value % 1000);
	} else {
		fprintf(out, "%" PRIu64, value);
	}
}

void spacetime_put_summary(FILE *out, const struct spacetime *s, uint32_t pid)
{
	char text[16];

	fprintf(out, "==%" PRIu32 "== Total spacetime:   ", pid);
	put_grouped(out, s->total < 1e19 ? (uint64_t)s->total : UINT64_MAX);
	fprintf(out, " ms.B\n==%" PRIu32 "== heap:             %5s\n", pid,
		spacetime_percent(s, s->heap, text));
	if (s->admin_bytes)
		fprintf(out, "==%" PRIu32 "== heap admin:       %5s\n", pid,
			spacetime_percent(s, s->admin, text));
	if (s->stacks > 0)
		fprintf(out, "==%" PRIu32 "== stack(s):         %5s\n", pid,
			spacetime_percent(s, s->stacks, text));
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
static uint32_t location_of(const struct curves *c, uint32_t site)
{
	const struct profile *p = c->s->filter->profile;
	struct filtered stack = filter_stack(c->s->filter, p->sites.site[site].stack);

	return stack.count ? p->frame[stack.frame].location : p->location_count;
}

static void choose_curves(struct curves *c)
{
	const struct profile *p = c->s->filter->profile;

	for (uint32_t i = 0; i < p->sites.count; i++)
		c->space[location_of(c, i)] += (double)c->s->weight[i].bytes;
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
static void put_identifier(FILE *out, const struct profile *p, uint32_t location)
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

static void put_sample(FILE *out, struct curves *c, uint32_t sample, const struct weight *now)
{
	const struct spacetime *s = c->s;
	double other = 0, blocks = 0, time = s->time[sample];

	memset(c->value, 0, sizeof(c->value));
	for (uint32_t i = 0; i < s->filter->profile->sites.count; i++) {
		int curve = c->curve[location_of(c, i)];

		if (!s->weight[i].is_there || now[i].bytes < 0)
			continue;
		*(curve ? &c->value[curve - 1] : &other) += (double)now[i].bytes;
		blocks += (double)now[i].blocks;
	}
	fprintf(out, "MARK %.6f\nBEGIN_SAMPLE %.6f\n", time, time);
	for (int k = 0; k < c->count; k++) {
		if (c->value[k] <= 0)
			continue;
		put_identifier(out, s->filter->profile, c->location[k]);
		fprintf(out, " %.0f\n", c->value[k]);
	}
	if (other > 0)
		fprintf(out, "other %.0f\n", other);
	if (blocks * s->admin_bytes > 0)
		fprintf(out, "heap-admin %.0f\n", blocks * s->admin_bytes);
	if (s->stacks > 0)
		fprintf(out, "stack(s) %.0f\n", stacks_at(s, sample));
	fprintf(out, "END_SAMPLE %.6f\n", time);
}

static void put_job(FILE *out, const char *command)
{
	fputs("JOB         \"", out);
	for (; *command; command++) {
		unsigned char c = (unsigned char)*command;

		putc(c < ' ' || c >= 0x7f ? '?' : c == '"' ? '\'' : c, out);
	}
	fputs("\"\nDATE        \"\"\nSAMPLE_UNIT \"ms\"\nVALUE_UNIT  \"bytes\"\n", out);
}

int spacetime_put_hp(FILE *out, const struct spacetime *s, const char *command,
		     struct mu_error *err)
{
	const struct profile *p = s->filter->profile;
	struct curves c = { .s = s };
	struct weight *now = calloc((size_t)p->sites.count + 1, sizeof(*now));
	int result = 0;

	c.space = calloc((size_t)p->location_count + 1, sizeof(*c.space));
	c.curve = calloc((size_t)p->location_count + 1, sizeof(*c.curve));
	if (now && c.space && c.curve) {
		choose_curves(&c);
		put_job(out, command);
		for (uint32_t i = 0; i < s->count; i++) {
			if (weigh_sample(s, i, now))
				put_sample(out, &c, i, now);
		}
	} else {
		result = no_memory(err);
	}
	free(now);
	free(c.space);
	free(c.curve);
	return result;
}
