/* compare_stacks.c -- stacks of two builds are matched by their functions; sums always agree.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/compare/comparison.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/model/shortname.h"
#include "profile/model/top.h"
#include "tests/lib/tap.h"

enum { ROOM = 4096 };

/* One side: "main:3>parse:9+append:2 100" is a stack of two frames, in the second of which append
 * is inlined into parse. "lib.so!f" is in a module, "lib.so!0x10" has no name. */
struct made {
	struct profile p;
	struct filter filter;
	struct weight weight[ROOM];
};

static uint32_t make_module(struct profile *p, const char *path, size_t length)
{
	for (uint32_t i = 0; i < p->modules.count; i++) {
		if (strlen(p->modules.module[i].path) == length &&
		    strncmp(p->modules.module[i].path, path, length) == 0)
			return i;
	}
	p->modules.module[p->modules.count] = (struct module){ .path = strndup(path, length),
							       .rank = p->modules.count };
	return p->modules.count++;
}

/* "parse:9", the levels of a location begin with the outermost one in the text. */
static void make_level(struct profile *p, const char *text, size_t length)
{
	const char *colon = memchr(text, ':', length);
	const size_t name = colon && colon[1] != ':' ? (size_t)(colon - text) : length;
	struct symbols *s = &p->symbols;

	memmove(s->level + s->symbol[p->location_count].first + 1,
		s->level + s->symbol[p->location_count].first,
		s->symbol[p->location_count].count * sizeof(*s->level));
	s->level[s->symbol[p->location_count].first] = (struct symbols_level){
		.name = strings_add(&s->strings, text, name),
		.full = strings_add(&s->strings, text, name),
		.file = strings_add(&s->strings, "a.c", 3),
		.line = colon ? (uint32_t)atoi(colon + 1) : 0 };
	s->symbol[p->location_count].count++;
	s->level_count++;
}

static uint32_t make_location(struct profile *p, const char *text, size_t length)
{
	const char *bang = memchr(text, '!', length), *end = text + length;
	struct location *l = &p->location[p->location_count];

	*l = (struct location){ .request = p->location_count };
	l->module = make_module(p, bang ? text : "prog", bang ? (size_t)(bang - text) : 4);
	text = bang ? bang + 1 : text;
	p->symbols.symbol[p->location_count].first = p->symbols.level_count;
	p->symbols.count = p->location_count + 1;
	if (text[0] == '0') {
		l->pc = strtoull(text, NULL, 0) + 1;
		return p->location_count++;
	}
	l->pc = 0x1000 + 16 * p->location_count;
	while (text < end) {
		const char *plus = memchr(text, '+', (size_t)(end - text));

		make_level(p, text, (size_t)((plus ? plus : end) - text));
		text = plus ? plus + 1 : end;
	}
	return p->location_count++;
}

static void make_stack(struct made *m, const char *text)
{
	struct profile *p = &m->p;
	const char *blank = strchr(text, ' ');
	uint32_t frame = 0;

	while (text < blank) {
		const char *next = memchr(text, '>', (size_t)(blank - text));
		const char *end = next ? next : blank;

		p->frame[p->frame_count] = (struct profile_frame){
			.parent = frame, .depth = p->frame[frame].depth + 1,
			.location = make_location(p, text, (size_t)(end - text)) };
		frame = p->frame_count++;
		text = next ? next + 1 : blank;
	}
	p->stack[p->stack_count] = (struct profile_stack){ .frame = frame };
	p->sites.site[p->sites.count] = (struct site){ .stack = p->stack_count++,
						       .total_blocks = 1 };
	m->weight[p->sites.count++] = (struct weight){ .bytes = atoll(blank), .blocks = 1,
						       .is_there = true };
}

