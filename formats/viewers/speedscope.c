/* speedscope.c -- Writes the file format of speedscope.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/viewers/speedscope.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "formats/base/bounds.h"
#include "formats/base/stacklist.h"
#include "formats/base/triples.h"
#include "formats/json.h"

/* A value of every stack; speedscope shows one profile at a time. */
static const struct {
	enum metric_kind kind;
	bool by_blocks;
	const char *name;
} profiles[] = {
	{ METRIC_PEAK, false, "live at the peak" },
	{ METRIC_LIVE, false, "live at the end" },
	{ METRIC_TOTAL, false, "allocated in all" },
	{ METRIC_TOTAL, true, "allocations" },
	{ METRIC_TEMPORARY, true, "temporary blocks" },
};

struct speedscope {
	FILE *out;
	const struct export *e;
	struct strings names, files;
	uint32_t *name_of, *file_of;	/* by text of the profile: its number in these */
	struct triples frames;	/* name, file, line; the number of a frame */
	struct stacklist stack;
	struct weight *weight;
};

static int64_t worth_of(const struct speedscope *s, uint32_t site, bool by_blocks)
{
	const struct weight *w = &s->weight[site];
	const int64_t worth = by_blocks ? w->blocks : w->bytes;

	return w->is_there && worth > 0 ? worth : 0;
}

/* Names may have 100 KB, and each frame of each stack has one. */
static uint32_t number_of_text(const struct speedscope *s, struct strings *in, uint32_t *known,
			       uint32_t text)
{
	const char *name = symbols_text(&s->e->filter->profile->symbols, text);

	if (!known[text])
		known[text] = strings_add(in, name, strlen(name));
	return known[text];
}

static uint32_t number_of_frame(struct speedscope *s, const struct stackitem *item)
{
	const struct profile *p = s->e->filter->profile;
	const struct symbols_level *level = item->level;
	char unknown[256];
	const char *name;
	uint32_t number;

	if (level && level->full) {
		number = number_of_text(s, &s->names, s->name_of, level->full);
	} else {
		name = stacklist_name(p, item, unknown);
		number = strings_add(&s->names, name, strlen(name));
	}
	return triples_add(&s->frames, number,
			   level ? number_of_text(s, &s->files, s->file_of, level->file) : 0,
			   level ? level->line : 0);
}

/* Outermost first; code of which nothing is known is a frame as well. */
static void put_stack(struct speedscope *s, const struct filtered *stack)
{
	stacklist_set(&s->stack, s->e->filter->profile, stack);
	putc('[', s->out);
	for (size_t i = s->stack.count; i > 0; i--)
		fprintf(s->out, "%s%" PRIu32, i < s->stack.count ? "," : "",
			number_of_frame(s, &s->stack.item[i - 1]));
	if (s->stack.count == 0)
		fprintf(s->out, "%" PRIu32,
			triples_add(&s->frames, strings_add(&s->names, "[unknown]", 9), 0, 0));
	putc(']', s->out);
}

static bool has_part(const struct speedscope *s, uint32_t site, bool by_blocks)
{
	const struct profile *p = s->e->filter->profile;

	return worth_of(s, site, by_blocks) > 0 &&
	       !filter_stack(s->e->filter, p->sites.site[site].stack).is_ignored;
}

static void put_weights(const struct speedscope *s, bool by_blocks)
{
	bool is_first = true;

	fputs("],\n\"weights\":[", s->out);
	for (uint32_t i = 0; i < s->e->filter->profile->sites.count; i++) {
		if (!has_part(s, i, by_blocks))
			continue;
		fprintf(s->out, "%s%" PRId64, is_first ? "" : ",", worth_of(s, i, by_blocks));
		is_first = false;
	}
	fputs("]}", s->out);
}

/* Returns whether there was anything to write. */
static bool put_profile(struct speedscope *s, const char *name, bool by_blocks, bool is_first)
{
	const struct profile *p = s->e->filter->profile;
	bool is_first_stack = true;
	int64_t sum = 0;

	for (uint32_t i = 0; i < p->sites.count; i++)
		sum += has_part(s, i, by_blocks) ? worth_of(s, i, by_blocks) : 0;
	if (sum == 0)
		return false;
	fputs(is_first ? "\n" : ",\n", s->out);
	fputs("{\"type\":\"sampled\",", s->out);
	json_put_field(s->out, "name", name);
	fprintf(s->out, "\"unit\":\"%s\",\"startValue\":0,\"endValue\":%" PRId64
		",\n\"samples\":[", by_blocks ? "none" : "bytes", sum);
	for (uint32_t i = 0; i < p->sites.count; i++) {
		const struct filtered stack = filter_stack(s->e->filter, p->sites.site[i].stack);

		if (!has_part(s, i, by_blocks))
			continue;
		fputs(is_first_stack ? "\n" : ",\n", s->out);
		put_stack(s, &stack);
		is_first_stack = false;
	}
	put_weights(s, by_blocks);
	return true;
}

static void put_frames(const struct speedscope *s)
{
	fputs("\"shared\":{\"frames\":[", s->out);
	for (uint32_t i = 0; i < s->frames.count; i++) {
		const struct triple *f = &s->frames.triple[i];

		fputs(i ? ",\n{\"name\":" : "\n{\"name\":", s->out);
		json_put_string(s->out, strings_get(&s->names, f->a));
		if (f->b) {
			fputs(",\"file\":", s->out);
			json_put_string(s->out, strings_get(&s->files, f->b));
		}
		if (f->b && f->c)
			fprintf(s->out, ",\"line\":%" PRIu32, f->c);
		putc('}', s->out);
	}
	fputs("]}}\n", s->out);
}

void speedscope_write(FILE *out, const struct export *e)
{
	const struct profile *p = e->filter->profile;
	const size_t texts = (size_t)p->symbols.strings.count + 1;
	struct speedscope s = {
		.out = out, .e = e,
		.name_of = xcalloc(texts, sizeof(*s.name_of)),
		.file_of = xcalloc(texts, sizeof(*s.file_of)),
		.weight = xcalloc((size_t)p->sites.count + 1, sizeof(*s.weight)) };
	bool is_first = true;
	char text[BOUNDS_TEXT], *name = NULL;

	fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n", out);
	if (*bounds_describe(text, &p->sites, e->image))
		name = xasprintf("%s (%s)", e->command, text);
	json_put_field(out, "name", name ? name : e->command);
	free(name);
	fputs("\"exporter\":\"memusage ", out);
	json_put_characters(out, e->version, e->version + strlen(e->version), false);
	fputs("\",\"activeProfileIndex\":0,\n\"profiles\":[", out);
	for (size_t i = 0; i < sizeof(profiles) / sizeof(*profiles); i++) {
		sites_weigh(&p->sites, e->image, profiles[i].kind, 0, s.weight);
		is_first &= !put_profile(&s, profiles[i].name, profiles[i].by_blocks, is_first);
	}
	fputs("],\n", out);
	put_frames(&s);
	strings_free(&s.names);
	strings_free(&s.files);
	triples_free(&s.frames);
	stacklist_free(&s.stack);
	free(s.name_of);
	free(s.file_of);
	free(s.weight);
}
