/* attach_options.c -- The options of recording a process that runs already.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/options/attach_options.h"

#include <stdlib.h>
#include <string.h>

const char *attach_options_duration(const struct opt *option, const char *arg, void *data)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = { { "ms", 1e6 }, { "s", 1e9 }, { "", 1e9 }, { "m", 60e9 }, { "h", 3600e9 } };
	char *end;
	double number = strtod(arg, &end);

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		/* No more than a hundred days. */
		if (end == arg || strcmp(end, units[i].unit) != 0 ||
		    !(number * units[i].ns >= 1e6 && number * units[i].ns <= 100 * 86400e9))
			continue;
		*(uint64_t *)data = (uint64_t)(number * units[i].ns);
		return NULL;
	}
	return "must be a time like 30s, 500ms, 5m or 1h";
}

/* Returns the option that a recorder cannot fulfil that was not there from the start. */
static const char *option_for_starts(const struct settings *s)
{
	return s->pid				       ? "--pid"
	       : s->finish			       ? "--finish"
	       : s->durable			       ? "--durable"
	       : s->start_paused		       ? "--start-paused"
	       : s->progname			       ? "--progname"
	       : s->leak_check.forks		       ? "--leak-check-forks=yes"
	       : s->massif.pages		       ? "--pages-as-heap=yes"
	       : s->massif.stacks		       ? "--stacks=yes"
	       : s->massif.time == MASSIF_TIME_I       ? "--time-unit=i"
	       : s->mode != RUN_MODE_HEAP	       ? "--mode"
	       : s->accesses.engine != ACCESSES_NONE   ? "--accesses"
	       : s->alloc_symbol.count		       ? "--alloc-symbol"
	       : s->free_symbol.count		       ? "--free-symbol"
	       : s->client_requests != REQUESTS_NO     ? "--client-requests"
	       : s->triggers.signal		       ? "--snapshot-signal"
	       : s->gate.runs			       ? "--runs"
	       : s->trace_children == TRACE_YES	       ? "--trace-children=yes"
						       : NULL;
}

void attach_options_check(struct settings *s, const struct opt_tool *tool, const char *operand)
{
	const char *other = s->attach ? option_for_starts(s) : NULL;

	if (!s->attach && s->duration_ns)
		options_error(tool, "--duration is for --attach=PID");
	if (!s->attach)
		return;
	if (operand)
		options_error(tool, "--attach=%u records a process that runs already: it "
			      "takes no program (%s)", s->attach, operand);
	if (other)
		options_error(tool, "--attach=%u: cannot be used together with %s, "
			      "which needs memusage from the start of a program", s->attach,
			      other);
	/* It would need a handler of SIGPROF. */
	s->no_timer = true;
}
