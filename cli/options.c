/* options.c -- parse a command line by a table.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cli/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/options_help.h"
#include "cli/similar.h"
#include "cli/units.h"
#include "cli/xmalloc.h"

/* getopt's codes for long options lie above every letter. */
enum { LONG_BASE = 256 };

/* The table in the form of getopt_long, with the options that every program has. */
struct option_parser {
	const struct opt_tool *tool;
	const struct opt **option;	/* all but groups, in order */
	int count;
	struct option *longs;
	char *shorts;
};

static size_t count_options(const struct opt *table)
{
	size_t count = 0;

	for (; table->kind != OPT_KIND_END; table++)
		count += table->kind != OPT_KIND_GROUP;
	return count;
}

static void add_option_table(struct option_parser *p, const struct opt *table)
{
	char *shorts = p->shorts + strlen(p->shorts);

	for (; table->kind != OPT_KIND_END; table++) {
		if (table->kind == OPT_KIND_GROUP)
			continue;
		p->longs[p->count] = (struct option){
			.name = table->name,
			.has_arg = !table->arg ? no_argument :
				   table->absent ? optional_argument : required_argument,
			.val = LONG_BASE + p->count,
		};
		p->option[p->count++] = table;
		/* '?' would be an error to getopt; see handle_parse_error(). */
		if (table->letter == '\0' || table->letter == '?')
			continue;
		*shorts++ = table->letter;
		if (table->arg)
			*shorts++ = ':';
		if (table->arg && table->absent)
			*shorts++ = ':';
		*shorts = '\0';
	}
}

static void init_parser(struct option_parser *p, const struct opt_tool *tool)
{
	size_t count = count_options(tool->options) + count_options(opt_common);

	*p = (struct option_parser){ .tool = tool };
	p->option = xcalloc(count, sizeof(*p->option));
	p->longs = xcalloc(count + 1, sizeof(*p->longs));
	p->shorts = xcalloc(3 * count + 3, 1);
	/* '+' ends the options at the first operand, ':' reports a missing argument as such. */
	strcpy(p->shorts, tool->stop_at_operand ? "+:" : ":");
	add_option_table(p, tool->options);
	add_option_table(p, opt_common);
}

static void release_parser(struct option_parser *p)
{
	free(p->option);
	free(p->longs);
	free(p->shorts);
}

static const struct opt *find_option_by_code(const struct option_parser *p, int code)
{
	if (code >= LONG_BASE)
		return p->option[code - LONG_BASE];
	for (int i = 0; i < p->count; i++) {
		if (p->option[i]->letter == code)
			return p->option[i];
	}
	return NULL;
}

/* If the first LENGTH bytes of WORD begin exactly one legacy option, that option's name. */
static const char *legacy_meaning(const struct option_parser *p, const char *word, size_t length)
{
	const char *const *name = p->tool->legacy;
	const char *found = NULL;

	for (int i = 0; i < p->count; i++) {
		if (strncmp(p->option[i]->name, word, length) == 0 &&
		    p->option[i]->name[length] == '\0')
			return NULL;
	}
	for (; name && *name; name++) {
		if (strncmp(*name, word, length) != 0)
			continue;
		if (found)
			return NULL;
		found = *name;
	}
	return found;
}

/* The option of another program that WORD, with or without a value, names exactly, or NULL. */
static const struct opt_elsewhere *find_elsewhere(const struct option_parser *p, const char *word)
{
	const struct opt_elsewhere *e = p->tool->elsewhere;
	size_t length = strcspn(word, "=");

	for (; e && e->name; e++) {
		if (strncmp(e->name, word, length) == 0 && e->name[length] == '\0')
			return e;
	}
	return NULL;
}

/* Write out a legacy abbreviation in the element that getopt takes next, if it is one.
 *
 * Only that element can be judged: the one after it may be an argument. The full word is
 * never freed, because values point into it. */
static void expand_next_argument(const struct option_parser *p, int argc, char **argv)
{
	int i = optind > 0 ? optind : 1;
	const char *word, *full;
	size_t length;

	while (i < argc && !p->tool->stop_at_operand &&
	       (argv[i][0] != '-' || argv[i][1] == '\0'))
		i++;
	if (i >= argc || strncmp(argv[i], "--", 2) != 0 || argv[i][2] == '\0')
		return;
	word = argv[i] + 2;
	length = strcspn(word, "=");
	full = length > 0 ? legacy_meaning(p, word, length) : NULL;
	/* "--to=json" is a mistake for a value that --total does not take. */
	if (full && (word[length] != '=' || !find_elsewhere(p, word)))
		argv[i] = xasprintf("--%s%s", full, word + length);
}

