/* gate.c -- What a gate found, in a sentence.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/gate/gate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/units.h"

const char *gate_amount(const struct condition *c, char text[GATE_AMOUNT], double value)
{
	const uint64_t whole = units_whole(fabs(value) + 0.5);
	char buffer[UNITS_LENGTH];

	snprintf(text, GATE_AMOUNT, "%s%s", value < 0 ? "-" : "",
		 condition_counts_bytes(c->metric) ? units_bytes(buffer, whole) :
						     units_grouped(buffer, whole));
	return text;
}

/* ---- the sentence ------------------------------------------------------------------------- */

static void put_growth(FILE *out, const struct condition *c, const struct verdict *v)
{
	char by[GATE_AMOUNT], from[GATE_AMOUNT], to[GATE_AMOUNT];
	const double change = v->new.median - v->old.median;

	if (change == 0) {
		fprintf(out, "%s, as before", gate_amount(c, to, v->new.median));
		return;
	}
	fprintf(out, "%s by %s", change > 0 ? "grew" : "shrank",
		gate_amount(c, by, fabs(change)));
	if (v->old.median > 0)
		fprintf(out, " (%+.1f%%)", 100 * change / v->old.median);
	fprintf(out, ", from %s to %s", gate_amount(c, from, v->old.median),
		gate_amount(c, to, v->new.median));
}

static void put_distance(FILE *out, const struct condition *c, const struct verdict *v)
{
	char value[GATE_AMOUNT], distance[GATE_AMOUNT];

	fputs(gate_amount(c, value, v->new.median), out);
	if (v->over != 0)
		fprintf(out, ", %s %s the limit", gate_amount(c, distance, fabs(v->over)),
			v->over > 0 ? "over" : "below");
	else
		fputs(", which is the limit", out);
}

static void put_runs(FILE *out, const struct condition *c, const struct verdict *v)
{
	char least[GATE_AMOUNT], most[GATE_AMOUNT];

	if (v->new.runs < 2)
		return;
	if (v->broken == v->new.runs)
		fprintf(out, ", in each of %zu runs", v->new.runs);
	else if (v->broken > 0)
		fprintf(out, "; the limit is passed in %zu of %zu runs", v->broken, v->new.runs);
	else
		fprintf(out, ", the median of %zu runs", v->new.runs);
	if (v->new.most > v->new.least)
		fprintf(out, " (%s to %s)", gate_amount(c, least, v->new.least),
			gate_amount(c, most, v->new.most));
}

/* It is printed, and decides nothing: three runs on each side cannot have less than 0.1. */
static void put_p(FILE *out, const struct verdict *v)
{
	if (v->p <= 1)
		fprintf(out, ", p = %.3f (%zu + %zu runs)", v->p, v->old.runs, v->new.runs);
}

static void put_doubt(FILE *out, const struct condition *c, const struct verdict *v)
{
	char low[GATE_AMOUNT], high[GATE_AMOUNT];
	const enum figure_class class = v->new.class > v->old.class ? v->new.class : v->old.class;

	if (v->state == VERDICT_UNDECIDED)
		fprintf(out, ", but it %s, and %s how much: --runs=3 does",
			verdict_class_text(class), v->new.runs > 1 ? "two runs do not tell" :
								     "one run does not tell");
	else if (v->state == VERDICT_HOLDS && v->over > 0 && v->broken == 0 && v->old.runs == 0)
		fputs(", which is less than its error", out);
	if (v->new.class == FIGURE_ESTIMATED)
		fprintf(out, " (an estimate: %s to %s)", gate_amount(c, low, v->new.low),
			gate_amount(c, high, v->new.high));
}

/* The condition holds, since the function may allocate nothing; or its name is mistyped. */
static void put_lack(FILE *out, const struct condition *c)
{
	if (c->scope == CONDITION_MODULE)
		fprintf(out, "; no program or library is named %s", c->name);
	else if (c->scope == CONDITION_PATTERN)
		fprintf(out, "; no call stack has a function that fits /%s/", c->name);
	else
		fprintf(out, "; no call stack has a function %s", c->name);
}

const char *gate_sentence(const struct gate *g, const struct gate_finding *f,
			  char text[GATE_SENTENCE])
{
	const struct condition *c = f->condition;
	FILE *out = fmemopen(text, GATE_SENTENCE, "w");

	*text = '\0';
	if (!out)
		return text;
	fprintf(out, "%s: ", c->text);
	if (f->why)
		fprintf(out, "cannot be judged: %s", f->why);
	else if (c->is_relative)
		put_growth(out, c, &f->verdict);
	else
		put_distance(out, c, &f->verdict);
	if (!f->why) {
		put_runs(out, c, &f->verdict);
		put_p(out, &f->verdict);
		put_doubt(out, c, &f->verdict);
	}
	if (f->lacks_place)
		put_lack(out, c);
	if (g->has_processes && *f->process)
		fprintf(out, " (%.300s)", f->process);
	fclose(out);
	text[GATE_SENTENCE - 1] = '\0';
	return text;
}

/* ---- findings ----------------------------------------------------------------------------- */

bool gate_is_broken(const struct gate_finding *f)
{
	return !f->why && f->verdict.state == VERDICT_BROKEN;
}

size_t gate_count_broken(const struct gate *g)
{
	size_t count = 0;

	for (size_t i = 0; i < g->count; i++)
		count += gate_is_broken(&g->finding[i]);
	return count;
}

size_t gate_count_unknown(const struct gate *g)
{
	size_t count = 0;

	for (size_t i = 0; i < g->count; i++)
		count += g->finding[i].why != NULL;
	return count;
}

const char *gate_state_name(const struct gate_finding *f)
{
	return f->why				      ? "unknown" :
	       f->verdict.state == VERDICT_BROKEN    ? "broken" :
	       f->verdict.state == VERDICT_UNDECIDED ? "undecided" :
						       "holds";
}

/* ---- source files ------------------------------------------------------------------------- */

const char *gate_file(const struct gate *g, const struct gate_frame *frame)
{
	const size_t length = strlen(g->root);
	const char *file = frame->file;

	if (*file != '/')
		return strncmp(file, "../", 3) == 0 ? "" : file;
	if (length == 0 || strncmp(file, g->root, length) != 0 || file[length] != '/')
		return "";
	file += length;
	return file + strspn(file, "/");
}

const struct gate_frame *gate_location(const struct gate *g, const struct gate_finding *f)
{
	for (unsigned int i = 0; i < f->places; i++) {
		for (unsigned int k = 0; k < f->place[i].frames; k++) {
			if (*gate_file(g, &f->place[i].frame[k]))
				return &f->place[i].frame[k];
		}
	}
	return NULL;
}

static void free_place(struct gate_place *p)
{
	for (unsigned int i = 0; i < p->frames; i++) {
		free(p->frame[i].function);
		free(p->frame[i].file);
		free(p->frame[i].object);
	}
}

void gate_free(struct gate *g)
{
	for (size_t i = 0; i < g->count; i++) {
		for (unsigned int k = 0; k < g->finding[i].places; k++)
			free_place(&g->finding[i].place[k]);
		free(g->finding[i].why);
		free(g->finding[i].process);
	}
	free(g->finding);
	*g = (struct gate){ .count = 0 };
}
