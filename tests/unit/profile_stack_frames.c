/* profile_stack_frames.c -- frames of this program's own stack, and of stacks and files that are made
 * to harm.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/unwind/stack_frames.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "profile/base/limits.h"
#include "tests/lib/tap.h"

#if defined(__x86_64__)

enum { OBJECTS = 64, STACK = 65536, HOSTILE = 60, DAMAGED = 40 };

/* ---- our own objects -------------------------------------------------------------------- */

struct object {
	uint64_t start, end, bias;
};

static struct object object[OBJECTS];
static struct elf_file file[OBJECTS];
static uint32_t objects;

static int add_object(struct dl_phdr_info *info, size_t size, void *data)
{
	const char *path = *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
	struct object *o = &object[objects];
	struct mu_error err;

	*o = (struct object){ .start = UINT64_MAX, .bias = info->dlpi_addr };
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		const uint64_t start = info->dlpi_addr + p->p_vaddr;

		if (p->p_type != PT_LOAD)
			continue;
		o->start = start < o->start ? start : o->start;
		o->end = start + p->p_memsz > o->end ? start + p->p_memsz : o->end;
	}
	if (objects + 1 < OBJECTS && elf_file_open(&file[objects], NULL, path, &err) == 0)
		objects++;
	return 0;
}

static uint32_t find_object(const void *data, uint64_t address, uint64_t *bias)
{
	for (uint32_t i = 0; i < objects; i++) {
		if (address >= object[i].start && address < object[i].end) {
			*bias = object[i].bias;
			return i;
		}
	}
	return STACK_FRAMES_NONE;
}

static const struct stack_objects *all_objects(void)
{
	static struct stack_objects all;

	all = (struct stack_objects){ .count = objects, .file = file, .find = find_object };
	return &all;
}

/* ---- our own stack ---------------------------------------------------------------------- */

static uint8_t copy[STACK];
static struct stack_frames frames;
static uint64_t in_outer, in_inner;

/* The registers of a function that is about to continue. */
#define TAKE(reg, name) __asm__ volatile("mov %%" name ", %0" : "=m"(reg))

__attribute__((noinline)) static void unwind_here(void)
{
	struct stack_thread thread = { .state = { .known = (1u << CALL_REGISTERS) - 1,
						  .is_exact = true } };
	uint64_t *reg = thread.state.reg, bytes;

	TAKE(reg[CALL_RBX], "rbx");
	TAKE(reg[CALL_RBP], "rbp");
	TAKE(reg[CALL_RSP], "rsp");
	TAKE(reg[12], "r12");
	TAKE(reg[13], "r13");
	TAKE(reg[14], "r14");
	TAKE(reg[15], "r15");
	__asm__ volatile("lea 0(%%rip), %%rax; mov %%rax, %0" : "=m"(reg[CALL_PC]) : : "rax");
	/* The name of the program is behind all frames. */
	bytes = getauxval(AT_EXECFN) - reg[CALL_RSP];
	bytes = bytes < STACK ? bytes : STACK;
	memcpy(copy, (void *)reg[CALL_RSP], bytes);
	thread.memory = (struct call_memory){ reg[CALL_RSP], bytes, copy };
	stack_frames_find(&frames, &thread, 1, all_objects());
}

__attribute__((noinline)) static int call_inner(int n)
{
	volatile char room[100] = { 0 };
	volatile uint64_t word = 1;

	in_inner = (uint64_t)(uintptr_t)&word;
	unwind_here();
	return n + room[n] + (int)word;
}

__attribute__((noinline)) static int call_outer(int n)
{
	volatile uint64_t word = 2;

	in_outer = (uint64_t)(uintptr_t)&word;
	return call_inner(n) + (int)word;
}

static bool is_code_of(uint32_t frame, const void *function)
{
	const uint64_t start = (uint64_t)(uintptr_t)function;

	return frame != STACK_FRAMES_NONE && frames.frame[frame].code - start < 400;
}

static void test_own_stack(void)
{
	EQ_U(call_outer(0), 3);
	IS_TRUE(frames.count > 4);
	IS_TRUE(is_code_of(stack_frames_of_register(&frames, 0, CALL_REGISTERS),
			   (void *)unwind_here));
	IS_TRUE(is_code_of(stack_frames_at(&frames, in_inner), (void *)call_inner));
	IS_TRUE(is_code_of(stack_frames_at(&frames, in_outer), (void *)call_outer));
	EQ_U(stack_frames_at(&frames, frames.frame[0].low - 8), STACK_FRAMES_NONE);
	EQ_U(stack_frames_of_register(&frames, 1, CALL_RBX), STACK_FRAMES_NONE);
	for (uint32_t i = 0; i + 1 < frames.count; i++)
		EQ_U(frames.frame[i].high, frames.frame[i + 1].low);
	stack_frames_free(&frames);
}

/* ---- saved registers -------------------------------------------------------------------- */

