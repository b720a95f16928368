/* pprof_text.c -- A profile of now as text.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/pprof/pprof_text.h"

#include <inttypes.h>
#include <stdlib.h>

#include "formats/base/bounds.h"
#include "formats/base/utf8.h"

/* A line about a place. */
struct text_values {
	int64_t live_blocks, live_bytes;
	int64_t total_blocks, total_bytes;
};

static void put_values(FILE *out, const struct text_values *v)
{
	fprintf(out, "%" PRId64 ": %" PRId64 " [%" PRId64 ": %" PRId64 "] @", v->live_blocks,
		v->live_bytes, v->total_blocks, v->total_bytes);
}

static struct text_values values_of(const struct site *s)
{
	return (struct text_values){ .live_blocks = s->live_blocks, .live_bytes = s->live_bytes,
				     .total_blocks = (int64_t)s->total_blocks,
				     .total_bytes = (int64_t)s->total_bytes };
}

static bool is_shown(const struct pprof_now *now, const struct export *e, const struct site *s,
		     struct filtered *stack)
{
	*stack = filter_stack(e->filter, s->stack);
	return pprof_shows_site(now, s) && !stack->is_ignored;
}

static struct text_values sum_values(const struct pprof_now *now)
{
	struct text_values sum = { .live_blocks = 0 };
	struct filtered stack;

	for (size_t i = 0; i < now->count; i++) {
		const struct sites *sites = &now->process[i]->filter->profile->sites;

		for (uint32_t k = 0; k < sites->count; k++) {
			const struct site *s = &sites->site[k];

			if (!is_shown(now, now->process[i], s, &stack))
				continue;
			sum.live_blocks += s->live_blocks;
			sum.live_bytes += s->live_bytes;
			sum.total_blocks += (int64_t)s->total_blocks;
			sum.total_bytes += (int64_t)s->total_bytes;
		}
	}
	return sum;
}

static void put_frame(FILE *out, const struct profile *p, uint32_t location)
{
	uint32_t count;
	const struct symbols_level *level = profile_levels(p, location, &count);
	const struct symbols *names = &p->symbols;

	if (count == 0) {
		fprintf(out, "#\t0x%" PRIx64, p->location[location].pc - 1);
		fputs("\t??\t", out);
		utf8_put_clean(out, profile_object(p, location));
		fputc('\n', out);
	}
	for (uint32_t i = 0; i < count; i++) {
		fprintf(out, "#\t0x%" PRIx64 "\t", p->location[location].pc - 1);
		utf8_put_clean(out, level[i].full ? symbols_text(names, level[i].full) : "??");
		if (level[i].file) {
			fputc('\t', out);
			utf8_put_clean(out, symbols_text(names, level[i].file));
			fprintf(out, ":%u", level[i].line);
		}
		fputc('\n', out);
	}
}

static void put_place(FILE *out, const struct profile *p, const struct site *s,
		      const struct filtered *stack)
{
	const struct text_values v = values_of(s);
	uint32_t frame = stack->frame;

	put_values(out, &v);
	for (uint32_t i = 0; i < stack->count && frame; i++, frame = p->frame[frame].parent)
		fprintf(out, " 0x%" PRIx64, p->location[p->frame[frame].location].pc);
	fputc('\n', out);
	frame = stack->frame;
	for (uint32_t i = 0; i < stack->count && frame; i++, frame = p->frame[frame].parent)
		put_frame(out, p, p->frame[frame].location);
	fputc('\n', out);
}

static void put_process(FILE *out, const struct pprof_now *now, const struct export *e)
{
	const struct profile *p = e->filter->profile;
	char text[BOUNDS_TEXT];
	struct filtered stack;

	fprintf(out, "# process %u: ", e->pid);
	utf8_put_clean(out, e->command);
	fputc('\n', out);
	if (*pprof_describe_estimates(text, e))
		fprintf(out, "# %s\n", text);
	fputc('\n', out);
	for (uint32_t k = 0; k < p->sites.count; k++) {
		if (is_shown(now, e, &p->sites.site[k], &stack))
			put_place(out, p, &p->sites.site[k], &stack);
	}
}

/* pprof would unbias the values of other headers once more. */
void pprof_text_write(FILE *out, const struct pprof_now *now)
{
	const struct text_values sum = sum_values(now);

	fputs("heap profile: ", out);
	put_values(out, &sum);
	fputs(" heapprofile\n", out);
	for (size_t i = 0; i < now->count; i++)
		put_process(out, now, now->process[i]);
}
