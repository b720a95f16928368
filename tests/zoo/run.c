/* run.c -- `zoo`: a random program. It does what the plan of a seed says, prints a sum of all that
 * it observed, and ends with a status made from it.
 *
 *	zoo seed N [SPECIES]    the plan of seed N, which contains SPECIES
 *	zoo plan N [SPECIES]    prints that plan
 *	zoo run PLAN            a plan
 *	zoo list                the species
 *	zoo on SUM PLAN         as run, in the place of a program that had SUM
 *
 * With -v as the first argument each observation is said on descriptor 2.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/zoo/zoo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

const char *zoo_path, *zoo_folder;

struct room room_without(const struct room *r, unsigned int can)
{
	return (struct room){ .can = r->can & ~can, .stack = r->stack };
}

void run_step(const struct step *s, const struct room *r)
{
	const struct species *sp = &zoo_species[s->species];

	if ((r->can & sp->needs) == sp->needs && r->stack >= sp->stack)
		sp->run(s, r);
	else
		run_steps(s->body, r);
}

void run_steps(const struct step *list, const struct room *r)
{
	for (const struct step *s = list; s; s = s->next)
		run_step(s, r);
}

void run_body(const struct step *s, const struct room *r)
{
	run_steps(s->body, r);
}

void zoo_words(const struct step *list, char *text, char *sum, char *words[6])
{
	char **w = words;

	if (!list || !plan_put(list, text, PLAN_TEXT))
		strcpy(text, "work:1");
	snprintf(sum, 32, "%llx", (unsigned long long)zoo_sum);
	*w++ = (char *)zoo_path;
	if (zoo_trace)
		*w++ = "-v";
	*w++ = "on";
	*w++ = sum;
	*w++ = text;
	*w = NULL;
}

static void find_self(void)
{
	static char path[4096], folder[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[length > 0 ? length : 0] = '\0';
	strcpy(folder, path);
	*(strrchr(folder, '/') ? strrchr(folder, '/') : folder) = '\0';
	zoo_path = path;
	zoo_folder = folder;
}

/* Limits of the stack and alike are relative to what main needs: it gets that now. */
static void touch_stack(void)
{
	volatile char room[256 << 10];

	for (size_t i = 0; i < sizeof(room); i += 1024)
		room[i] = 1;
}

static bool has_species(const struct step *list, const char *name)
{
	for (const struct step *s = list; s; s = s->next)
		if (strcmp(zoo_species[s->species].name, name) == 0 || has_species(s->body, name))
			return true;
	return false;
}

static void at_end(void)
{
	free(malloc(1234));
}

static int go(const struct step *plan, bool prints)
{
	static const struct rlimit no_core;
	struct room r = { .can = CAN_ALL, .stack = 1 << 20 };
	char line[64];

	if (!plan) {
		fputs("zoo: this is no plan\n", stderr);
		return 125;
	}
	setrlimit(RLIMIT_CORE, &no_core);
	touch_stack();
	place_init();
	signals_init();
	atexit(at_end);
	if (has_species(plan, "harsh") || has_species(plan, "together"))
		threads_load();
	run_steps(plan, &r);
	if (prints && write(1, line, (size_t)snprintf(line, sizeof(line), "%016llx\n",
					    (unsigned long long)zoo_sum)) < 0)
		return 124;
	return zoo_status();
}

static int print_plan(const struct step *plan)
{
	static char text[PLAN_TEXT];

	if (!plan || !plan_put(plan, text, sizeof(text)))
		return 125;
	puts(text);
	return 0;
}

static int print_list(void)
{
	for (unsigned int i = 0; i < zoo_species_count; i++)
		puts(zoo_species[i].name);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "-v") == 0) {
		zoo_trace = true;
		argc--, argv++;
	}
	find_self();
	if (argc == 2 && strcmp(argv[1], "list") == 0)
		return print_list();
	if (argc == 3 && strcmp(argv[1], "run") == 0)
		return go(plan_parse(argv[2]), true);
	if (argc == 4 && strcmp(argv[1], "on") == 0) {
		zoo_sum = strtoull(argv[2], NULL, 16);
		return go(plan_parse(argv[3]), false);
	}
	if (argc == 3 || argc == 4) {
		uint64_t seed = strtoull(argv[2], NULL, 10);

		if (strcmp(argv[1], "seed") == 0)
			return go(plan_make(seed, argv[3]), true);
		if (strcmp(argv[1], "plan") == 0)
			return print_plan(plan_make(seed, argv[3]));
	}
	fputs("usage: zoo [-v] seed|plan N [SPECIES] | run PLAN | list\n", stderr);
	return 125;
}