static const char *store_enum_value(const struct opt *o, const char *arg)
{
	size_t length = strlen(arg);
	const char *word = o->arg;

	for (int i = 0; length > 0; i++) {
		if (strncmp(word, arg, length) == 0 &&
		    (word[length] == '|' || word[length] == '\0')) {
			*(int *)o->value = i;
			return NULL;
		}
		word = strchr(word, '|');
		if (!word)
			break;
		word++;
	}
	return "must be one of";
}

static const char *store_uint_value(const struct opt *o, const char *arg)
{
	uint64_t number;

	if (!units_parse_count(arg, &number))
		return "is not a whole number";
	if ((double)number < o->min || (double)number > o->max)
		return "is out of range";
	*(unsigned *)o->value = (unsigned)number;
	return NULL;
}

static const char *store_size_value(const struct opt *o, const char *arg)
{
	static char why[64];
	char least[UNITS_LENGTH];
	uint64_t size;

	if (!units_parse_size(arg, &size))
		return "is not a size like 4096, 64K or 1G";
	if ((double)size < o->min) {
		snprintf(why, sizeof(why), "is too small (at least %s)",
			 units_bytes(least, (uint64_t)o->min));
		return why;
	}
	*(uint64_t *)o->value = size;
	return NULL;
}

void opt_list_append(struct opt_list *list, const char *text)
{
	list->item = xreallocarray(list->item, list->count + 2, sizeof(*list->item));
	list->item[list->count++] = text;
	list->item[list->count] = NULL;
}

void opt_list_append_all(struct opt_list *list, const struct opt_list *more)
{
	for (size_t i = 0; i < more->count; i++)
		opt_list_append(list, more->item[i]);
}

/* ARG is NULL if there is none; returns NULL or the complaint. */
static const char *store_value(const struct opt *o, const char *arg)
{
	switch (o->kind) {
	case OPT_KIND_FLAG:
		*(bool *)o->value = true;
		return NULL;
	case OPT_KIND_CONST:
		*(int *)o->value = o->constant;
		return NULL;
	case OPT_KIND_STR:
		*(const char **)o->value = arg;
		return NULL;
	case OPT_KIND_LIST:
		opt_list_append(o->value, arg);
		return NULL;
	case OPT_KIND_SIZE:
		return store_size_value(o, arg);
	case OPT_KIND_UINT:
		return store_uint_value(o, arg);
	case OPT_KIND_ENUM:
		return store_enum_value(o, arg);
	default:
		return o->call(o, arg, o->value);
	}
}

/* -x or --x-size, as the user knows the option. */
static void format_option_name(char buffer[64], const struct opt *o, int code)
{
	if (code < LONG_BASE)
		snprintf(buffer, 64, "-%c", code);
	else
		snprintf(buffer, 64, "--%s", o->name);
}

/* Returns true if WORD looks like a value of O: a number, or a word of its choice. */
static bool is_value_word(const struct opt *o, const char *word)
{
	size_t length = strlen(word);
	const char *choice = strchr(o->arg, '|') ? o->arg : NULL;

	if (length > 0 && strspn(word, "0123456789") == length)
		return true;
	while (choice) {
		if (strcspn(choice, "|") == length && strncmp(choice, word, length) == 0)
			return true;
		choice = strchr(choice, '|');
		if (choice)
			choice++;
	}
	return false;
}

/* "--top 5 prog" would run a program called 5. */
static void check_separate_value(const struct option_parser *p, const struct opt *o,
				 const char *next)
{
	if (o->arg && o->absent && !optarg && next && is_value_word(o, next) &&
	    access(next, F_OK) != 0)
		options_error(p->tool, "--%s takes its value after a '=': write --%s=%s", o->name,
			      o->name, next);
}

/* Other values may be empty, as a title, or are judged by their own rules. */
static bool needs_text(const struct opt *o)
{
	return strcmp(o->arg, "FILE") == 0 || strcmp(o->arg, "DIR") == 0;
}

