/* profile_unwound.c -- call stacks that are not whole are counted by kind, with their blocks, also of
 * damaged images.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/read/unwound.h"

#include "tests/lib/fake_profile.h"
#include "tests/lib/tap.h"

#define SLOT UINT64_C(4194304)

static struct unwound u;
static struct fake f;
static struct image im;

static void begin(bool has_stacks)
{
	fake_segment(&f, MU_KIND_TREE, 1, SLOT);
	fake_image(&f, 0);
	if (has_stacks)
		fake_stacks(&f);
}

static void take(void)
{
	image_load(&im, fake_at(&f, 0), SLOT, NULL, NULL);
	unwound_take(&u, &im);
}

static void flag(uint32_t stack, uint32_t flags)
{
	((struct mu_stack *)fake_entry(&f, MU_SEC_STACKS, stack))->flags = 7 << 8 | flags;
}

static void no_stacks(void)
{
	begin(false);
	take();
	EQ_U(u.all.stacks, 0);
	free(f.base);
}

static void all_whole(void)
{
	begin(true);
	flag(0, MU_STACK_TRUNCATED);	/* the unknown site's: no stack at all */
	fake_site(&f, "main>a", 100, 2);
	fake_site(&f, "main>b", 100, 3);
	take();
	EQ_U(u.all.stacks, 2);
	EQ_U(u.truncated.stacks, 0);
	free(f.base);
}

static void kinds(void)
{
	struct mu_cell *cell;

	begin(true);
	fake_site(&f, "main>a", 100, 2);
	fake_site(&f, "b", 100, 3);
	fake_site(&f, "c", 100, 4);
	fake_site(&f, "d", 100, 5);
	fake_site(&f, "e", 100, 6);
	flag(2, MU_STACK_TRUNCATED);
	flag(3, MU_STACK_TRUNCATED | MU_STACK_NO_CFI);
	flag(4, MU_STACK_CUT);
	flag(5, MU_STACK_NO_CFI);
	cell = fake_append(&f, MU_SEC_CELLS);	/* another thread's */
	*cell = (struct mu_cell){ .site = 2, .total_blocks = 10 };
	cell = fake_append(&f, MU_SEC_CELLS);
	*cell = (struct mu_cell){ .site = 2, .total_blocks = 100, .flags = MU_CELL_MASSIF };
	cell = fake_append(&f, MU_SEC_CELLS);
	*cell = (struct mu_cell){ .site = 77, .total_blocks = 1000 };
	take();
	EQ_U(u.all.stacks, 5);
	EQ_U(u.all.blocks, 30);
	EQ_U(u.truncated.stacks, 2);
	EQ_U(u.truncated.blocks, 17);
	EQ_U(u.guessed.stacks, 1);
	EQ_U(u.guessed.blocks, 6);
	EQ_U(u.cut.stacks, 1);
	EQ_U(u.cut.blocks, 5);
	free(f.base);
}

static void damaged(void)
{
	struct mu_site *site;

	begin(true);
	fake_site(&f, "a", 100, 2);
	fake_site(&f, "b", 100, 3);
	flag(1, MU_STACK_CUT);
	site = fake_entry(&f, MU_SEC_SITES, 2);
	site->stack = UINT32_MAX;
	fake_at(&f, 0)->table[MU_SEC_CELLS].count = UINT64_MAX / 2;
	take();
	EQ_U(u.cut.stacks, 1);
	EQ_U(u.truncated.stacks, 0);
	fake_at(&f, 0)->table[MU_SEC_CELLS].extent[0] = UINT64_MAX - 7;
	take();
	EQ_U(u.cut.blocks, 0);
	free(f.base);
}

int main(void)
{
	no_stacks();
	all_whole();
	kinds();
	damaged();
	return done_testing();
}
