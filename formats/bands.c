/* bands.c -- memory over time by place: what a band graph draws.
 *
 * Every sample is walked twice: first to find out which places are large, then to store what
 * these have at each sample. So memory does not depend on how many places there are.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/bands.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "formats/stack_import.h"
#include "profile/base/strings.h"
#include "profile/model/position.h"
#include "profile/model/shortname.h"
#include "profile/read/site_errors.h"
#include "profile/read/snapshot_values.h"

enum { NAME_BYTES = 200, ROW_OTHER = BANDS_MOST };

struct bands_builder {
	struct bands *b;
	double least;
	double *weight;		/* of a sample: half of the time to its neighbours */
	struct strings names;	/* of places; a place is its number - 1 */
	double *area;		/* by place */
	uint8_t *row;		/* by place: its band, or ROW_OTHER */
	/* Calls add_band_bytes() for every place of a sample. Returns 0, or -1 with ERR. */
	void (*walk)(struct bands_builder *w, uint32_t sample);
	void *source;
	bool is_storing;	/* the second time */
};

static void add_band_bytes(struct bands_builder *w, uint32_t place, uint32_t sample, double bytes)
{
	uint8_t row;

	if (bytes <= 0)
		return;
	if (!w->is_storing) {
		w->area[place] += bytes * w->weight[sample];
		return;
	}
	row = w->row[place];
	(row == ROW_OTHER ? &w->b->other : &w->b->band[row])->value[sample] += bytes;
}

/* ---- adding up --------------------------------------------------------------------------- */

static void allocate_samples(struct bands_builder *w, uint32_t count)
{
	struct bands *b = w->b;

	b->count = count;
	b->time = xcalloc(count, sizeof(double));
	b->other.value = xcalloc(count, sizeof(double));
	b->admin.value = xcalloc(count, sizeof(double));
	b->stacks.value = xcalloc(count, sizeof(double));
	w->weight = xcalloc(count, sizeof(double));
}

/* The trapezium rule, as a weight of each sample. Times of a damaged file may go back. */
static void weigh_all_places(struct bands_builder *w)
{
	struct bands *b = w->b;

	for (uint32_t i = 1; i < b->count; i++) {
		if (b->time[i] < b->time[i - 1])
			b->time[i] = b->time[i - 1];
		w->weight[i - 1] += (b->time[i] - b->time[i - 1]) / 2;
		w->weight[i] += (b->time[i] - b->time[i - 1]) / 2;
	}
}

static void walk_all_samples(struct bands_builder *w)
{
	for (uint32_t i = 0; i < w->b->count; i++)
		w->walk(w, i);
}

/* The largest places have bands, the smaller ones none. */
static void choose_largest_bands(struct bands_builder *w)
{
	struct bands *b = w->b;
	uint32_t places = w->names.count, most[BANDS_MOST + 1], count = 0;
	double all = 0;

	for (uint32_t i = 0; i < places; i++) {
		uint32_t at = count;

		all += w->area[i];
		b->places += w->area[i] > 0;
		w->row[i] = ROW_OTHER;
		if (w->area[i] <= 0)
			continue;
		while (at > 0 && w->area[most[at - 1]] < w->area[i])
			at--;
		memmove(&most[at + 1], &most[at], (count - at) * sizeof(*most));
		most[at] = i;
		count += count < BANDS_MOST;
	}
	for (uint32_t i = 0; i < count; i++) {
		struct band *band = &b->band[i];

		/* Twenty at most, the rest being one of them. */
		if (w->area[most[i]] < all * w->least / 100 ||
		    (i == BANDS_MOST - 1 && b->places > BANDS_MOST))
			break;
		band->value = xcalloc(b->count, sizeof(double));
		band->name = xstrdup(strings_get(&w->names, most[i] + 1));
		b->band_count++;
		w->row[most[i]] = (uint8_t)i;
	}
}

static void sum_band(const struct bands_builder *w, struct band *band, double *sum)
{
	for (uint32_t i = 0; i < w->b->count; i++) {
		double value = band->value[i];

		band->area += value * w->weight[i];
		band->peak = value > band->peak ? value : band->peak;
		sum[i] += value;
	}
	w->b->area += band->area;
}