static void handle_option(const struct option_parser *p, int code, const char *next)
{
	const struct opt *o = find_option_by_code(p, code);
	const char *arg = optarg, *why;
	char name[64];

	if (!o)
		return;
	if (o->kind == OPT_KIND_HELP && arg && strcmp(arg, "all") != 0)
		options_error(p->tool, "--help: '%s' must be all", arg);
	if (o->kind >= OPT_KIND_HELP)
		options_show(p->tool, arg ? OPT_KIND_HELP_ALL : o->kind);
	check_separate_value(p, o, next);
	format_option_name(name, o, code);
	if (arg && *arg == '\0' && needs_text(o))
		options_error(p->tool, "%s: the value is empty: it must be %s", name,
			      strcmp(o->arg, "DIR") == 0 ? "a directory" : "the name of a file");
	if (!arg && o->kind != OPT_KIND_CALL)
		arg = o->absent;
	why = store_value(o, arg);
	if (!why)
		return;
	if (!arg)
		options_error(p->tool, "%s: %s", name, why);
	if (o->kind == OPT_KIND_ENUM)
		options_error(p->tool, "%s: '%s' %s %s", name, arg, why, o->arg);
	if (o->kind == OPT_KIND_UINT)
		options_error(p->tool, "%s: '%s' %s (%.10g to %.10g)", name, arg, why, o->min,
			      o->max);
	options_error(p->tool, "%s: '%s' %s", name, arg, why);
}

/* The option most like WORD, if it differs in at most two letters and a third of them. */
static const char *find_similar_option(const struct option_parser *p, const char *word,
				       size_t length)
{
	unsigned int least = similar_limit(length);
	const char *found = NULL;

	for (int i = 0; i < p->count; i++) {
		unsigned int distance = similar_distance(word, length, p->option[i]->name);

		if (p->option[i]->hidden || distance >= least)
			continue;
		least = distance;
		found = p->option[i]->name;
	}
	return found;
}

/* Says what the user may have meant by --WORD, which no option begins with. */
static void complain_about_unknown(const struct option_parser *p, const char *word)
{
	const struct opt_elsewhere *elsewhere = find_elsewhere(p, word);
	int length = (int)strcspn(word, "=");
	const char *similar = find_similar_option(p, word, (size_t)length);

	if (elsewhere)
		options_error(p->tool, "unknown option '--%.*s': %s has it, as in '%s'", length,
			      word, elsewhere->program, elsewhere->example);
	if (similar)
		options_error(p->tool, "unknown option '--%.*s': did you mean --%s?", length, word,
			      similar);
	options_error(p->tool, "unknown option '--%.*s'", length, word);
}

/* Lists the options that begin like --WORD. Returns how many they are. */
static int list_options(const struct option_parser *p, const char *word, bool has_hidden,
			char list[256])
{
	size_t length = strcspn(word, "=");
	int found = 0;

	list[0] = '\0';
	for (int i = 0; i < p->count; i++) {
		size_t used = strlen(list);

		if ((p->option[i]->hidden && !has_hidden) ||
		    strncmp(p->option[i]->name, word, length) != 0)
			continue;
		found++;
		snprintf(list + used, 256 - used, " --%s", p->option[i]->name);
	}
	return found;
}

/* Hidden options make a word ambiguous, too; they are named if no others do. */
static void complain_about_word(const struct option_parser *p, const char *word)
{
	char list[256];

	if (list_options(p, word, false, list) > 1 || list_options(p, word, true, list) > 1)
		options_error(p->tool, "option '--%.*s' is ambiguous: it may be%s",
			      (int)strcspn(word, "="), word, list);
	complain_about_unknown(p, word);
}

/* getopt found fault with argv[optind - 1], or with the letter optopt in a cluster. */
static void handle_parse_error(const struct option_parser *p, int code, char **argv)
{
	const struct opt *o = optopt ? find_option_by_code(p, optopt) : NULL;
	const char *word = argv[optind - 1];
	char name[64];

	if (optopt == '?')
		options_show(p->tool, OPT_KIND_HELP);
	if (strncmp(word, "--", 2) == 0 && find_elsewhere(p, word + 2))
		complain_about_unknown(p, word + 2);
	if (o)
		format_option_name(name, o, optopt);
	if (o && code == ':')
		options_error(p->tool, "option '%s' needs an argument: %s", name, o->arg);
	if (o)
		options_error(p->tool, "option '%s' takes no argument", name);
	if (optopt)
		options_error(p->tool, "unknown option '-%c'", optopt);
	complain_about_word(p, word + 2);
}

int options_parse(const struct opt_tool *tool, int argc, char **argv)
{
	struct option_parser p;
	int code;

	init_parser(&p, tool);
	opterr = 0;
	optind = 0;	/* glibc: start again, and reread the leading '+' */
	for (;;) {
		expand_next_argument(&p, argc, argv);
		code = getopt_long(argc, argv, p.shorts, p.longs, NULL);
		if (code < 0)
			break;
		if (code == '?' || code == ':')
			handle_parse_error(&p, code, argv);
		else
			handle_option(&p, code, argv[optind]);
	}
	release_parser(&p);
	return optind;
}

void options_error(const struct opt_tool *tool, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	warn_va(format, args);
	va_end(args);
	fprintf(stderr, "Try '%s --help' for more information.\n", tool->name);
	exit(tool->usage_status);
}
