/* remote_leaks.c -- The command leak_check of memusage --pid.
 *
 * Its words are those of Valgrind's monitor command of this name.
 *
 * Source  Valgrind 3.19 manual, section 4.6, "Memcheck Monitor Commands".
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/remote/remote_leaks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/units.h"
#include "cli/word_set.h"
#include "cli/xmalloc.h"
#include "memusage/examine/leak_check.h"
#include "memusage/remote/remote_examination.h"
#include "memusage/remote/remote_report.h"

/* ---- words ------------------------------------------------------------------------------ */

struct leak_words {
	const char *form;  /* of memusageprint's --leak-check */
	const char *kinds; /* of --show-leak-kinds */
	const char *heuristics;
};

/* Reads the word that follows the one at W as a set. Returns it, or NULL after a message. */
static const char *read_set(char **w, const char *const *known)
{
	unsigned int set;
	const char *why;

	if (!w[1]) {
		warn("leak_check %s: which?", *w);
		return NULL;
	}
	why = word_set_parse(w[1], known, &set);
	if (why)
		warn("leak_check %s %s: it %s", *w, w[1], why);
	return why ? NULL : w[1];
}

/* Returns how many words were read, or -1 after a message. */
static int read_word(struct leak_words *words, char **w)
{
	static const struct {
		const char *word, *kinds;
	} groups[] = {
		{ "reachable", "all" },
		{ "possibleleak", "definite,possible" },
		{ "definiteleak", "definite" },
	};

	if (strcmp(*w, "full") == 0 || strcmp(*w, "summary") == 0) {
		words->form = *w;
		return 1;
	}
	for (size_t i = 0; i < sizeof(groups) / sizeof(*groups); i++) {
		if (strcmp(*w, groups[i].word) == 0) {
			words->kinds = groups[i].kinds;
			return 1;
		}
	}
	if (strcmp(*w, "kinds") == 0) {
		words->kinds = read_set(w, word_set_leak_kinds);
		return words->kinds ? 2 : -1;
	}
	if (strcmp(*w, "heuristics") == 0) {
		words->heuristics = read_set(w, word_set_leak_heuristics);
		return words->heuristics ? 2 : -1;
	}
	if (strcmp(*w, "unlimited") == 0 || strcmp(*w, "any") == 0)
		return 1;
	warn("leak_check: unknown word %s; it takes full or summary, kinds SET, heuristics SET, "
	     "reachable, possibleleak, definiteleak", *w);
	return -1;
}

static int read_words(struct leak_words *words, char **w)
{
	*words = (struct leak_words){ .form = "full", .kinds = "definite,possible",
				      .heuristics = "all" };
	while (*w) {
		int count = read_word(words, w);

		if (count < 0)
			return -1;
		w += count;
	}
	return 0;
}

/* ---- the report ------------------------------------------------------------------------- */

static void append_form(struct opt_list *list, const struct remote *r)
{
	opt_list_append(list, xasprintf("--leak-check=%s", r->leak_words->form));
	opt_list_append(list, xasprintf("--show-leak-kinds=%s", r->leak_words->kinds));
}

/* ---- the command ------------------------------------------------------------------------ */

/* Blocks that were not recorded hold others, which would all seem lost. */
static const char *find_why_not(const struct remote *r)
{
	const uint32_t flags = r->contact.live.view.head.config.flags;
	const char *missing = remote_examination_find_missing(r);

	if (missing)
		return missing;
	if (__atomic_load_n(&r->contact.live.shared->stopped, __ATOMIC_RELAXED))
		return "recording is stopped: blocks that it does not know may hold others";
	if (!(flags & MU_CFG_STACKS))
		return "no call stacks are recorded: start it with --leak-check, --record or --top";
	return NULL;
}

int remote_leaks_run(struct remote *r)
{
	struct leak_check_options o = { .heuristics = 0 };
	struct mu_leak_check *check;
	struct leak_words words;
	char text[UNITS_LENGTH];
	int result;

	if (read_words(&words, r->words) < 0)
		return -1;
	word_set_parse(words.heuristics, word_set_leak_heuristics, &o.heuristics);
	check = remote_examination_run(r, &leak_check, find_why_not(r), &o);
	if (!check)
		return -1;
	if (r->settings->verbose)
		fprintf(stderr, "memusage: process %d stood still for %s\n", (int)r->pid,
			units_duration(text, check->pause_ns));
	r->leak_words = &words;
	r->leak_check = check;
	result = remote_report_print_as(r, append_form);
	r->leak_check = NULL;
	free(check);
	return result;
}
