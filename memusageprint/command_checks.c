/* command_checks.c -- Which options of memusageprint exclude each other, or do nothing.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/command_checks.h"

#include <string.h>

#include "cli/message.h"
#include "formats/gate/gate_names.h"
#include "memusageprint/dhat/dhat_metric.h"
#include "memusageprint/diff/diff_exports.h"
#include "profile/model/top.h"
/* --tree names the moment of folded stacks, --growth the moments of JSON's growth. */
static bool suits_export(const struct settings *s, unsigned text)
{
	return s->report == REPORT_EXPORT &&
	       ((text == TEXT_TREE && strcmp(s->format, "folded") == 0) ||
		(text == TEXT_GROWTH && strcmp(s->format, "json") == 0));
}

/* A text that is asked for with another report would be dropped. */
static void check_texts(const struct settings *s, const struct opt_tool *tool)
{
	static const struct {
		unsigned bit;
		const char *option;
	} texts[] = {
		{ TEXT_SUMMARY, "--summary" }, { TEXT_TOP, "--top" }, { TEXT_TREE, "--tree" },
		{ TEXT_LEAKS, "--leaks" }, { TEXT_TEMPORARY, "--temporary" },
		{ TEXT_PLOT, "--plot" }, { TEXT_AD_HOC, "--ad-hoc" }, { TEXT_MARKS, "--marks" },
		{ TEXT_GROWTH, "--growth" }, { TEXT_LEAK_CHECK, "--leak-check" },
		{ TEXT_FRAGMENTATION, "--fragmentation" }, { TEXT_HOLDERS, "--holders" },
	};
	const char *report = s->report == REPORT_DHAT      ? "--dhat"
			     : s->report == REPORT_EXPORT  ? "--to="
							      : "--spacetime";

	if (s->report == REPORT_DEFAULT || s->report == REPORT_TEXT)
		return;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		if ((s->text & texts[i].bit) && !suits_export(s, texts[i].bit))
			options_error(tool, "%s is no part of %s%s: run memusageprint once for "
				      "each", texts[i].option, report,
				      s->report == REPORT_EXPORT ? s->format : "");
	}
}

/* --diff compares two files in lists and trees of places. */
static void check_diff(const struct settings *s, const struct opt_tool *tool, int files)
{
	const unsigned has = TEXT_TOP | TEXT_TREE | TEXT_LEAKS | TEXT_TEMPORARY;

	if (!s->diff)
		return;
	if (files != 2)
		options_error(tool, "--diff compares two files, the old and the new one; %d %s "
			      "given", files, files == 1 ? "is" : "are");
	if (s->report == REPORT_EXPORT && !diff_exports_has(s->format))
		options_error(tool, "--to=%s has no room for a comparison: json, folded and pprof "
			      "have", s->format);
	if ((s->report > REPORT_TEXT && s->report != REPORT_EXPORT) || (s->text & ~has))
		options_error(tool, "--diff is a report of places: --top, --tree, --leaks "
			      "or --temporary");
	if (s->pid)
		options_error(tool, "--diff compares the processes that held most: a process has "
			      "another ID in each run, so --pid does not suit it");
}

/* --merge makes one process, with places, of many. */
static void check_merge(const struct settings *s, const struct opt_tool *tool, char **files)
{
	const unsigned lacks = TEXT_MARKS | TEXT_LEAK_CHECK | TEXT_FRAGMENTATION | TEXT_HOLDERS;

	if (s->readers > 0 && !s->merge)
		options_error(tool, "--readers is about recordings that are read together: add "
			      "--merge");
	if (!s->merge)
		return;
	if (s->diff)
		options_error(tool, "--merge and --diff: merge each side to a recording by "
			      "--merge --to=recording, and compare these");
	if (s->pid)
		options_error(tool, "--merge is about all processes: --pid does not suit it");
	if ((s->text & lacks) || s->massif_file || s->dhat_file ||
	    s->xtree != XTREE_NONE)
		options_error(tool, "--merge is a report of places: --top, --tree, --leaks, "
			      "--temporary, --growth, --plot, --processes or --to");
	if (s->report == REPORT_EXPORT &&
	    (strcmp(s->format, "graph") == 0 || strcmp(s->format, "dot") == 0))
		options_error(tool, "--to=%s is about the blocks of one process, which a merge "
			      "does not have", s->format);
	for (; *files; files++) {
		if (strcmp(*files, "-") == 0)
			options_error(tool, "--merge reads recordings twice, which standard "
				      "input does not allow");
	}
}

