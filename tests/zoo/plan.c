/* plan.c -- plans: made from a seed, read from and written as text. Nothing is allocated.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/zoo/zoo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct step pool[PLAN_STEPS];
static unsigned int used;

static struct step *new_step(unsigned int species, uint32_t arg)
{
	struct step *s;

	if (used == PLAN_STEPS)
		return NULL;
	s = &pool[used++];
	*s = (struct step){ .species = (uint8_t)species, .arg = arg, .id = (uint16_t)used };
	return s;
}

/* ---- from a seed ---- */

static unsigned int draw_species(struct draw *d, unsigned int depth)
{
	unsigned int total = 0, at;

	for (unsigned int i = 0; i < zoo_species_count; i++)
		total += zoo_species[i].body && depth > 4 ? 0 : zoo_species[i].weight;
	at = draw_below(d, total);
	for (unsigned int i = 0; i < zoo_species_count; i++) {
		unsigned int weight = zoo_species[i].body && depth > 4 ? 0 : zoo_species[i].weight;

		if (at < weight)
			return i;
		at -= weight;
	}
	return 0;
}

static struct step *make_list(struct draw *d, unsigned int count, unsigned int depth,
			      unsigned int limit)
{
	struct step *list = NULL, **end = &list;

	for (unsigned int i = 0; i < count && used < limit; i++) {
		unsigned int species = draw_species(d, depth);
		unsigned int most = zoo_species[species].body;
		struct step *s = new_step(species, (uint32_t)(draw(d) >> 48));

		if (!s)
			break;
		*end = s;
		end = &s->next;
		if (most)
			s->body = make_list(d, 1 + draw_below(d, most), depth + 1, limit);
	}
	return list;
}

static int species_named(const char *name, size_t length)
{
	for (unsigned int i = 0; i < zoo_species_count; i++)
		if (strlen(zoo_species[i].name) == length &&
		    memcmp(zoo_species[i].name, name, length) == 0)
			return (int)i;
	return -1;
}

/* The first step is work: whatever follows, something is recorded. */
struct step *plan_make(uint64_t seed, const char *name)
{
	struct draw d = { .state = hash_of(seed) };
	struct step *plan = new_step(0, (uint32_t)(draw(&d) >> 48)), *wanted;
	unsigned int limit = 4 + draw_below(&d, draw_below(&d, 3) ? 12 : 45);

	if (name) {
		int species = species_named(name, strlen(name));

		if (species < 0)
			return NULL;
		wanted = new_step((unsigned int)species, (uint32_t)(draw(&d) >> 48));
		if (zoo_species[species].body)
			wanted->body = make_list(&d, zoo_species[species].body, 3, limit);
		plan->next = wanted;
		wanted->next = make_list(&d, 2, 3, limit);
		return plan;
	}
	plan->next = make_list(&d, limit, 0, limit);
	return plan;
}

/* ---- text ---- */

static struct step *parse_list(const char **text, bool *bad)
{
	struct step *list = NULL, **end = &list;

	while (!*bad && **text && **text != ')') {
		size_t length = strcspn(*text, ":( )");
		int species = species_named(*text, length);
		const char *p = *text + length;
		char *after = (char *)p;
		struct step *s;

		if (*p == ':')
			p = after + 1;
		s = species < 0 ? NULL : new_step((unsigned int)species, strtoul(p, &after, 10));
		if (!s) {
			*bad = true;
			return NULL;
		}
		*end = s;
		end = &s->next;
		if (*after == '(') {
			after++;
			s->body = parse_list((const char **)&after, bad);
			*bad |= *after++ != ')';
		}
		*text = after + strspn(after, " ");
	}
	return list;
}

struct step *plan_parse(const char *text)
{
	bool bad = false;
	struct step *list;

	used = 0;
	list = parse_list(&text, &bad);
	return bad || *text ? NULL : list;
}

static char *put_list(const struct step *list, char *p, const char *end)
{
	for (const struct step *s = list; s && p && p < end; s = s->next) {
		p += snprintf(p, (size_t)(end - p), "%s%s:%u", s == list ? "" : " ",
			      zoo_species[s->species].name, s->arg);
		if (!s->body || end - p < 4)
			continue;
		*p++ = '(';
		p = put_list(s->body, p, end - 2);
		if (p)
			*p++ = ')';
	}
	if (!p || p >= end)
		return NULL;
	*p = '\0';
	return p;
}

bool plan_put(const struct step *list, char *text, size_t size)
{
	*text = '\0';
	return put_list(list, text, text + size) != NULL;
}
