/* fuzz_moving.c -- memory that changes while it is read (tests/fuzz/moving.h) fools a reader that
 * looks twice, and only that.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/fuzz/moving.h"

#include "profile/read/image.h"
#include "tests/lib/tap.h"

#ifdef __x86_64__
enum { ROOM = 4 * MU_PAGE, PLACE = 64 };

/* Read by instructions that are here, whatever the compiler thinks of it. */
static uint64_t look(const uint8_t *memory)
{
	return *(const volatile uint64_t *)(memory + PLACE);
}

static uint8_t *map(void)
{
	return mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void begin(uint8_t *memory, const uint8_t *origin, const struct moving_change *change,
		  size_t changes)
{
	uint64_t seven = 7;

	memset(memory, 0, ROOM);
	memcpy(memory + PLACE, &seven, sizeof(seven));
	moving_begin(memory, ROOM, origin, change, changes);
}

int main(void)
{
	static const struct moving_change at_once[] = { { 0, MOVING_ONES, 0 },
							{ 0, MOVING_SET, 9 } };
	static const struct moving_change later[] = { { 1, MOVING_ADD, 5 }, { 99, 0, 0 } };
	uint64_t first, second, third, copy[2];
	uint8_t *memory = map(), *origin = map();
	unsigned int steps;

	begin(memory, origin, at_once, 2);
	first = look(memory);
	second = look(memory);
	third = look(memory);
	steps = moving_end();
	EQ_U(first, 7);
	EQ_U(second, UINT64_MAX);
	EQ_U(third, 9);
	/* Behind the last change nothing is looked at. */
	EQ_U(steps, 2);

	begin(memory, origin, later, 2);
	first = look(memory);
	second = look(memory);
	third = look(memory);
	EQ_U(moving_end(), 3);
	EQ_U(first, 7);
	EQ_U(second, 7);
	EQ_U(third, 12);

	/* What was copied stays, however often it is looked at. Some versions of memcpy() read twice. */
	begin(memory, origin, at_once, 2);
	image_copy_bytes(copy, memory + PLACE, sizeof(*copy));
	first = copy[0];
	second = *(volatile uint64_t *)copy;
	moving_end();
	OK(first == 7 || first == UINT64_MAX, "a value that was there");
	EQ_U(second, first);
	OK(look(memory) != 7, "the original has changed");

	/* Two pages by one instruction; and bytes by `rep movsb`, which is one step. */
	begin(memory, origin, later, 2);
	first = *(const volatile uint64_t *)(const void *)(memory + MU_PAGE);
	memset(copy, 1, sizeof(copy));
	const uint8_t *from = memory + PLACE;
	uint8_t *to = (uint8_t *)copy;
	size_t count = sizeof(copy);

	__asm__ volatile("rep movsb" : "+S"(from), "+D"(to), "+c"(count) : : "memory");
	EQ_U(moving_end(), 2);
	EQ_U(copy[0], 7);
	EQ_U(look(memory), 12);
	return done_testing();
}
#else
int main(void)
{
	skip_all("instructions are stepped over on x86-64 only");
}
#endif
