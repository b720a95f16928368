/* gate_check.c -- Checks that a run can be judged by its conditions.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/options/gate_check.h"

#include <string.h>

#include "formats/gate/gate_names.h"
#include "memusage/common/files.h"
#include "profile/read/segment.h"

/* An hour of tests must not end with a file that cannot be written. */
static void check_files(const struct gate_settings *g, const struct opt_tool *tool)
{
	const char *twice = gate_names_same_file(g->ci.item, g->ci.count);

	if (twice)
		options_error(tool, "--ci names %s twice: each format needs a file of its own",
			      twice);
	for (size_t i = 0; i < g->ci.count; i++) {
		const char *colon = strchr(g->ci.item[i], ':');

		if (colon)
			files_check_name(colon + 1, 0);
	}
}

static void check_baselines(const struct gate_settings *g, const struct opt_tool *tool)
{
	const struct condition *relative = condition_list_find_relative(&g->conditions);

	if (relative && g->baseline.count == 0)
		options_error(tool, "'%s' is about growth: say since when, by "
			      "--baseline=RECORDING", relative->text);
	if (g->baseline.count > 0 && !relative)
		options_error(tool, "--baseline is for conditions like --fail-if='heap "
			      "peak > +5%%', and there is none");
	for (size_t i = 0; i < g->baseline.count; i++) {
		struct segment segment;
		struct mu_error err;

		if (segment_open(&segment, g->baseline.item[i], &err) < 0)
			options_error(tool, "--baseline=%s: %s", g->baseline.item[i],
				      err.text);
		segment_close(&segment);
	}
}

/* Each run has a recording, of which only the figures are shown. The number of the run alone tells
 * their names apart: the judge, another process, must know them. */
static void check_runs(const struct settings *s, const struct opt_tool *tool,
		       const char *report)
{
	const char *other = s->html		? "--html"
			    : s->durable	? "--durable"
			    : s->png		? "--png"
			    : s->data		? "--data"
			    : s->live		? "--live"
			    : s->serve		? "--serve"
			    : s->push.url	? "--push"
			    : s->pid		? "--pid"
			    : s->finish		? "--finish"
			    : s->mode != RUN_MODE_HEAP ? "--mode"
						: report;

	if (s->gate.runs > 0 && other)
		options_error(tool, "--runs=%u shows the figures of all runs: it cannot "
			      "be combined with %s", s->gate.runs, other);
	if (s->gate.runs > 0 && s->record &&
	    (!files_has_specifier(s->record, "n") || files_has_specifier(s->record, "p")))
		options_error(tool, "--runs=%u records each run: --record needs %%n, which is the "
			      "number of the run, and no %%p, as in --record=run.%%n.mur",
			      s->gate.runs);
}

/* The depth of the stack is seen at events: a recursion without a sample in it would pass. */
static void check_stack(const struct settings *s, const struct opt_tool *tool)
{
	const struct condition *c = condition_list_find(&s->gate.conditions, CONDITION_STACK_PEAK);

	if (c && s->sample.is_wanted)
		options_error(tool, "'%s' cannot be judged together with --sample, since the stack "
			      "is not measured at blocks that are not recorded", c->text);
}

void gate_check(struct settings *s, const struct opt_tool *tool, const char *report)
{
	const struct gate_settings *g = &s->gate;
	const char *first = gate_wanted(g) ? g->conditions.item[0].text : NULL;

	check_runs(s, tool, report);
	check_baselines(g, tool);
	check_files(g, tool);
	if (!first && g->ci.count > 0)
		options_error(tool, "--ci reports on conditions: add --fail-if='heap "
			      "peak > 64M'");
	if (!first)
		return;
	if (s->pid || s->finish)
		options_error(tool, "--fail-if starts a program: a recording is judged "
			      "by memusageprint --fail-if='%s' FILE", first);
	if (s->mode != RUN_MODE_HEAP)
		options_error(tool, "--fail-if='%s' is about the heap: it cannot be "
			      "combined with --mode=%s", first,
			      s->mode == RUN_MODE_COPY ? "copy" : "ad-hoc");
	check_stack(s, tool);
	if (condition_list_find(&g->conditions, CONDITION_MMAP_PEAK))
		s->mmap = true;
}
