/* draw.c -- random numbers from a step's own number, and the sum of all that was observed.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/zoo/zoo.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

_Atomic uint64_t zoo_sum;
bool zoo_trace;

uint64_t hash_of(uint64_t x)
{
	x += 0x9e3779b97f4a7c15;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
	return x ^ (x >> 31);
}

struct draw draw_of(const struct step *s)
{
	return (struct draw){ .state = hash_of(s->arg) };
}

uint64_t draw(struct draw *d)
{
	d->state += 0x9e3779b97f4a7c15;
	return hash_of(d->state);
}

unsigned int draw_below(struct draw *d, unsigned int n)
{
	return (unsigned int)(draw(d) >> 33) % n;
}

size_t draw_size(struct draw *d, size_t most)
{
	size_t size = draw(d) >> 40;

	switch (draw_below(d, 10)) {
	case 0:
		return size % most;
	case 1:
	case 2:
		return size % (most < 4000 ? most : 4000);
	default:
		return size % (most < 200 ? most : 200);
	}
}

/* Not stdio: also handlers on small stacks say something. */
static void say(const char *word, const struct step *s, uint64_t value, const char *what)
{
	char line[160], *p = line;

	for (; *word; word++)
		*p++ = *word;
	for (const char *name = zoo_species[s->species].name; *name; name++)
		*p++ = *name;
	*p++ = '#';
	for (unsigned int shift = 12; shift; shift -= 4)
		*p++ = "0123456789abcdef"[s->id >> (shift - 4) & 15];
	*p++ = ' ';
	for (unsigned int shift = 64; shift && !*what; shift -= 4)
		*p++ = "0123456789abcdef"[value >> (shift - 4) & 15];
	for (; *what && p < line + 150; what++)
		*p++ = *what;
	*p++ = '\n';
	(void)!write(2, line, (size_t)(p - line));
}

void note(const struct step *s, uint64_t value)
{
	atomic_fetch_add(&zoo_sum, hash_of(hash_of(value) + s->id));
	if (zoo_trace)
		say("note ", s, value, "");
}

void must(const struct step *s, bool kept, const char *what)
{
	if (!kept)
		say("wrong: ", s, 0, what);
	note(s, kept);
}

int zoo_status(void)
{
	return (int)(hash_of(zoo_sum) % 64);
}