/* There is one standard output. */
static void check_ci_outputs(const struct opt_tool *tool, const struct opt_list *ci)
{
	const char *first = NULL;

	for (size_t i = 0; i < ci->count; i++) {
		if (strchr(ci->item[i], ':') || strcmp(ci->item[i], "github") == 0)
			continue;
		if (first)
			options_error(tool, "--ci=%s and --ci=%s cannot both take the place of "
				      "the text: name a file, --ci=%s:FILE", first, ci->item[i],
				      ci->item[i]);
		first = ci->item[i];
	}
}

/* Several files are runs of one program then, so no report of a file suits it. */
static void check_gate(const struct settings *s, const struct opt_tool *tool)
{
	const struct condition_list *list = &s->gate.conditions;
	const struct condition *relative = condition_list_find_relative(list);
	const char *twice;

	if (list->count == 0 && s->gate.ci.count > 0)
		options_error(tool, "--ci reports on conditions: add --fail-if='heap peak > 64M'");
	check_ci_outputs(tool, &s->gate.ci);
	twice = gate_names_same_file(s->gate.ci.item, s->gate.ci.count);
	if (twice)
		options_error(tool, "--ci names %s twice: each format needs a file of its own",
			      twice);
	if (list->count == 0 && s->gate.baseline.count > 0)
		options_error(tool, "--baseline is for conditions: add --fail-if='heap peak > "
			      "+5%%', or say --diff OLD NEW");
	if (relative && s->gate.baseline.count == 0)
		options_error(tool, "'%s' is about growth: say since when, by "
			      "--baseline=RECORDING", relative->text);
	if ((list->count > 0 || s->gate.has_table) &&
	    (s->report != REPORT_DEFAULT || s->text || s->diff ||
	     s->merge))
		options_error(tool, "--fail-if and --runs print their own report: run "
			      "memusageprint once more for the others");
}

/* Warns of options that choose what other reports show. */
static void warn_of_idle_options(const struct settings *s)
{
	const unsigned lists = TEXT_TOP | TEXT_LEAKS | TEXT_TEMPORARY | TEXT_GROWTH |
			       TEXT_FRAGMENTATION | TEXT_HOLDERS;
	const bool is_list = s->report == REPORT_DEFAULT ||
			     (s->report == REPORT_TEXT && (s->text & lists));
	const bool is_dhat = s->report == REPORT_DHAT || s->report == REPORT_DEFAULT;
	const char *places = s->group != TOP_BY_FUNCTION ? "--group" :
			     s->lifetimes		    ? "--lifetimes" :
							      NULL;

	if (places && !is_list)
		warn("%s changes only lists of places: add --top, --leaks, --growth or "
		     "--temporary", places);
	if (s->grep && !is_list && !is_dhat && !(s->text & TEXT_TREE))
		warn("--grep changes only lists of places, --tree and --dhat: add one of them");
	if ((s->invert || s->sort != DHAT_TOTAL_BLOCKS) && !is_dhat)
		warn("%s changes only the report of --dhat: add it",
		     s->invert ? "--invert" : "--sort");
}

void command_checks(const struct settings *s, const struct opt_tool *tool, char **files)
{
	int count = 0;

	while (files[count])
		count++;
	check_texts(s, tool);
	check_diff(s, tool, count);
	check_merge(s, tool, files);
	check_gate(s, tool);
	warn_of_idle_options(s);
}
