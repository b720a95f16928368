/* root_text.c -- What holds blocks, in words: variables, stacks, mappings, and sets of them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/holders/root_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/units.h"
#include "cli/xmalloc.h"

static void put_object(FILE *out, const char *path)
{
	const char *base = strrchr(path, '/');

	if (*path)
		fprintf(out, " in %s", base ? base + 1 : path);
}

/* How a root is meant. */
enum form {
	FORM_ONE,  /* for itself */
	FORM_ALL,  /* for its group */
	FORM_SOME, /* for some of its group, which a set does not tell apart */
	FORM_KEY   /* for its group at any moment */
};

/* A root of which something is written. */
struct root {
	uint32_t number;
	enum form form;
	const struct mu_holder_root *is;
	const struct holder_group *group;
	const char *name; /* "" unknown */
};

static struct root root_of(const struct root_words *w, uint32_t number, enum form form)
{
	const struct holder_group *group = holder_groups_of_root(w->groups, w->moment, number);

	/* A group may have one thread at this moment. */
	if (form != FORM_KEY && group->threads < 2)
		form = FORM_ONE;
	return (struct root){ number, form, &w->h->root[number], group,
			      holder_names_root(w->names, w->moment, number) };
}

static void put_threads(FILE *out, const struct root_words *w, const struct root *r)
{
	char count[UNITS_LENGTH];

	if (r->form == FORM_KEY)
		fputs("threads", out);
	else if (r->form != FORM_ONE)
		fprintf(out, "%s%s threads", r->form == FORM_SOME ? "some of " : "",
			units_grouped(count, r->group->threads));
	else if (r->is->thread == w->pid)
		fputs("the main thread", out);
	else if (r->is->thread)
		fprintf(out, "thread %" PRIu32, r->is->thread);
	else
		fputs("ended threads", out);
}

static void put_variable(FILE *out, const struct root_words *w, const struct root *r)
{
	const struct mu_holder_root *root = r->is;
	const bool is_local = root->kind == MU_HOLDER_TLS;
	const char *name = r->name;

	if (*name)
		fputs(name, out);
	else
		fputs(is_local && !root->object ? "what the C library keeps" :
						  "variables without a name", out);
	put_object(out, holders_text(w->h, root->object));
	if (is_local) {
		fputs(root->object ? ", thread-local of " : " for ", out);
		put_threads(out, w, r);
	}
}

static void put_mapping(FILE *out, const struct root_words *w, const struct mu_holder_root *root)
{
	const char *path = holders_text(w->h, root->object);
	char size[UNITS_LENGTH];

	if (root->kind == MU_HOLDER_SHARED)
		fputs(*path ? "the file " : "shared memory", out);
	else
		fprintf(out, "a mapping of %s at 0x%" PRIx64, units_bytes(size, root->size),
			root->address);
	if (root->kind == MU_HOLDER_SHARED || (*path && *path != '['))
		fputs(path, out);
}

/* "the stack of thread 4711, in run_server (server.c:80)" */
static void put_frame(FILE *out, const struct root_words *w, const struct root *r)
{
	const struct holder_line *at = holder_names_line(w->names, w->moment, r->number);
	const bool has_line = r->form == FORM_ONE || (r->form != FORM_KEY && !r->group->has_lines);
	const char *base = at->file ? strrchr(at->file, '/') : NULL;

	fputs(r->form == FORM_ONE ? "the stack of " : "the stacks of ", out);
	put_threads(out, w, r);
	if (*r->name)
		fprintf(out, ", in %s", r->name);
	else if (r->is->address)
		fprintf(out, ", in 0x%" PRIx64, r->is->address);
	if (!at->file)
		put_object(out, holders_text(w->h, r->is->object));
	else if (has_line)
		fprintf(out, " (%s:%" PRIu32 ")", base ? base + 1 : at->file, at->line);
	else
		fprintf(out, " (%s)", base ? base + 1 : at->file);
}

/* ", each retains 9.77 KiB" */
static void put_shares(FILE *out, const struct root *r)
{
	char least[UNITS_LENGTH], most[UNITS_LENGTH];

	if (r->form != FORM_ALL || r->group->most == 0)
		return;
	units_bytes(most, r->group->most);
	if (r->group->least == r->group->most)
		fprintf(out, ", each retains %s", most);
	else
		fprintf(out, ", each retains %s to %s", units_bytes(least, r->group->least), most);
}

static void put_root(FILE *out, const struct root_words *w, uint32_t number, enum form form)
{
	const struct root r = root_of(w, number, form);

	switch (r.is->kind) {
	case MU_HOLDER_GLOBAL:
	case MU_HOLDER_TLS:
		put_variable(out, w, &r);
		break;
	case MU_HOLDER_STACK:
		put_frame(out, w, &r);
		break;
	case MU_HOLDER_LOST:
		fputs("nothing: they are lost", out);
		break;
	default:
		put_mapping(out, w, r.is);
	}
	put_shares(out, &r);
}

static char *text_of_root(const struct root_words *w, uint32_t root, enum form form)
{
	char *text;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);

	put_root(out, w, root, form);
	xclose_memstream(out);
	return text;
}

char *root_text(const struct root_words *w, uint32_t root)
{
	return text_of_root(w, root, FORM_ALL);
}

char *root_text_of_group(const struct root_words *w, uint32_t root)
{
	return holder_groups_of_root(w->groups, w->moment, root)->number ?
		       text_of_root(w, root, FORM_KEY) : NULL;
}

/* Roots of one group are one if the set stands for others, too. */
static bool is_repeated(const struct root_words *w, const struct mu_holder_set *set, uint32_t i)
{
	const uint32_t first = holder_groups_of_root(w->groups, w->moment, set->root[i])->first;

	for (uint32_t k = 0; k < i; k++) {
		if (holder_groups_of_root(w->groups, w->moment, set->root[k])->first == first)
			return true;
	}
	return false;
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Stores the texts of a set's roots in TEXT, in an order that does not depend on where the kernel
 * has put an object: two runs can be compared. Returns how many. */
static size_t collect_texts(const struct root_words *w, const struct mu_holder_set *set,
			    bool has_others, char *text[MU_HOLDER_SET_MOST])
{
	size_t count = 0;

	for (uint32_t i = 0; i < set->count; i++) {
		uint32_t root = set->root[i];

		if (has_others && is_repeated(w, set, i))
			continue;
		if (has_others)
			root = holder_groups_of_root(w->groups, w->moment, root)->first;
		text[count++] = text_of_root(w, root, has_others ? FORM_SOME : FORM_ONE);
	}
	qsort(text, count, sizeof(*text), compare_texts);
	return count;
}

char *root_text_of_set(const struct root_words *w, uint32_t number)
{
	const struct mu_holder_set *set = &w->h->set[number];
	const bool has_others = holder_groups_of_set(w->groups, w->moment, number)->sets > 1;
	char *member[MU_HOLDER_SET_MOST];
	char *text;
	size_t size, count;
	FILE *out;

	if (set->count > MU_HOLDER_SET_MOST)
		return xasprintf("each of more than %d others", MU_HOLDER_SET_MOST);
	count = collect_texts(w, set, has_others, member);
	out = xopen_memstream(&text, &size);
	fputs("each of: ", out);
	for (size_t i = 0; i < count; i++) {
		fprintf(out, "%s%s", i > 0 ? "; " : "", member[i]);
		free(member[i]);
	}
	xclose_memstream(out);
	return text;
}