static void finish_bands(const struct bands_builder *w)
{
	struct bands *b = w->b;
	double *sum = xcalloc(b->count, sizeof(*sum));

	for (uint32_t i = 0; i < b->band_count; i++)
		sum_band(w, &b->band[i], sum);
	sum_band(w, &b->other, sum);
	for (uint32_t i = 0; i < b->count; i++)
		b->heap_peak = sum[i] > b->heap_peak ? sum[i] : b->heap_peak;
	sum_band(w, &b->admin, sum);
	sum_band(w, &b->stacks, sum);
	for (uint32_t i = 0; i < b->count; i++) {
		if (sum[i] > b->peak) {
			b->peak = sum[i];
			b->peak_time = b->time[i];
		}
	}
	free(sum);
}

static void build_bands(struct bands_builder *w)
{
	size_t places = (size_t)w->names.count + 1;

	w->area = xcalloc(places, sizeof(*w->area));
	w->row = xcalloc(places, sizeof(*w->row));
	weigh_all_places(w);
	walk_all_samples(w);
	choose_largest_bands(w);
	w->is_storing = true;
	walk_all_samples(w);
	finish_bands(w);
}

static void release_builder(struct bands_builder *w)
{
	strings_free(&w->names);
	free(w->weight);
	free(w->area);
	free(w->row);
}

static int refuse_few_samples(struct mu_error *err, const char *what)
{
	return mu_error_set(err, MU_ERROR_FORMAT, 0, "has fewer than two %s: nothing to draw",
			    what);
}

/* ---- of a recording ---------------------------------------------------------------------- */

struct recorded_source {
	const struct profile *profile;
	const struct image *image;
	struct weight *weight;
	uint32_t *place;	/* by site: number of its name, 0 none */
	uint64_t *shot;		/* by sample: its snapshot; UINT64_MAX: the end */
};

static void walk_recorded(struct bands_builder *w, uint32_t sample)
{
	const struct recorded_source *r = w->source;
	const struct sites *sites = &r->profile->sites;
	bool is_end = r->shot[sample] == UINT64_MAX;

	if (sites_weigh(sites, r->image, is_end ? METRIC_LIVE : METRIC_SNAPSHOT,
			is_end ? 0 : r->shot[sample], r->weight) < 0)
		return;
	for (uint32_t i = 0; i < sites->count; i++) {
		if (r->place[i] && r->weight[i].is_there)
			add_band_bytes(w, r->place[i] - 1, sample, (double)r->weight[i].bytes);
	}
}

/* Code without a name has an address in its file, which is the same in every run. */
static void format_address_name(const struct profile *p, uint32_t location, char name[NAME_BYTES])
{
	const struct location *l = &p->location[location];
	uint64_t bias = l->module < p->modules.count ? p->modules.module[l->module].bias : 0;
	const char *path = profile_object(p, location);

	snprintf(name, NAME_BYTES, "%.150s+0x%" PRIx64, *path ? basename(path) : "unknown",
		 l->pc - 1 - bias);
}

/* "read_line (input.c:34)", "libfoo.so+0x1234" */
static void format_place_name(const struct profile *p, const struct position *at,
			      char name[NAME_BYTES])
{
	const struct symbols_level *level = at->left ? position_level(p, at) : NULL;
	const char *file;
	int length;

	if (!at->left) {
		strcpy(name, "unknown");
		return;
	}
	if (!level || !level->full) {
		format_address_name(p, p->frame[at->frame].location, name);
		return;
	}
	shortname(symbols_text(&p->symbols, level->full), name, NAME_BYTES / 2);
	file = symbols_text(&p->symbols, level->file);
	length = (int)strlen(name);
	if (!*file)
		return;
	/* Functions of Python have a file without lines. */
	if (level->line)
		snprintf(name + length, NAME_BYTES - (size_t)length, " (%.60s:%u)",
			 basename(file), level->line);
	else
		snprintf(name + length, NAME_BYTES - (size_t)length, " (%.60s)", basename(file));
}

