/* profile_modules.c -- an address is found in the module that held it then; strings are numbered
 * once.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/base/strings.h"
#include "profile/read/modules.h"

#include "tests/lib/fake_profile.h"
#include "tests/lib/tap.h"

#define SLOT UINT64_C(4194304)

static struct fake f;
static struct image im;

static void add(uint64_t start, uint64_t end, uint32_t opened, uint32_t closed, const char *path)
{
	*(struct mu_module *)fake_append(&f, MU_SEC_MODULES) = (struct mu_module){
		.start = start, .end = end, .opened = opened, .closed = closed,
		.path = fake_string(&f, 0, path, strlen(path)) };
}

static void begin(void)
{
	fake_segment(&f, MU_KIND_FILE, 1, SLOT);
	fake_image(&f, 0);
	fake_stacks(&f);
}

static const char *found(const struct modules *m, uint64_t address, uint32_t generation)
{
	uint32_t i = modules_find(m, address, generation);

	return i == MODULES_NONE ? "none" : m->module[i].path;
}

static void in_time(void)
{
	struct modules m;

	begin();
	add(0x9000, 0xa000, 0, 0, "late");
	add(0x1000, 0x2000, 0, 0, "program");
	add(0x3000, 0x5000, 1, 3, "plugin");
	add(0x3000, 0x4000, 3, 0, "other");
	add(0x7000, 0x7000, 0, 0, "empty");
	EQ_I(image_load(&im, fake_at(&f, 0), SLOT, NULL, NULL), 0);
	modules_load(&m, &im);
	EQ_U(m.count, 4);
	EQ_S(found(&m, 0xfff, 0), "none");
	EQ_S(found(&m, 0x1000, 9), "program");
	EQ_S(found(&m, 0x1fff, 9), "program");
	EQ_S(found(&m, 0x2000, 9), "none");
	EQ_S(found(&m, 0x3800, 0), "none");
	EQ_S(found(&m, 0x3800, 1), "plugin");
	EQ_S(found(&m, 0x3800, 2), "plugin");
	EQ_S(found(&m, 0x3800, 3), "other");
	EQ_S(found(&m, 0x4800, 2), "plugin");
	EQ_S(found(&m, 0x4800, 3), "none");
	EQ_S(found(&m, UINT64_MAX, 0), "none");
	modules_free(&m);
	free(f.base);
}

/* Thousands that lie over each other: a look-up ends soon, and the inner ones are found. */
static void overlapping(void)
{
	struct modules m;

	begin();
	for (uint64_t i = 0; i < 3000; i++)
		add(0x10000 + i * 16, 0x90000000, 0, 0, "huge");
	EQ_I(image_load(&im, fake_at(&f, 0), SLOT, NULL, NULL), 0);
	modules_load(&m, &im);
	for (int i = 0; i < 200000; i++)
		modules_find(&m, 0x80000000, 7);
	EQ_S(found(&m, 0x80000000, 7), "huge");
	modules_free(&m);
	free(f.base);
}

/* As under Valgrind: program, linker, libraries in the order of loading. */
static void ordered(void)
{
	static const char *const want[] = { "/bin/prog", "/lib/ld-linux-x86-64.so.2",
					    "/lib/libfirst.so", "/lib/libc.so.6" };
	struct modules m;
	uint64_t last = 0;

	begin();
	add(0x7ffff7d00000, 0x7ffff7e00000, 0, 0, "/lib/libc.so.6");
	add(0x7ffff7f00000, 0x7ffff7f10000, 0, 0, "/lib/libfirst.so");
	add(0x7ffff7fc0000, 0x7ffff7ff0000, 0, 0, "/lib/ld-linux-x86-64.so.2");
	add(0x555555554000, 0x555555564000, 0, 0, "/bin/prog");
	EQ_I(image_load(&im, fake_at(&f, 0), SLOT, NULL, NULL), 0);
	modules_load(&m, &im);
	for (size_t i = 0; i < 4; i++)
		for (uint32_t k = 0; k < m.count; k++)
			if (strcmp(m.module[k].path, want[i]) == 0) {
				uint64_t start = m.module[k].start;

				OK(modules_order(&m, k, start + 1) > last, "%s comes next",
				   want[i]);
				OK(modules_order(&m, k, start + 2) >
				   modules_order(&m, k, start + 1), "its addresses ascend");
				last = modules_order(&m, k, start + 0xffff);
			}
	OK(modules_order(&m, MODULES_NONE, 5) > last, "what belongs to none comes last");
	modules_free(&m);
	free(f.base);
}

static void strings(void)
{
	struct strings pool = { .count = 0 };
	char text[32], *huge = malloc(200000);
	bool good = true;

	EQ_U(strings_add(&pool, "", 0), 0);
	EQ_S(strings_get(&pool, 0), "");
	EQ_U(strings_add(&pool, "abc", 3), 1);
	EQ_U(strings_add(&pool, "abcd", 3), 1);
	EQ_U(strings_add(&pool, "abcd", 4), 2);
	EQ_U(strings_add(&pool, "ab", 2), 3);
	EQ_S(strings_get(&pool, 2), "abcd");
	EQ_S(strings_get(&pool, 99), "");
	memset(huge, 'x', 200000);
	EQ_U(strings_add(&pool, huge, 200000), 4);
	EQ_U(strings_add(&pool, huge, 199999), 5);
	for (int round = 0; round < 2; round++)
		for (uint32_t i = 0; i < 20000; i++) {
			size_t length = (size_t)snprintf(text, sizeof(text), "%u", i);

			good = good && strings_add(&pool, text, length) == 6 + i;
		}
	OK(good, "twenty thousand texts have one number each");
	EQ_S(strings_get(&pool, 6 + 1234), "1234");
	EQ_U(strlen(strings_get(&pool, 4)), 200000);
	strings_free(&pool);
	EQ_S(strings_get(&pool, 1), "");
	free(huge);
}

int main(void)
{
	in_time();
	overlapping();
	ordered();
	strings();
	return done_testing();
}
