/* outputs.c -- Check before the run that its pictures and profiles can be written.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/report/outputs.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/output.h"
#include "cli/sibling.h"
#include "cli/xmalloc.h"
#include "formats/gate/gate_names.h"
#include "formats/page/page_template.h"
#include "formats/xtree.h"
#include "memusage/common/files.h"
#include "memusage/report/output_watch.h"
#include "memusage/report/pictures.h"

/* ---- outputs that are the same file ------------------------------------------------------- */

enum { LINKS = 40 };

struct named_output {
	const char *option;
	char *name;
};

struct output_list {
	struct named_output *item;
	size_t count;
};

/* Takes a name that is final. "-" is a stream. */
static void append_output(struct output_list *list, const char *option, char *name)
{
	if (!name || strcmp(name, "-") == 0) {
		free(name);
		return;
	}
	list->item = xreallocarray(list->item, list->count + 1, sizeof(*list->item));
	list->item[list->count++] = (struct named_output){ option, name };
}

/* %n is the same number in all names, so that only equal patterns give equal names. */
static void append_pattern(struct output_list *list, const char *option, const char *pattern)
{
	unsigned int uses = 0;
	char why[128];

	if (pattern && *pattern)
		append_output(list, option,
			      output_expand_next(pattern, getpid(), &uses, getenv, why));
}

/* The name that a chain of links, whose last one leads nowhere yet, stands for. */
static char *follow_links(const char *name)
{
	char *at = xstrdup(name), target[PATH_MAX];

	for (int i = 0; i < LINKS; i++) {
		char *slash = strrchr(at, '/'), *next;
		ssize_t length = readlink(at, target, sizeof(target) - 1);

		if (length < 0)
			break;
		target[length] = '\0';
		if (slash)
			*slash = '\0';
		next = *target == '/' || !slash ? xstrdup(target) : xasprintf("%s/%s", at, target);
		free(at);
		at = next;
	}
	return at;
}

/* The name of a file that does not exist yet, free of links; NULL if its directory does not. */
static char *resolve_new_name(const char *name)
{
	char *at = follow_links(name), *slash = strrchr(at, '/'), *directory, *result;
	const char *base = slash ? slash + 1 : at;

	if (slash)
		*slash = '\0';
	directory = realpath(!slash ? "." : *at ? at : "/", NULL);
	result = directory ? xasprintf("%s/%s", directory, base) : NULL;
	free(directory);
	free(at);
	return result;
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat x, y;
	const bool has_a = stat(a, &x) == 0, has_b = stat(b, &y) == 0;
	char *new_a, *new_b;
	bool result;

	if (has_a != has_b)
		return false;
	if (has_a)
		return S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
	new_a = resolve_new_name(a);
	new_b = resolve_new_name(b);
	result = new_a && new_b && strcmp(new_a, new_b) == 0;
	free(new_a);
	free(new_b);
	return result;
}

static void append_judgements(struct output_list *list, const struct opt_list *ci)
{
	for (size_t i = 0; i < ci->count; i++) {
		enum gate_format format;
		const char *file = NULL;

		if (!gate_names_parse(ci->item[i], &format, &file) && file)
			append_output(list, "--ci", xstrdup(file));
	}
}

static void list_outputs(struct output_list *list, const struct settings *s)
{
	append_output(list, "--output", s->output ? xstrdup(s->output) : NULL);
	append_pattern(list, "--data", s->data);
	append_pattern(list, "--record", s->record);
	append_pattern(list, "--html", s->html);
	append_output(list, "--png", s->png ? pictures_name(s->png) : NULL);
	append_pattern(list, "--massif-out-file", s->massif.is_wanted ? s->massif.file : NULL);
	append_pattern(list, "--xtree-memory-file",
		       s->massif.xtree != XTREE_NONE ? s->massif.xtree_file : NULL);
	append_pattern(list, "--xtree-leak-file",
		       s->leak_check.has_tree ? s->leak_check.tree_file : NULL);
	append_pattern(list, "--dhat-out-file", s->dhat.is_wanted ? s->dhat.file : NULL);
	append_pattern(list, "--snapshot-file",
		       triggers_wanted(&s->triggers) ? s->triggers.file : NULL);
	append_judgements(list, &s->gate.ci);
}

/* Dies with a message if two outputs of the run are one file, also by links. Devices and
 * pipes may be named several times. */
static void check_output_clash(const struct output_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		for (size_t k = 0; k < i; k++) {
			if (is_same_file(list->item[i].name, list->item[k].name))
				die("%s and %s would both write %s: give each a file of its own",
				    list->item[k].option, list->item[i].option,
				    list->item[i].name);
		}
	}
}

/* A program that is an output would be lost. */
static void check_program_is_kept(const struct output_list *list, const char *program)
{
	for (size_t i = 0; i < list->count; i++) {
		if (is_same_file(list->item[i].name, program))
			die("%s would overwrite %s, which is the program itself: name another file",
			    list->item[i].option, list->item[i].name);
	}
}

static void check_same_files(const struct settings *settings, const char *program)
{
	struct output_list list = { .count = 0 };

	list_outputs(&list, settings);
	if (program)
		check_program_is_kept(&list, program);
	check_output_clash(&list);
	for (size_t i = 0; i < list.count; i++)
		free(list.item[i].name);
	free(list.item);
}

/* ---- files that cannot be written --------------------------------------------------------- */

static void check_drawer(const char *what)
{
	char *tool = sibling_path("memusage", "memusagestat");

	if (!tool || access(tool, X_OK) < 0)
		die("cannot make %s: memusagestat is not installed; building it needs libgd, "
		    "libpng and zlib",
		    what);
	free(tool);
}

static void check_page(const char *pattern)
{
	char *name;

	if (page_template_size == 0)
		die("cannot make %s: memusage was built without the HTML page; rebuild it (make "
		    "HTML=yes)",
		    pattern);
	check_drawer(pattern);
	if (strcmp(pattern, "-") == 0)
		return;
	files_check(pattern, 0);
	name = files_expand(pattern, getpid());
	output_watch_begin(name);
	free(name);
}

static void check_picture(const char *file)
{
	char *name = pictures_name(file);

	check_drawer(name);
	files_check_name(name, OUTPUT_PUBLIC);
	output_watch_begin(name);
	free(name);
}

static void check_profiles(const struct settings *s)
{
	const char *xtree = s->massif.xtree_file;

	if (s->massif.is_wanted)
		files_check(s->massif.file, 0);
	if (s->massif.xtree != XTREE_NONE)
		files_check(xtree ? xtree : "xtmemory.kcg.%p", 0);
	if (s->leak_check.has_tree)
		files_check(s->leak_check.tree_file, 0);
	if (s->dhat.is_wanted)
		files_check(s->dhat.file, 0);
	if (triggers_wanted(&s->triggers))
		files_check(s->triggers.file, 0);
	if (s->spacetime)
		files_check("massif.%p.hp", 0);
}

void outputs_check(const struct settings *settings, const char *program)
{
	check_same_files(settings, program);
	if (settings->html)
		check_page(settings->html);
	if (settings->png)
		check_picture(settings->png);
	if (settings->spacetime)
		check_drawer("massif.PID.ps");
	check_profiles(settings);
}