static void make(struct made *m, const char *const *stack)
{
	*m = (struct made){ .p = { .frame_count = 1 } };
	m->p.modules.module = calloc(64, sizeof(struct module));
	m->p.location = calloc(ROOM, sizeof(struct location));
	m->p.frame = calloc(ROOM, sizeof(struct profile_frame));
	m->p.stack = calloc(ROOM, sizeof(struct profile_stack));
	m->p.sites.site = calloc(ROOM, sizeof(struct site));
	m->p.symbols.symbol = calloc(ROOM, sizeof(struct symbol));
	m->p.symbols.level = calloc(ROOM, sizeof(struct symbols_level));
	make_module(&m->p, "prog", 4);
	for (; *stack; stack++)
		make_stack(m, *stack);
	filter_init(&m->filter, &m->p, NULL);
}

static void unmake(struct made *m)
{
	filter_free(&m->filter);
	profile_free(&m->p);
}

/* The two sides and what came out of them. */
struct compared {
	struct made *side[SIDES];
	struct comparison c;
	struct weight weight[SIDES][ROOM], change[ROOM];
};

static struct compared of;

static int64_t sum(const struct weight *w, uint32_t count)
{
	int64_t bytes = 0;

	for (uint32_t i = 0; i < count; i++)
		bytes += w[i].bytes;
	return bytes;
}

static void compare_made(void)
{
	struct compare_side side[SIDES];

	for (int i = 0; i < SIDES; i++)
		side[i] = (struct compare_side){ &of.side[i]->filter, of.side[i]->weight };
	comparison_init(&of.c, side);
	for (int i = 0; i < SIDES; i++) {
		comparison_weigh(&of.c, i, of.side[i]->weight, of.weight[i], NULL);
		EQ_I(sum(of.weight[i], of.c.profile.sites.count),
		     sum(of.side[i]->weight, of.side[i]->p.sites.count));
	}
	comparison_change(&of.c, of.weight[SIDE_OLD], of.weight[SIDE_NEW], of.change, NULL);
}

static void compare(const char *const *old, const char *const *new)
{
	for (int i = 0; i < SIDES; i++) {
		of.side[i] = malloc(sizeof(*of.side[i]));
		make(of.side[i], i == SIDE_OLD ? old : new);
	}
	compare_made();
}

static void forget(void)
{
	comparison_free(&of.c);
	for (int i = 0; i < SIDES; i++) {
		unmake(of.side[i]);
		free(of.side[i]);
	}
}

/* "main>parse +30, main>load -5": sites that changed, in their order; "=" if none did. */
static const char *changes(void)
{
	static char text[2048];
	const struct profile *p = &of.c.profile;
	size_t used = 0;

	strcpy(text, "=");
	for (uint32_t i = 0; i < p->sites.count; i++) {
		uint32_t path[64], count = 0;

		if (of.change[i].bytes == 0)
			continue;
		for (uint32_t f = p->stack[i].frame; f; f = p->frame[f].parent)
			path[count++] = f;
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s", used ? ", " : "");
		while (count-- > 0)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
						 profile_function(p, p->frame[path[count]].location),
						 count ? ">" : "");
		used += (size_t)snprintf(text + used, sizeof(text) - used, " %+" PRId64,
					 of.change[i].bytes);
	}
	return text;
}

/* Percent at the same path, found without functions, found elsewhere. */
static const char *share(void)
{
	static char text[64];
	const struct comparison_share s = comparison_matched(&of.c, of.weight[SIDE_OLD],
							     of.weight[SIDE_NEW]);

	snprintf(text, sizeof(text), "%.0f %.0f %.0f", 100 * s.path, 100 * s.folded, 100 * s.moved);
	return text;
}

#define LIST(...) ((const char *const[]){ __VA_ARGS__, NULL })

struct case_of_change {
	const char *what;
	const char *old[6], *new[6];
	const char *change, *share;
};

