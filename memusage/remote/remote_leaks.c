/* remote_leaks.c -- The commands leak_check, block_list and who_points_at of memusage --pid.
 *
 * Their words are those of Memcheck's monitor commands of these names.
 *
 * Source  Valgrind 3.19 manual, section 4.6, "Memcheck Monitor Commands".
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/remote/remote_leaks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/output.h"
#include "cli/units.h"
#include "cli/word_set.h"
#include "cli/xmalloc.h"
#include "memusage/common/asked_checks.h"
#include "memusage/common/child.h"
#include "memusage/examine/leak_check.h"
#include "memusage/examine/pointer_search.h"
#include "memusage/remote/remote_examination.h"
#include "memusage/remote/remote_output.h"
#include "memusage/remote/remote_report.h"
#include "profile/read/leak_checks.h"

/* ---- words ------------------------------------------------------------------------------ */

struct leak_words {
	const char *kinds; /* of memusageprint's --show-leak-kinds */
	const char *heuristics;
	uint32_t form;	/* MU_LEAK_CHECK_SUMMARY or 0 */
	uint32_t delta; /* MU_LEAK_CHECK_NEW, _INCREASED, _CHANGED, or 0: any */
	uint32_t limit; /* of records, 0: none */
	bool has_tree;	/* the records are written to a file */
	char *tree_name; /* of it; NULL: the output of this process */
};

enum word_kind { WORD_FORM, WORD_GROUP, WORD_DELTA, WORD_KINDS, WORD_HEURISTICS, WORD_LIMITED,
		 WORD_UNLIMITED, WORD_TREE };

/* In Memcheck's order; any unique prefix of a word will do. */
static const struct word {
	const char *word;
	enum word_kind kind;
	uint32_t flag;
	const char *set;
} all_words[] = {
	{ "full", WORD_FORM, 0, NULL },
	{ "summary", WORD_FORM, MU_LEAK_CHECK_SUMMARY, NULL },
	{ "xtleak", WORD_TREE, 0, NULL },
	{ "kinds", WORD_KINDS, 0, NULL },
	{ "reachable", WORD_GROUP, 0, "all" },
	{ "possibleleak", WORD_GROUP, 0, "definite,indirect,possible" },
	{ "definiteleak", WORD_GROUP, 0, "definite" },
	{ "heuristics", WORD_HEURISTICS, 0, NULL },
	{ "new", WORD_DELTA, MU_LEAK_CHECK_NEW, NULL },
	{ "increased", WORD_DELTA, MU_LEAK_CHECK_INCREASED, NULL },
	{ "changed", WORD_DELTA, MU_LEAK_CHECK_CHANGED, NULL },
	{ "any", WORD_DELTA, 0, NULL },
	{ "unlimited", WORD_UNLIMITED, 0, NULL },
	{ "limited", WORD_LIMITED, 0, NULL },
};
enum { WORDS = sizeof(all_words) / sizeof(*all_words) };

/* Returns NULL after a message. */
static const struct word *find_word(const char *text)
{
	const struct word *found = NULL;
	int count = 0;

	for (int i = 0; i < WORDS && *text; i++) {
		if (strcmp(all_words[i].word, text) == 0)
			return &all_words[i];
		if (strncmp(all_words[i].word, text, strlen(text)) != 0)
			continue;
		found = &all_words[i];
		count++;
	}
	if (count == 1)
		return found;
	warn("leak_check: unknown word %s; it takes full, summary or xtleak; kinds SET, reachable, "
	     "possibleleak or definiteleak; heuristics SET; new, increased, changed or any; "
	     "limited N or unlimited; and a FILE, whose name has a point or a slash", text);
	return NULL;
}

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

/* Returns 0 after a message. */
static uint32_t read_limit(char **w)
{
	const char *text = w[1] ? w[1] : "";
	char *end;
	unsigned long number = strtoul(text, &end, 10);

	if (*text >= '0' && *text <= '9' && *end == '\0' && number >= 1 && number <= UINT32_MAX)
		return (uint32_t)number;
	warn("leak_check %s %s: it takes the number of loss records, 1 or more", *w, text);
	return 0;
}

/* Returns how many words were read, or -1 after a message. */
static int read_word(struct leak_words *words, char **w)
{
	const struct word *word = find_word(*w);

	if (!word)
		return -1;
	switch (word->kind) {
	case WORD_FORM:
		words->form = word->flag;
		return 1;
	case WORD_GROUP:
		words->kinds = word->set;
		return 1;
	case WORD_DELTA:
		words->delta = word->flag;
		return 1;
	case WORD_KINDS:
		words->kinds = read_set(w, word_set_leak_kinds);
		return words->kinds ? 2 : -1;
	case WORD_HEURISTICS:
		words->heuristics = read_set(w, word_set_leak_heuristics);
		return words->heuristics ? 2 : -1;
	case WORD_TREE:
		words->has_tree = true;
		words->form = 0;
		return 1;
	case WORD_LIMITED:
		words->limit = read_limit(w);
		return words->limit ? 2 : -1;
	default:
		words->limit = 0;
		return 1;
	}
}