static void name_site_places(struct bands_builder *w, const struct filter *f)
{
	struct recorded_source *r = w->source;
	const struct sites *sites = &r->profile->sites;

	for (uint32_t i = 0; i < sites->count; i++) {
		struct filtered stack = filter_stack(f, sites->site[i].stack);
		struct position at;
		char name[NAME_BYTES];

		if (stack.is_ignored || !sites_is_counted(&sites->site[i]))
			continue;
		at = position_innermost(&stack);
		format_place_name(r->profile, &at, name);
		r->place[i] = strings_add(&w->names, name, strlen(name));
	}
}

/* Admin bytes are known of the heap as a whole; in units of the clock or of time. */
static void set_sample_figures(struct bands_builder *w, uint32_t sample,
			       const struct mu_snapshot *shot, uint64_t start_ns)
{
	struct bands *b = w->b;

	b->time[sample] = b->unit == MASSIF_BYTES ? (double)shot->clock_bytes :
						    (double)(shot->mono_ns - start_ns) / 1e6;
	b->admin.value[sample] = shot->extra > 0 ? (double)shot->extra : 0;
	b->stacks.value[sample] = shot->stacks > 0 ? (double)shot->stacks : 0;
}

/* Returns how many samples there are. */
static uint32_t set_recorded_samples(struct bands_builder *w, struct recorded_source *r,
				     uint64_t count)
{
	const struct mu_process *process = &r->image->head.process;
	const struct mu_heap *heap = &r->image->head.heap;
	struct mu_snapshot shot, last = { .mono_ns = 0 };
	uint64_t start_ns = 0;
	uint32_t samples = 0;

	for (uint64_t i = 0; i < count && image_snapshot(r->image, i, &shot); i++) {
		if (i == 0)
			start_ns = shot.mono_ns;
		if (shot.kind > MU_SNAPSHOT_PEAK || !snapshot_values_are_known(&shot) ||
		    shot.mono_ns < start_ns)
			continue;
		r->shot[samples] = i;
		set_sample_figures(w, samples++, &shot, start_ns);
		last = shot;
	}
	if (process->exit_mono_ns > last.mono_ns && samples > 0) {
		last.mono_ns = process->exit_mono_ns;
		last.clock_bytes = heap->clock;
		last.extra = heap->extra;
		r->shot[samples] = UINT64_MAX;
		set_sample_figures(w, samples++, &last, start_ns);
	}
	return samples;
}

int bands_of_image(struct bands *b, const struct filter *f, const struct image *im,
		   const struct mu_config *config, double least, struct mu_error *err)
{
	size_t sites = (size_t)f->profile->sites.count + 1;
	uint64_t count = image_count(im, MU_SEC_SNAPSHOTS);
	struct recorded_source r = { .profile = f->profile, .image = im };
	struct bands_builder w = { .b = b, .least = least, .walk = walk_recorded, .source = &r };
	int result = 0;

	*b = (struct bands){ .unit = config->time_unit == 1 ? MASSIF_BYTES : MASSIF_MS,
			     .distance = sampled_mean_distance(im) };
	count = count < MASSIF_SNAPSHOTS_MAX ? count : MASSIF_SNAPSHOTS_MAX;
	r.weight = xcalloc(sites, sizeof(*r.weight));
	r.place = xcalloc(sites, sizeof(*r.place));
	r.shot = xcalloc(count + 1, sizeof(*r.shot));
	allocate_samples(&w, (uint32_t)count + 1);
	b->count = set_recorded_samples(&w, &r, count);
	if (b->count < 2) {
		result = refuse_few_samples(err, "snapshots that know their places");
	} else {
		name_site_places(&w, f);
		build_bands(&w);
	}
	release_builder(&w);
	free(r.weight);
	free(r.place);
	free(r.shot);
	return result;
}

/* ---- of a massif.out --------------------------------------------------------------------- */