static const struct case_of_change cases[] = {
	{ "nothing", { "main:1>a:2 10" }, { "main:1>a:2 10" }, "=", "100 0 0" },
	{ "lines moved", { "main:1>a:2 10", "main:3>b:4 20" },
	  { "main:21>a:22 10", "main:23>b:24 20" }, "=", "100 0 0" },
	{ "a place grew", { "main:1>a:2 10", "main:3>b:4 20" },
	  { "main:21>a:22 15", "main:23>b:24 20" }, "main>a +5", "100 0 0" },
	{ "suffixes", { "main:1>a.constprop.0:2>b.isra.0:3 10" },
	  { "main:1>a.part.0:2>b.llvm.77:3 12" }, "main>a.part.0>b.llvm.77 +2", "100 0 0" },
	{ "inlined, with names", { "main:1>a:2>b:3 10" }, { "main:1+a:2+b:3 10" }, "=",
	  "100 0 0" },
	{ "inlined everywhere, without names", { "main:1>a:2>b:3 10", "main:1>c:2 7" },
	  { "main:1>b:3 14", "main:1>c:2 7" }, "main>b +4", "37 63 0" },
	{ "the innermost is inlined", { "main:1>a:2>b:3 10", "main:1>c:2 7" },
	  { "main:1>a:3 14", "main:1>c:2 7" }, "main>a +4", "37 63 0" },
	{ "split", { "main:1>a:2 100", "main:1>c:2 7" },
	  { "main:1>a:2>a_helper:9 100", "main:1>c:2 7" }, "=", "7 93 0" },
	{ "split in two", { "main:1>a:2 100", "main:1>c:2 7" },
	  { "main:1>a:2>part1:9 40", "main:1>a:2>part2:9 70", "main:1>c:2 7" }, "main>a +10",
	  "6 94 0" },
	{ "a part is split off", { "main:1>a:2 100" },
	  { "main:1>a:2 60", "main:1>a:2>a_helper:9 40" }, "=", "100 0 0" },
	{ "a new function is new", { "main:1>a:2 100" },
	  { "main:1>a:2 100", "main:1>a:2>fresh:9 40" }, "main>a>fresh +40", "83 0 0" },
	{ "gone", { "main:1>a:2 100", "main:1>b:2 50" }, { "main:1>a:2 100" }, "main>b -50",
	  "80 0 0" },
	{ "renamed", { "main:1>read_line:2 100", "main:1>b:2 50" },
	  { "main:1>fetch:2 100", "main:1>b:2 60" }, "main>b +10", "100 0 0" },
	{ "renamed in the middle, grown", { "main:1>read_all:2>dup:3 100", "main:1>b:2 50" },
	  { "main:1>read_lines:2>dup:3 300", "main:1>b:2 50" }, "main>read_lines>dup +200",
	  "100 0 0" },
	{ "only the namespace is alike", { "main:1>runtime.gc:2 900", "main:1>b:2 50" },
	  { "main:1>runtime.main:2 100", "main:1>b:2 50" },
	  "main>runtime.main +100, main>runtime.gc -900", "9 0 0" },
	{ "one goes, another comes", { "main:1>cache:2 900", "main:1>b:2 50" },
	  { "main:1>zulu:2>dup:3 100", "main:1>b:2 50" }, "main>zulu>dup +100, main>cache -900",
	  "9 0 0" },
	{ "moved below another caller", { "main:1>a:2>x:3>y:4>dup:5 100", "main:1>b:2 5" },
	  { "main:1>b:2>x:3>y:4>dup:5 110", "main:1>a:2 5", "main:1>b:2 5" },
	  "main>b>x>y>dup +10, main>a +5", "4 0 93" },
	{ "too different", { "main:1>a:2>b:3>dup:5 100", "main:1>c:2>d:3 5" },
	  { "main:1>c:2>d:3>dup:5 100", "main:1>a:2>b:3 5", "main:1>c:2>d:3 5" },
	  "main>c>d>dup +100, main>a>b +5, main>a>b>dup -100", "5 0 0" },
	{ "the library's version", { "main:1>/lib/libz.so.1.2!deflate:1 10" },
	  { "main:1>/lib/libz.so.1.3!deflate:1 10" }, "=", "100 0 0" },
	{ "another library", { "main:1>/lib/libz.so.1!open:1 10", "main:1>b:2 5" },
	  { "main:1>/lib/liby.so.1!open:1 10", "main:1>b:2 5" }, "main>open +10, main>open -10",
	  "33 0 0" },
	{ "no names", { "main:1>/lib/libz.so.1!0x10 10" }, { "main:1>/lib/libz.so.1!0x50 12" },
	  "main>[libz.so.1] +2", "100 0 0" },
	{ "recursion", { "main:1>f:2>f:2>f:2 10" }, { "main:1>f:2>f:2>f:2 15" },
	  "main>f>f>f +5", "100 0 0" },
	{ "nothing before", { NULL }, { "main:1>a:2 10" }, "main>a +10", "0 0 0" },
};

