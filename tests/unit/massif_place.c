/* massif_place.c -- the lines of a tree are taken to pieces, whatever is in a name; and the
 * stacks of a tree weigh what the tree does.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/massif_convert.h"

#include <sys/mman.h>
#include <unistd.h>

#include "tests/lib/tap.h"

static const struct {
	const char *text, *name, *file;
	uint32_t line;
	const char *object;
	uint64_t address;
} places[] = {
	{ " 0x401136: main (prog.c:7)", "main", "prog.c", 7, "", 0x401136 },
	{ " 0x1F: operator new[](unsigned long) (new.cc:70)", "operator new[](unsigned long)",
	  "new.cc", 70, "", 0x1f },
	{ " 0x1: f(int) const (in /lib/a (b)/libx.so.1)", "f(int) const", "", 0,
	  "/lib/a (b)/libx.so.1", 1 },
	{ " 0x2: ??? (in /lib/libx.so)", "[libx.so]", "", 0, "/lib/libx.so", 2 },
	{ " 0x2: ??? (a.c:5)", "0x2", "a.c", 5, "", 2 },
	{ " 0x3: ??? (in ?" "?" "?)", "0x3", "", 0, "", 3 },
	{ " 0xABC: ???", "0xABC", "", 0, "", 0xabc },
	{ " 0x4: f (C++ (x):12)", "f (C++", "x)", 12, "", 4 },
	{ " 0x5: f (x:y)", "f (x:y)", "", 0, "", 5 },
	{ " 0x6: f (x:)", "f (x:)", "", 0, "", 6 },
	{ " 0x7: f(int)", "f(int)", "", 0, "", 7 },
	{ " 0x8: )", ")", "", 0, "", 8 },
	{ " 0x9: ", "0x9", "", 0, "", 9 },
	{ " 0xA: {closure#0} (lib.rs:1)", "{closure#0}", "lib.rs", 1, "", 10 },
	{ " in 3 places, all below massif's threshold (1.00%)", "[below threshold]", "", 0, "", 0 },
	{ " 0x12", "[below threshold]", "", 0, "", 0 },
	{ "", "[below threshold]", "", 0, "", 0 },
};

static void test_places(void)
{
	char buffer[100], text[100];

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		struct massif_place place = massif_place(places[i].text);

		EQ_S(massif_place_name(&place, buffer, sizeof(buffer)), places[i].name);
		snprintf(text, sizeof(text), "%.*s", place.file_length, place.file);
		EQ_S(text, places[i].file);
		EQ_U(place.line, places[i].line);
		snprintf(text, sizeof(text), "%.*s", place.object_length, place.object);
		EQ_S(text, places[i].object);
		EQ_U(place.address, places[i].address);
	}
	EQ_S(massif_place_name(&(struct massif_place){ .function = "abcdef", .file = "",
						       .object = "", .function_length = 6,
						       .address = 1 }, buffer, 4), "abc");
}

/* In the order of the tree; a damaged one, whose children have too much, has no less than 0. */
static struct massif_node nodes[] = {
	{ .bytes = 100, .children = 3, .size = 6 },
	{ .bytes = 50, .children = 2, .size = 3, .depth = 1 },
	{ .bytes = 30, .size = 1, .depth = 2 },
	{ .bytes = 5, .size = 1, .depth = 2 },
	{ .bytes = 20, .children = 0, .size = 1, .depth = 1 },
	{ .bytes = 0, .children = 0, .size = 1, .depth = 1 },
};

static char seen[200];

static void note(void *data, const struct massif_node *const *path, size_t count, uint64_t bytes)
{
	EQ_P(data, nodes);
	for (size_t i = 0; i < count; i++)
		snprintf(seen + strlen(seen), sizeof(seen) - strlen(seen), "%d ",
			 (int)(path[i] - nodes));
	snprintf(seen + strlen(seen), sizeof(seen) - strlen(seen), "%" PRIu64 ";", bytes);
}

static void test_stacks(void)
{
	struct massif_file m = { .nodes = nodes, .node_count = 6 };
	struct massif_snapshot s = { .kind = MASSIF_PEAK, .node_count = 6 };

	massif_stacks(&m, &s, note, nodes);
	EQ_S(seen, "30;1 15;1 2 30;1 3 5;4 20;");
	nodes[2].bytes = 49;
	seen[0] = '\0';
	massif_stacks(&m, &s, note, nodes);
	EQ_S(seen, "30;1 2 49;1 3 5;4 20;");
}

int main(void)
{
	test_places();
	test_stacks();
	return done_testing();
}
