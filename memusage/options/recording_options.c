/* recording_options.c -- Checks that the options of what is recorded suit each other.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/options/recording_options.h"

/* Returns the option that asks for figures of single blocks or events, or NULL. */
static const char *option_for_events(const struct settings *s)
{
	return s->dhat.is_wanted ? "--dhat" :
	       s->mode != RUN_MODE_HEAP ? "--mode" :
	       s->accesses.engine != ACCESSES_NONE ? "--accesses" : NULL;
}

/* The pages are the heap: blocks are not recorded, so reports about blocks are impossible. */
static void settle_pages(struct settings *s, const struct opt_tool *tool)
{
	const char *other = s->massif.stacks ? "--stacks=yes" : option_for_events(s);

	if (!s->massif.pages)
		return;
	if (other)
		options_error(tool, "--pages-as-heap=yes: cannot be used together with "
			      "%s", other);
	s->mmap = true;
	s->own_malloc = OWN_IGNORE;
}

/* Figures of single events cannot be estimated. */
static void check_sample(const struct settings *s, const struct opt_tool *tool)
{
	const char *other = s->data			? "--data"
			    : s->png			? "--png"
			    : s->massif.pages		? "--pages-as-heap=yes"
								: option_for_events(s);

	if (s->sample.is_wanted && other)
		options_error(tool, "--sample: cannot be used together with %s, which "
			      "needs every block", other);
}

/* A process that is asleep sees nothing: what must be seen from the start cannot be recorded. */
static void check_start_paused(const struct settings *s, const struct opt_tool *tool)
{
	const char *other = s->massif.pages		? "--pages-as-heap=yes"
			    : s->mode != RUN_MODE_HEAP	? "--mode"
			    : s->accesses.engine != ACCESSES_NONE ? "--accesses"
								: NULL;

	if (s->start_paused && other)
		options_error(tool, "--start-paused: cannot be used together with %s, "
			      "which has to see the program from its start", other);
	if (s->start_paused && s->pid)
		options_error(tool, "--start-paused starts a program: with --pid=%u give "
			      "the command start or stop", s->pid);
}

/* The distance of samples is of the command, which has it behind it. */
static void check_sample_command(const struct settings *s, const struct opt_tool *tool)
{
	if (s->sample.is_wanted && s->pid)
		options_error(tool, "--sample starts a program, or is for --attach=PID: with "
			      "--pid=%u give the command start --sample", s->pid);
}

void recording_options_check(struct settings *s, const struct opt_tool *tool)
{
	settle_pages(s, tool);
	check_sample(s, tool);
	check_start_paused(s, tool);
	check_sample_command(s, tool);
}

void recording_options_check_examined(const struct settings *s, const struct opt_tool *tool)
{
	const char *other = s->sample.is_wanted	      ? "--sample"
			    : s->start_paused	      ? "--start-paused"
			    : s->massif.pages	      ? "--pages-as-heap=yes"
			    : s->mode != RUN_MODE_HEAP ? "--mode"
			    : s->accesses.engine == ACCESSES_EMULATE ? "--accesses=emulate"
								     : NULL;

	if (gate_needs_leak_check(&s->gate) && other)
		options_error(tool, "'%s' cannot be judged together with %s, since "
			      "blocks that are not recorded may hold others",
			      condition_list_find(&s->gate.conditions, CONDITION_LEAKS)->text,
			      other);
	if (leaks_wanted(&s->leak_check) && other)
		options_error(tool, "--leak-check: cannot be used together with %s, "
			      "since blocks that are not recorded may hold others", other);
	if (s->fragmentation && other)
		options_error(tool, "--fragmentation: cannot be used together with %s, "
			      "since pages with unrecorded blocks would seem free", other);
	if (s->holders && other)
		options_error(tool, "--holders: cannot be used together with %s, since "
			      "blocks that are not recorded may hold others", other);
}