static int read_words(struct leak_words *words, char **w)
{
	*words = (struct leak_words){ .kinds = "definite,possible", .heuristics = "none",
				      .delta = MU_LEAK_CHECK_INCREASED };
	while (*w) {
		int count = read_word(words, w);

		if (count < 0)
			return -1;
		w += count;
	}
	return 0;
}

bool remote_leaks_find_tree(char **words)
{
	for (; *words; words++) {
		if (**words && strncmp("xtleak", *words, strlen(*words)) == 0)
			return true;
	}
	return false;
}

/* ---- the check before ----------------------------------------------------------------------- */

static struct mu_leak_check *flatten_check(const struct leak_check *c)
{
	const size_t size = c->head.count * sizeof(*c->loss);
	struct mu_leak_check *flat = xmalloc(sizeof(*flat) + size);

	*flat = c->head;
	memcpy(flat->loss, c->loss, size);
	return flat;
}

/* Returns the last check that the process itself has requested, or NULL. */
static struct mu_leak_check *read_requested(const struct remote *r)
{
	struct mu_leak_check *last = NULL;
	struct leak_checks all;
	struct image im;

	if (live_image(&r->contact.live, &im, NULL) < 0)
		return NULL;
	leak_checks_read(&all, &im);
	if (all.count > 0)
		last = flatten_check(&all.check[all.count - 1]);
	leak_checks_free(&all);
	return last;
}

/* Returns the check that the next one is compared with, to be freed; NULL if there was none. */
static struct mu_leak_check *read_last(const struct remote *r, struct asked_image image)
{
	struct mu_leak_check *requested = read_requested(r), *last;
	struct asked_checks asked;

	asked_checks_read(&asked, r->contact.checks, image);
	if (!requested || (asked.last && asked.last->mono_ns > requested->mono_ns)) {
		last = asked.last;
		asked.last = NULL;
		free(requested);
	} else {
		last = requested;
	}
	asked_checks_free(&asked);
	if (last)
		last->flags |= MU_LEAK_CHECK_ASKED;
	return last;
}

/* ---- the report ------------------------------------------------------------------------- */

static void append_form(struct opt_list *list, const struct remote *r)
{
	opt_list_append(list, "--leak-check=full");
	opt_list_append(list, xasprintf("--show-leak-kinds=%s", r->leak_words->kinds));
}

/* The name has been chosen: what is in it stands for itself. */
static void append_tree(struct opt_list *list, const struct remote *r)
{
	const struct leak_words *words = r->leak_words;
	const char *name = words->tree_name ? output_escape(words->tree_name) :
					      child_pass_file(r->output_fd);

	append_form(list, r);
	opt_list_append(list, "--xtree-leak=yes");
	opt_list_append(list, xasprintf("--xtree-leak-file=%s", name));
}

