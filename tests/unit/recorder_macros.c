/* recorder_macros.c -- requests are found where they are and nowhere else; places that threads are
 * executing all the time can be changed, wherever they lie in a cache line; stacks lead out.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/lifecycle/start.h"
#include "libmemusage/patch/macros.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "libmemusage/base/objects.h"
#include "libmemusage/event/event.h"
#include "libmemusage/lifecycle/begin.h"
#include "libmemusage/patch/patch.h"
#include "libmemusage/requests/request.h"
#include "libmemusage/unwind/patched_pc.h"
#include "tests/lib/recorder.h"

#if defined(__x86_64__)

/* 64 functions of 256 bytes, each with a request at another offset of its line. They return
 * whether rdi and rdx are as they should be: a request with number 0 is nobody's. */
__asm__(".text\n.p2align 8\n.type places, @function\nplaces:\n"
	".set i, 0\n.rept 64\n.p2align 8\n.cfi_startproc\nmov %rdi, %rax\nmov %rdi, %rcx\n"
	"mov $99, %edx\njmp 1f\n.fill i, 1, 0x90\n.fill 64 - 13, 1, 0x90\n1:\n"
	"rolq $3, %rdi\nrolq $13, %rdi\nrolq $61, %rdi\nrolq $51, %rdi\nxchgq %rbx, %rbx\n"
	"xor %rcx, %rdi\nxor $99, %rdx\nor %rdi, %rdx\nsete %al\nmovzbl %al, %eax\nret\n"
	".cfi_endproc\n.set i, i + 1\n.endr\n.p2align 7\n.size places, . - places\n");
extern const char places[];

/* The same bytes as data between functions. */
__asm__(".text\ncopy:\n.byte 0x48,0xc1,0xc7,3,0x48,0xc1,0xc7,13,0x48,0xc1,0xc7,61\n"
	".byte 0x48,0xc1,0xc7,51,0x48,0x87,0xdb\n");
extern const unsigned char copy[];

static bool stop;

static uint64_t run_all(const uint64_t *argument)
{
	uint64_t good = 0;

	for (int i = 0; i < 64; i++) {
		uint64_t (*place)(const uint64_t *);
		uint64_t address = (uint64_t)places + 256 * (uint64_t)i;
		memcpy(&place, &address, sizeof(place));
		good += place(argument);
	}
	return good;
}

/* How often each thread has run all places. */
static uint64_t turns[2];

static void *run_always(void *argument)
{
	static const uint64_t nothing[6];
	uint64_t *mine = argument, bad = 0;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		bad += run_all(nothing) != 64;
		__atomic_store_n(mine, *mine + 1, __ATOMIC_RELAXED);
	}
	return (void *)bad;
}

/* Until each thread has run them once more: a busy machine may let one wait for long. */
static void await_turns(void)
{
	for (int i = 0; i < 2; i++) {
		/* The one under way may have begun before. */
		uint64_t enough = __atomic_load_n(&turns[i], __ATOMIC_RELAXED) + 2;
		while (__atomic_load_n(&turns[i], __ATOMIC_RELAXED) < enough)
			sched_yield();
	}
}

/* The recorder, which is part of this program, asks Memcheck in one place: cpu_is_memcheck(). */
enum { OWN_PLACES = 1 };

static void count(uint64_t address, void *data)
{
	uint64_t *found = data;

	found[0]++;
	found[1] += address >= (uint64_t)places && address < (uint64_t)places + 64 * 256;
	found[2] += address == (uint64_t)copy;
}

static void test_scan(void)
{
	uint64_t found[3] = { 0 };
	struct object object;

	OK(object_of((uint64_t)places, &object), "the test itself is an object");
	macros_scan(&object, count, found);
	EQ_U(found[0], 64 + OWN_PLACES);
	EQ_U(found[1], 64);
	EQ_U(found[2], 0);
}

static void test_change(void)
{
	static const uint64_t exists[6] = { 0x130a, 1 }, create[6] = { 0x1303, 1 };
	pthread_t thread[2];
	void *bad;

	for (int i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, run_always, &turns[i]);
	await_turns();
	macros_start();
	EQ_U(rec.image->request_places, 64 + OWN_PLACES);
	EQ_U(rec.image->request_refused, 0);
	await_turns();
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (int i = 0; i < 2; i++) {
		pthread_join(thread[i], &bad);
		EQ_U((uint64_t)bad, 0);
	}
	EQ_U(copy[0], 0x48);
	EQ_U(self->pub.counters.requests, 0);
	EQ_U(run_all(create), 64); /* their result is what it was */
	EQ_U(self->pub.counters.requests, 64);
	EQ_U(self->pub.counters.request_errors, 63);
	EQ_U(run_all(exists), 0); /* 1 each, not 99 */
	EQ_U(self->pub.counters.requests, 128);
}

/* The address behind a request, for each of its stub's instructions. */
static void test_behind(void)
{
	uint64_t site = (uint64_t)places;
	uint64_t right = 0, stubs = 0;

	while (*(const uint8_t *)site != 0xe9)
		site++;
	int32_t distance;
	memcpy(&distance, (const void *)(site + 1), sizeof(distance));
	uint64_t stub = site + 5 + (uint64_t)(int64_t)distance;
	EQ_U(patched_pc_behind(stub + 11), site + MACROS_BYTES);
	EQ_U(patched_pc_behind(stub + 12), stub + 12);
	EQ_U(patched_pc_behind(site), site);
	static const unsigned int at[] = { 0, 5, 11, 19 };
	for (unsigned int i = 0; i < 4; i++) {
		uint64_t pc = stub + at[i], sp = 1000;
		stubs += patched_pc_leave_stub(&pc, &sp);
		right += pc == site + MACROS_BYTES && sp == (i % 3 ? 1128 : 1000);
	}
	EQ_U(stubs, 4);
	EQ_U(right, 4);
	uint64_t pc = site, sp = 0;
	EQ_U(patched_pc_leave_stub(&pc, &sp), 0);
}

int main(void)
{
	recorder_image(UINT64_C(64) << 20, MU_CFG_STACKS);
	objects_init();
	recorder_open_gate();
	test_scan();
	test_change();
	test_behind();
	done_testing();
}

#else

int main(void)
{
	skip_all("patches x86-64 only");
}

#endif
