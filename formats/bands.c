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

#include "profile/base/strings.h"
#include "profile/model/attribution.h"
#include "profile/model/shortname.h"
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
	int (*walk)(struct bands_builder *w, uint32_t sample, struct mu_error *err);
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

static bool allocate_samples(struct bands_builder *w, uint32_t count)
{
	struct bands *b = w->b;

	b->count = count;
	b->time = calloc(count, sizeof(double));
	b->other.value = calloc(count, sizeof(double));
	b->admin.value = calloc(count, sizeof(double));
	b->stacks.value = calloc(count, sizeof(double));
	w->weight = calloc(count, sizeof(double));
	return b->time && b->other.value && b->admin.value && b->stacks.value && w->weight;
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

static int walk_all_samples(struct bands_builder *w, struct mu_error *err)
{
	for (uint32_t i = 0; i < w->b->count; i++) {
		if (w->walk(w, i, err) < 0)
			return -1;
	}
	return 0;
}

/* The largest places have bands, the smaller ones none. Returns false without memory. */
static bool choose_largest_bands(struct bands_builder *w)
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
		band->value = calloc(b->count, sizeof(double));
		band->name = strdup(strings_get(&w->names, most[i] + 1));
		b->band_count++;
		if (!band->value || !band->name)
			return false;
		w->row[most[i]] = (uint8_t)i;
	}
	return true;
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

static bool finish_bands(const struct bands_builder *w)
{
	struct bands *b = w->b;
	double *sum = calloc(b->count, sizeof(*sum));

	if (!sum)
		return false;
	for (uint32_t i = 0; i < b->band_count; i++)
		sum_band(w, &b->band[i], sum);
	sum_band(w, &b->other, sum);
	sum_band(w, &b->admin, sum);
	sum_band(w, &b->stacks, sum);
	for (uint32_t i = 0; i < b->count; i++) {
		if (sum[i] > b->peak) {
			b->peak = sum[i];
			b->peak_time = b->time[i];
		}
	}
	free(sum);
	return true;
}