/* Frames as they come from the walk: the first has saved rbx, the third one, too. */
static void test_saved_registers(void)
{
	struct stack_frame f[] = {
		{ .low = 0x1000, .high = 0x1100, .saved = { 0x10f0 }, .depth = 0 },
		{ .low = 0x1100, .high = 0x1200, .depth = 1 },
		{ .low = 0x1200, .high = 0x1300, .saved = { 0x12f0 }, .depth = 2 },
	};
	uint32_t innermost = 0;
	const struct stack_frames all = { .frame = f, .count = 3, .innermost = &innermost,
					  .threads = 1 };

	EQ_U(stack_frames_at(&all, 0x10e8), 0);
	EQ_U(stack_frames_at(&all, 0x10f0), 2);
	EQ_U(stack_frames_at(&all, 0x1100), 1);
	EQ_U(stack_frames_at(&all, 0x12f0), 2);
	EQ_U(stack_frames_at(&all, 0x1300), STACK_FRAMES_NONE);
	EQ_U(stack_frames_of_register(&all, 0, CALL_RBX), 0);
	EQ_U(stack_frames_of_register(&all, 0, CALL_RBP), 0);
	f[0].saved[0] = 0;
	EQ_U(stack_frames_of_register(&all, 0, CALL_RBX), 2);
}

/* ---- hostile stacks and files ----------------------------------------------------------- */

static uint64_t next_random(void)
{
	static uint64_t state = 1;

	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return state >> 24;
}

/* Code, addresses of the stack itself, and anything. */
static uint64_t random_word(uint64_t stack)
{
	const struct object *o = &object[next_random() % objects];

	switch (next_random() % 4) {
	case 0:
		return next_random() << 24 ^ next_random();
	case 1:
		return stack + next_random() % STACK;
	default:
		return o->start + next_random() % (o->end - o->start);
	}
}

static void make_hostile_thread(struct stack_thread *thread, uint64_t stack)
{
	for (size_t i = 0; i < STACK / sizeof(uint64_t); i++) {
		const uint64_t word = random_word(stack);

		memcpy(copy + i * sizeof(word), &word, sizeof(word));
	}
	*thread = (struct stack_thread){ .memory = { stack, STACK, copy } };
	thread->state.known = (1u << CALL_REGISTERS) - 1;
	for (unsigned int i = 0; i < CALL_REGISTERS; i++)
		thread->state.reg[i] = random_word(stack);
	thread->state.reg[CALL_RSP] = stack + next_random() % 4096;
}

/* Returns how many frames are not as promised. */
static uint32_t count_wrong(const struct stack_frames *f)
{
	uint32_t wrong = f->count > STACK_FRAMES_MOST;

	for (uint32_t i = 0; i < f->count; i++) {
		wrong += f->frame[i].low >= f->frame[i].high;
		wrong += i > 0 && f->frame[i].low < f->frame[i - 1].high;
	}
	return wrong;
}

static void test_hostile_stacks(void)
{
	const uint64_t stack[] = { 0x7fff00000000, 0, UINT64_MAX - STACK + 1 };
	uint32_t wrong = 0, found = 0;

	for (int i = 0; i < HOSTILE; i++) {
		struct stack_thread thread;

		make_hostile_thread(&thread, stack[i % 3]);
		stack_frames_find(&frames, &thread, 1, all_objects());
		wrong += count_wrong(&frames);
		found += frames.count;
		for (uint64_t at = 0; at < STACK; at += 512)
			wrong += stack_frames_at(&frames, stack[i % 3] + at) >= frames.count &&
				 stack_frames_at(&frames, stack[i % 3] + at) != STACK_FRAMES_NONE;
		stack_frames_free(&frames);
	}
	EQ_U(wrong, 0);
	IS_TRUE(found > 0);
}

/* The tables of all objects are overwritten here and there. */
static void test_damaged_tables(void)
{
	struct elf_file good[OBJECTS];
	uint32_t wrong = 0;

	memcpy(good, file, sizeof(file));
	for (int i = 0; i < DAMAGED; i++) {
		struct stack_thread thread;

		for (uint32_t k = 0; k < objects; k++) {
			struct elf_section s;
			uint8_t *bad = malloc(good[k].size);

			memcpy(bad, good[k].data, good[k].size);
			file[k].data = bad;
			if (!elf_file_section(&file[k], ".eh_frame", &s) || s.size == 0)
				continue;
			for (int n = 0; n < 2000; n++)
				((uint8_t *)(uintptr_t)s.data)[next_random() % s.size] =
					(uint8_t)next_random();
		}
		make_hostile_thread(&thread, UINT64_C(0x7fff00000000));
		stack_frames_find(&frames, &thread, 1, all_objects());
		wrong += count_wrong(&frames);
		stack_frames_free(&frames);
		for (uint32_t k = 0; k < objects; k++)
			free((void *)(uintptr_t)file[k].data);
	}
	memcpy(file, good, sizeof(file));
	EQ_U(wrong, 0);
}

static void test_nothing(void)
{
	struct stack_thread thread = { .state = { .known = 0 } };

	stack_frames_find(&frames, &thread, 1, all_objects());
	EQ_U(frames.count, 0);
	EQ_U(stack_frames_at(&frames, 0x1000), STACK_FRAMES_NONE);
	stack_frames_free(&frames);
	stack_frames_find(&frames, NULL, 0, all_objects());
	EQ_U(frames.count, 0);
	stack_frames_free(&frames);
}

static const struct call_library *library; /* loaded for good */

int main(void)
{
	dl_iterate_phdr(add_object, NULL);
	test_nothing();
	test_saved_registers();
	library = call_frame_load();
	if (library) {
		/* A sanitizer forbids to read it, and may have variables elsewhere. */
		if (!LIMITS_HAS_SHADOW)
			test_own_stack();
		test_hostile_stacks();
		test_damaged_tables();
	}
	for (uint32_t i = 0; i < objects; i++)
		elf_file_close(&file[i]);
	return done_testing();
}

#else

int main(void)
{
	OK(true, "only for x86_64");
	return done_testing();
}

#endif