static void all_cases(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		compare(cases[i].old, cases[i].new);
		EQ_S(changes(), cases[i].change);
		EQ_S(share(), cases[i].share);
		if (strcmp(changes(), cases[i].change) != 0 || strcmp(share(), cases[i].share) != 0)
			printf("# %s\n", cases[i].what);
		forget();
	}
}

static void renames_are_listed(void)
{
	compare(LIST("main:1>read_line:2 100"), LIST("main:1>ns::fetch(int):2 100"));
	EQ_U(of.c.renames, 1);
	EQ_S(of.c.rename[0].old, "read_line");
	EQ_S(of.c.rename[0].new, "ns::fetch");
	forget();
}

/* The new lines are shown, none where there are several; a place of the old build has its own. */
static void lines(void)
{
	const struct symbols_level *level;
	uint32_t count;

	compare(LIST("main:1>a:2 10", "main:1>b:3 10", "main:1>gone:9 8"),
		LIST("main:1>a:5 10", "main:1>b:6 10", "main:1>b:7 10"));
	for (uint32_t i = 0; i < of.c.profile.sites.count; i++) {
		const uint32_t frame = of.c.profile.stack[i].frame;
		const char *name;

		level = profile_levels(&of.c.profile, of.c.profile.frame[frame].location, &count);
		name = symbols_text(&of.c.profile.symbols, level->full);
		EQ_U(level->line, name[0] == 'a' ? 5 : name[0] == 'b' ? 0 : 9);
	}
	EQ_U(of.c.profile.sites.count, 3);
	forget();
}

/* With the same build-id lines of a function stay apart, and addresses tell them. */
static void same_build(void)
{
	for (int i = 0; i < SIDES; i++) {
		static const char *const stacks[] = { "main:1>a:2 10", "main:1>a:3 10", NULL };
		struct module *m;

		of.side[i] = malloc(sizeof(*of.side[i]));
		make(of.side[i], stacks);
		m = &of.side[i]->p.modules.module[0];
		m->id = (struct build_id){ .length = 2, .byte = { 7, 8 } };
		m->bias = i ? 0x700000 : 0;
		for (uint32_t k = 0; k < of.side[i]->p.location_count; k++)
			of.side[i]->p.location[k].pc += m->bias;
	}
	of.side[SIDE_NEW]->weight[1].bytes = 25;
	compare_made();
	EQ_U(of.c.profile.sites.count, 2);
	EQ_S(changes(), "main>a +15");
	EQ_S(share(), "100 0 0");
	forget();
}

/* Errors of both sides add up to that of the change. */
static void errors(void)
{
	const struct sampled_error e = { .samples = 20, .variance = 9, .is_sampled = true };
	struct sampled_error error[SIDES + 1][4];

	compare(LIST("main:1>a:2 100"), LIST("main:9>a:8 110"));
	for (int i = 0; i < SIDES; i++) {
		of.side[i]->weight[0].error = &e;
		comparison_weigh(&of.c, i, of.side[i]->weight, of.weight[i], error[i]);
	}
	comparison_change(&of.c, of.weight[0], of.weight[1], of.change, error[SIDES]);
	EQ_I(of.change[0].bytes, 10);
	EQ_I((int)of.change[0].error->variance, 18);
	EQ_I((int)of.change[0].error->samples, 40);
	OK(of.change[0].error->is_change, "the error is that of a change");
	forget();
}

int main(void)
{
	all_cases();
	renames_are_listed();
	lines();
	same_build();
	errors();
	return done_testing();
}