/* With the rights of another owner the name is chosen when the file is copied. */
static int print_with_tree(struct remote *r, struct leak_words *words)
{
	int result;

	if (r->output_fd < 0) {
		words->tree_name = strstr(r->operand, "%n") ? remote_output_unused_name(r) :
							      remote_xtree_name(r, 1);
		if (!words->tree_name)
			return -1;
	}
	result = remote_report_print_as(r, append_tree);
	free(words->tree_name);
	words->tree_name = NULL;
	return result;
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

static struct mu_leak_check *make_check(struct remote *r, const struct leak_words *words,
					const struct lost_watch *watch)
{
	struct leak_check_options o = { .watch = watch };
	struct mu_leak_check *check;
	char text[UNITS_LENGTH];

	word_set_parse(words->heuristics, word_set_leak_heuristics, &o.heuristics);
	check = remote_examination_run(r, &leak_check, find_why_not(r), &o);
	if (!check)
		return NULL;
	check->flags |= MU_LEAK_CHECK_ASKED | words->form | words->delta | o.heuristics << 16;
	check->limit = words->limit;
	if (r->settings->verbose)
		fprintf(stderr, "memusage: process %d stood still for %s\n", (int)r->pid,
			units_duration(text, check->pause_ns));
	return check;
}

static struct asked_image image_of(const struct remote *r)
{
	return (struct asked_image){ r->contact.live.slot, r->contact.live.generation };
}

/* Prints the last of the checks, or keeps it. */
static int report_checks(struct remote *r, const struct mu_leak_check *before,
			 const struct mu_leak_check *last, struct leak_words *words)
{
	int result;

	r->leak_words = words;
	r->check[1] = before;
	r->check[2] = last;
	result = words->has_tree ? print_with_tree(r, words) :
		 r->operand	 ? remote_report_record(r) :
				   remote_report_print_as(r, append_form);
	r->check[1] = r->check[2] = NULL;
	return result;
}

int remote_leaks_run(struct remote *r)
{
	const struct asked_image image = image_of(r);
	struct leak_words words;
	struct asked_checks made, asked;
	int result;

	if (read_words(&words, r->words) < 0)
		return -1;
	asked_checks_read(&asked, r->contact.checks, image);
	made.last = make_check(r, &words, asked.watch);
	if (!made.last) {
		asked_checks_free(&asked);
		return -1;
	}
	made.watch = asked_checks_take_watch(made.last);
	if (!made.watch) {
		made.watch = asked.watch;
		asked.watch = NULL;
	}
	asked_checks_free(&asked);
	made.before = read_last(r, image);
	if (r->contact.checks >= 0 && !asked_checks_write(&made, r->contact.checks, image))
		warn("process %d: the next check cannot be compared with this one: %m",
		     (int)r->pid);
	result = report_checks(r, made.before, made.last, &words);
	asked_checks_free(&made);
	return result;
}

/* ---- lists ------------------------------------------------------------------------------ */

/* Reads "0x10", "16". Returns whether it is a number. */
static bool read_number(const char *text, uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoull(text, &end, 0);
	return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0;
}

/* Reads "3" or "3..5". */
static bool read_records(const char *text, struct mu_leak_list *list)
{
	unsigned int first, last;
	int length = 0;

	if (sscanf(text, "%9u%n", &first, &length) == 1 && text[length] == '\0')
		last = first;
	else if (sscanf(text, "%9u..%9u%n", &first, &last, &length) != 2 || text[length] != '\0')
		return false;
	list->first = first;
	list->last = last;
	return *text >= '0' && *text <= '9' && first >= 1 && last >= first;
}

/* Returns 0, or -1 after a message. */
static int read_list_words(struct mu_leak_list *list, char **w)
{
	unsigned int set;
	struct leak_words words;

	*list = (struct mu_leak_list){ .limit = 0 };
	if (!*w || !read_records(*w, list)) {
		warn("block_list: it takes the number of a loss record, or two as in 2..5");
		return -1;
	}
	if (read_words(&words, w + 1) < 0)
		return -1;
	list->limit = words.limit;
	if (word_set_parse(words.heuristics, word_set_leak_heuristics, &set) == NULL)
		list->heuristics = set;
	return 0;
}

/* The blocks are those of now; which records there are says the last check. */
static int print_blocks(struct remote *r, const struct mu_leak_list *wanted,
			const struct asked_checks *asked)
{
	struct leak_words words = { .kinds = "all" };
	const struct leak_check_options o = {
		.heuristics = MU_LEAK_CHECK_HEURISTICS(asked->last->flags), .lists_blocks = true
	};
	struct mu_leak_check none = { .flags = MU_LEAK_CHECK_ASKED };
	struct mu_leak_check *now = remote_examination_run(r, &leak_check, find_why_not(r), &o);
	struct mu_leak_list *list;
	int result;

	if (!now)
		return -1;
	now->flags |= MU_LEAK_CHECK_ASKED;
	list = (void *)now->loss;
	list->first = wanted->first;
	list->last = wanted->last;
	list->limit = wanted->limit;
	list->heuristics = wanted->heuristics;
	r->check[0] = asked->before ? asked->before : &none;
	result = report_checks(r, asked->last, now, &words);
	r->check[0] = NULL;
	free(now);
	return result;
}

int remote_leaks_run_block_list(struct remote *r)
{
	struct asked_checks asked;
	struct mu_leak_list wanted;
	int result = -1;

	if (read_list_words(&wanted, r->words) < 0)
		return -1;
	asked_checks_read(&asked, r->contact.checks, image_of(r));
	if (asked.last)
		result = print_blocks(r, &wanted, &asked);
	else
		warn("process %d: no leak check has been asked for: give leak_check first",
		     (int)r->pid);
	asked_checks_free(&asked);
	return result;
}

int remote_leaks_run_who_points_at(struct remote *r)
{
	struct leak_words words = { .kinds = "all" };
	struct pointer_search_options o = { .size = 1 };
	struct mu_leak_check *found;
	char **w = r->words;
	int result;

	if (!*w || !read_number(*w, &o.start) || (w[1] && (!read_number(w[1], &o.size) || w[2]))) {
		warn("who_points_at: it takes an address, and a number of bytes (default 1)");
		return -1;
	}
	found = remote_examination_run(r, &pointer_search, find_why_not(r), &o);
	if (!found)
		return -1;
	found->flags |= MU_LEAK_CHECK_ASKED;
	result = report_checks(r, NULL, found, &words);
	free(found);
	return result;
}