static int build_bands(struct bands_builder *w, struct mu_error *err)
{
	size_t places = (size_t)w->names.count + 1;

	w->area = calloc(places, sizeof(*w->area));
	w->row = calloc(places, sizeof(*w->row));
	if (!w->area || !w->row)
		return mu_error_memory(err);
	weigh_all_places(w);
	if (walk_all_samples(w, err) < 0)
		return -1;
	if (!choose_largest_bands(w))
		return mu_error_memory(err);
	w->is_storing = true;
	if (walk_all_samples(w, err) < 0)
		return -1;
	return finish_bands(w) ? 0 : mu_error_memory(err);
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

static int walk_recorded(struct bands_builder *w, uint32_t sample, struct mu_error *err)
{
	const struct recorded_source *r = w->source;
	const struct sites *sites = &r->profile->sites;
	bool is_end = r->shot[sample] == UINT64_MAX;

	(void)err;
	if (sites_weigh(sites, r->image, is_end ? METRIC_LIVE : METRIC_SNAPSHOT,
			is_end ? 0 : r->shot[sample], r->weight) < 0)
		return 0;
	for (uint32_t i = 0; i < sites->count; i++) {
		if (r->place[i] && r->weight[i].is_there)
			add_band_bytes(w, r->place[i] - 1, sample, (double)r->weight[i].bytes);
	}
	return 0;
}

/* Code without a name has an address in its file, which is the same in every run. */
static void format_address_name(const struct profile *p, uint32_t location, char name[NAME_BYTES])
{
	const struct location *l = &p->location[location];
	uint64_t bias = l->module < p->modules.count ? p->modules.module[l->module].bias : 0;
	const char *path = profile_object(p, location), *slash = strrchr(path, '/');

	snprintf(name, NAME_BYTES, "%.150s+0x%" PRIx64,
		 *path ? slash ? slash + 1 : path : "unknown", l->pc - 1 - bias);
}

/* "read_line (input.c:34)", "libfoo.so+0x1234" */
static void format_place_name(const struct profile *p, const struct position *at,
			      char name[NAME_BYTES])
{
	const struct symbols_level *level = at->left ? position_level(p, at) : NULL;
	const char *file, *slash;
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
	slash = strrchr(file, '/');
	length = (int)strlen(name);
	if (*file)
		snprintf(name + length, NAME_BYTES - (size_t)length, " (%.60s:%u)",
			 slash ? slash + 1 : file, level->line);
}

static int name_site_places(struct bands_builder *w, const struct filter *f, struct mu_error *err)
{
	struct recorded_source *r = w->source;
	const struct sites *sites = &r->profile->sites;
	struct attribution h;
	int result = attribution_init(&h, f, err);

	for (uint32_t i = 0; i < sites->count && result == 0; i++) {
		struct filtered stack = filter_stack(f, sites->site[i].stack);
		struct position at;
		char name[NAME_BYTES];

		if (stack.is_ignored || !sites_is_counted(&sites->site[i]))
			continue;
		at = attribution_find(&h, &stack);
		format_place_name(r->profile, &at, name);
		r->place[i] = strings_add(&w->names, name, strlen(name));
		if (!r->place[i])
			result = mu_error_memory(err);
	}
	attribution_free(&h);
	return result;
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
	int result = -1;

	*b = (struct bands){ .unit = config->time_unit == 1 ? MASSIF_BYTES : MASSIF_MS };
	count = count < MASSIF_SNAPSHOTS_MAX ? count : MASSIF_SNAPSHOTS_MAX;
	r.weight = calloc(sites, sizeof(*r.weight));
	r.place = calloc(sites, sizeof(*r.place));
	r.shot = calloc(count + 1, sizeof(*r.shot));
	if (!r.weight || !r.place || !r.shot || !allocate_samples(&w, (uint32_t)count + 1))
		mu_error_memory(err);
	else if ((b->count = set_recorded_samples(&w, &r, count)) < 2)
		refuse_few_samples(err, "snapshots that know their places");
	else if (name_site_places(&w, f, err) == 0)
		result = build_bands(&w, err);
	release_builder(&w);
	free(r.weight);
	free(r.place);
	free(r.shot);
	return result;
}

/* ---- of a massif.out --------------------------------------------------------------------- */

struct massif_source {
	const struct massif_file *m;
	uint32_t *place;	/* by number of a text: that of its name, 0 none yet */
	const struct massif_snapshot **shot;	/* by sample */
};

/* "0x401136: main (prog.c:7)" is "main (prog.c:7)"; what was merged belongs to no place. */
static const char *skip_massif_address(const char *text)
{
	const char *colon;

	text += strspn(text, " ");
	if (strncmp(text, "in ", 3) == 0 && strstr(text, "below massif's threshold"))
		return NULL;
	colon = strncmp(text, "0x", 2) == 0 ? strstr(text, ": ") : NULL;
	return colon ? colon + 2 : text;
}

static int walk_massif_sample(struct bands_builder *w, uint32_t sample, struct mu_error *err)
{
	const struct massif_source *s = w->source;
	const struct massif_node *root = massif_tree(s->m, s->shot[sample]), *node;
	double rest;

	(void)err;
	if (!root)
		return 0;
	rest = (double)root->bytes;
	node = root + 1;
	for (uint32_t i = 0; i < root->children; i++, node += node->size) {
		uint32_t place = s->place[node->text];

		if (!place)
			continue;
		add_band_bytes(w, place - 1, sample, (double)node->bytes);
		rest -= (double)node->bytes;
	}
	if (w->is_storing && rest > 0)
		w->b->other.value[sample] += rest;
	return 0;
}

static int name_massif_places(struct bands_builder *w, struct massif_source *s,
			      struct mu_error *err)
{
	for (uint32_t i = 0; i < w->b->count; i++) {
		const struct massif_node *root = massif_tree(s->m, s->shot[i]);
		const struct massif_node *node = root ? root + 1 : NULL;

		for (uint32_t k = 0; root && k < root->children; k++, node += node->size) {
			const char *name = skip_massif_address(massif_text(s->m, node));

			if (s->place[node->text] || !name)
				continue;
			s->place[node->text] = strings_add(&w->names, name, strlen(name));
			if (!s->place[node->text])
				return mu_error_memory(err);
		}
	}
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

int bands_of_massif(struct bands *b, const struct massif_file *m, double least,
		    struct mu_error *err)
{
	struct massif_source s = { .m = m };
	struct bands_builder w = {
		.b = b, .least = least, .walk = walk_massif_sample, .source = &s
	};
	int result = -1;

	*b = (struct bands){ .unit = m->unit };
	s.place = calloc((size_t)m->texts.count + 1, sizeof(*s.place));
	s.shot = calloc(m->count + 1, sizeof(*s.shot));
	if (!s.place || !s.shot || !allocate_samples(&w, (uint32_t)m->count + 1))
		mu_error_memory(err);
	else if ((b->count = set_massif_samples(&w, &s)) < 2)
		refuse_few_samples(err, "snapshots with a tree (--detailed-freq=1 makes more)");
	else if (name_massif_places(&w, &s, err) == 0)
		result = build_bands(&w, err);
	release_builder(&w);
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