struct massif_source {
	const struct massif_file *m;
	struct stack_import stacks;
	uint32_t *place;	/* by site: number of its name, 0: it has none, as it was merged */
	const struct massif_snapshot **shot;	/* by sample */
};

/* A sample while its sites are added. */
struct massif_sample {
	struct bands_builder *w;
	uint32_t number;
};

static void add_site_bytes(void *data, uint32_t site, uint64_t bytes)
{
	struct massif_sample *sample = data;
	const struct massif_source *s = sample->w->source;

	if (s->place[site])
		add_band_bytes(sample->w, s->place[site] - 1, sample->number, (double)bytes);
	else if (sample->w->is_storing)
		sample->w->b->other.value[sample->number] += (double)bytes;
}

static void walk_massif_sample(struct bands_builder *w, uint32_t sample)
{
	struct massif_source *s = w->source;
	struct massif_sample data = { .w = w, .number = sample };

	stack_import_snapshot(&s->stacks, s->m, s->shot[sample], add_site_bytes, &data);
}

static void name_massif_places(struct bands_builder *w, const struct filter *f)
{
	struct massif_source *s = w->source;
	const struct profile *p = f->profile;

	s->place = xcalloc((size_t)p->sites.count + 1, sizeof(*s->place));
	for (uint32_t i = 0; i < p->sites.count; i++) {
		const struct filtered stack = filter_stack(f, p->sites.site[i].stack);
		const struct position at = position_innermost(&stack);
		const struct symbols_level *level = at.left ? position_level(p, &at) : NULL;
		char name[NAME_BYTES];

		if (!at.left || (level && level->full == STACK_IMPORT_MERGED))
			continue;
		format_place_name(p, &at, name);
		s->place[i] = strings_add(&w->names, name, strlen(name));
	}
}

static int import_massif_stacks(struct bands_builder *w, bool hides_runtime, struct mu_error *err)
{
	struct massif_source *s = w->source;

	if (stack_import_massif(&s->stacks, s->m, NULL, err) < 0)
		return -1;
	name_massif_places(w, stack_import_filter(&s->stacks, hides_runtime, NULL));
	return 0;
}

/* Snapshots without a tree are no help, unless there is nothing that a tree could show. */
static uint32_t set_massif_samples(struct bands_builder *w, struct massif_source *s)
{
	uint32_t count = 0;

	for (size_t i = 0; i < s->m->count; i++) {
		const struct massif_snapshot *shot = &s->m->snapshots[i];

		if (shot->kind == MASSIF_PLAIN && shot->heap > 0)
			continue;
		s->shot[count] = shot;
		w->b->time[count] = (double)shot->time;
		w->b->admin.value[count] = (double)shot->extra;
		w->b->stacks.value[count++] = (double)shot->stacks;
	}
	return count;
}

int bands_of_massif(struct bands *b, const struct massif_file *m, bool hides_runtime, double least,
		    struct mu_error *err)
{
	struct massif_source s = { .m = m };
	struct bands_builder w = {
		.b = b, .least = least, .walk = walk_massif_sample, .source = &s
	};
	int result = -1;

	*b = (struct bands){ .unit = m->unit };
	s.shot = xcalloc(m->count + 1, sizeof(*s.shot));
	allocate_samples(&w, (uint32_t)m->count + 1);
	b->count = set_massif_samples(&w, &s);
	if (b->count < 2)
		refuse_few_samples(err, "snapshots with a tree (--detailed-freq=1 makes more)");
	else
		result = import_massif_stacks(&w, hides_runtime, err);
	if (result == 0)
		build_bands(&w);
	release_builder(&w);
	stack_import_free(&s.stacks);
	free(s.place);
	free(s.shot);
	return result;
}

void bands_free(struct bands *b)
{
	struct band *single[] = { &b->other, &b->admin, &b->stacks };

	for (uint32_t i = 0; i < b->band_count; i++) {
		free(b->band[i].name);
		free(b->band[i].value);
	}
	for (size_t i = 0; i < sizeof(single) / sizeof(*single); i++)
		free(single[i]->value);
	free(b->time);
	*b = (struct bands){ .count = 0 };
}
