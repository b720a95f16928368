/* gate_run.c -- Judges recordings by the conditions of --fail-if and --budget.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/gate/gate_run.h"

#include <stdlib.h>

#include "cli/layout.h"
#include "cli/output.h"
#include "cli/version.h"
#include "cli/xmalloc.h"
#include "memusageprint/gate/gate_ci.h"
#include "memusageprint/gate/gate_places.h"
#include "memusageprint/gate/gate_side.h"
#include "memusageprint/gate/gate_table.h"
#include "memusageprint/gate/gate_text.h"

/* The runs of one side: those of the program, or of the baseline. */
struct gate_runs {
	struct gate_side *side;
	size_t count;
};

static int open_runs(struct gate_runs *r, const char *const *file, size_t count,
		     const struct settings *settings)
{
	r->side = xcalloc(count + 1, sizeof(*r->side));
	for (r->count = 0; r->count < count;) {
		if (gate_side_open(&r->side[r->count], file[r->count], settings) < 0) {
			r->count++;
			return -1;
		}
		r->count++;
	}
	return 0;
}

static void close_runs(struct gate_runs *r)
{
	for (size_t i = 0; i < r->count; i++)
		gate_side_close(&r->side[i]);
	free(r->side);
}

/* Returns NULL if a run does not tell its figure, and why in WHY; the caller frees the result. */
static struct figure *collect_figures(const struct gate_runs *r, size_t number, char **why)
{
	struct figure *figure = xcalloc(r->count + 1, sizeof(*figure));

	for (size_t i = 0; i < r->count; i++) {
		const struct gate_measured *m = &r->side[i].measured[number];

		if (!m->is_known) {
			*why = r->count > 1 ? xasprintf("%s: %s", r->side[i].in.name,
							m->why.text) :
					      xstrdup(m->why.text);
			free(figure);
			return NULL;
		}
		figure[i] = m->figure;
	}
	return figure;
}

/* No run has the function or module of a condition, whose name may be mistyped. */
static bool lacks_place(const struct gate_runs *r, size_t number)
{
	bool has_place = false;

	for (size_t i = 0; i < r->count; i++)
		has_place |= r->side[i].measured[number].has_place;
	return !has_place;
}

static void judge_condition(struct gate_finding *f, size_t number, const struct gate_runs *old,
			    const struct gate_runs *new)
{
	const struct condition *c = f->condition;
	struct figure *before = NULL, *now = collect_figures(new, number, &f->why);

	if (now && c->is_relative)
		before = collect_figures(old, number, &f->why);
	if (!f->why)
		f->verdict = verdict_judge(c, before, old->count, now, new->count);
	f->lacks_place = !f->why && lacks_place(new, number);
	f->process = f->why ? xstrdup("") :
			      gate_side_process(&new->side[0], new->side[0].measured[number].slot);
	free(before);
	free(now);
}

static int find_all_places(struct gate *g, const struct gate_runs *old,
			   const struct gate_runs *new)
{
	int result = 0;

	for (size_t i = 0; i < g->count; i++) {
		struct gate_finding *f = &g->finding[i];

		if (gate_is_broken(f))
			result |= gate_places_find(f, i, f->condition->is_relative ?
								   &old->side[0] : NULL,
						   &new->side[0]);
	}
	return result;
}

static void print_text(struct output *out, const struct gate *g, const struct settings *settings)
{
	FILE *page = layout_open(out->stream, settings_layout(settings));

	out->has_color = true; /* names are clean already */
	gate_text_print(page, g, settings->gate.is_of_run ? "memusage: " : "",
			settings->gate.is_quiet);
	fclose(page);
}

static void print_table(struct output *out, const struct settings *settings,
			const struct figure_spread *spread)
{
	FILE *page = layout_open(out->stream, settings_layout(settings));

	out->has_color = true;
	gate_table_print(page, &settings->gate.conditions, spread);
	fclose(page);
}

/* spread  of the table; NULL: none is wanted. */
static int print_findings(const struct gate *g, const struct settings *settings,
			  const struct figure_spread *spread)
{
	struct output out;
	int result;

	if (output_open(&out, settings->output, 0) < 0)
		return -1;
	if (!gate_ci_takes_output(settings))
		print_text(&out, g, settings);
	if (spread && !gate_ci_takes_output(settings))
		print_table(&out, settings, spread);
	gate_ci_put(out.stream, g, settings);
	result = output_close(&out);
	return result | gate_ci_write_files(g, settings);
}

/* Returns one per condition, to be freed; NULL if no table is wanted. */
static struct figure_spread *spread_all(const struct settings *settings,
					const struct gate_runs *runs)
{
	const struct condition_list *list = &settings->gate.conditions;
	struct figure_spread *spread;

	if (!settings->gate.has_table)
		return NULL;
	spread = xcalloc(list->count + 1, sizeof(*spread));
	for (size_t i = 0; i < list->count; i++) {
		char *why = NULL;
		struct figure *figure = collect_figures(runs, i, &why);

		if (figure)
			spread[i] = verdict_spread(figure, runs->count);
		free(figure);
		free(why);
	}
	return spread;
}

/* count  the first conditions of the list, which are judged; the others are of the table. */
static int judge_runs(const struct settings *settings, size_t count, const struct gate_runs *old,
		      const struct gate_runs *new)
{
	const struct condition_list *list = &settings->gate.conditions;
	char *root = gate_ci_root();
	struct gate g = { .version = MEMUSAGE_VERSION, .root = root, .count = count };
	struct figure_spread *spread = spread_all(settings, new);
	int status = EXIT_SUCCESS, result;

	g.finding = xcalloc(count + 1, sizeof(*g.finding));
	g.has_processes = new->side[0].list.processes > 1;
	for (size_t i = 0; i < count; i++) {
		g.finding[i].condition = &list->item[i];
		judge_condition(&g.finding[i], i, old, new);
	}
	result = find_all_places(&g, old, new);
	result |= print_findings(&g, settings, spread);
	free(spread);
	if (result < 0 || gate_count_unknown(&g) > 0)
		status = EXIT_FAILURE;
	if (gate_count_broken(&g) > 0)
		status = GATE_BROKEN_STATUS;
	gate_free(&g);
	free(root);
	return status;
}

int gate_run(const struct settings *given)
{
	const struct opt_list *baseline = &given->gate.baseline;
	const size_t count = given->gate.conditions.count;
	struct settings with_table = *given;
	const struct settings *settings = &with_table;
	struct gate_runs old = { .count = 0 }, new = { .count = 0 };
	int status = EXIT_FAILURE;

	if (given->gate.has_table)
		gate_table_add(&with_table.gate.conditions);
	if (open_runs(&new, (const char *const *)settings->files, (size_t)settings->file_count,
		      settings) == 0 &&
	    open_runs(&old, baseline->item, baseline->count, settings) == 0)
		status = judge_runs(settings, count, &old, &new);
	close_runs(&old);
	close_runs(&new);
	return status;
}
