/* recorder_patch.c -- thunks land where they are asked for and run; code can be changed while
 * threads run it; new objects are heard of before their constructors.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/patch/patch.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libmemusage/unwind/patched_pc.h"
#include "tests/lib/recorder.h"

#if defined(__x86_64__)

static void test_rooms(void)
{
	uint64_t here = (uint64_t)test_rooms, last = 0, wrong = 0;

	for (int i = 0; i < 10000; i++) {
		uint64_t room = patch_room_near(here, here + 64, 40);
		int64_t far = (int64_t)(room - here);
		wrong += !room || room % 16 || room == last || far > INT_MAX || far < INT_MIN;
		wrong += !patched_pc_holds(room) || !patched_pc_holds(room + 39);
		last = room;
	}
	EQ_U(wrong, 0);
	EQ_U(patched_pc_holds(here), 0);
	uint64_t low = here - (UINT64_C(256) << 20);
	uint64_t room = patch_room(low - (UINT64_C(16) << 20), low, 64);
	OK(room >= low - (UINT64_C(16) << 20) && room + 64 <= low, "a window is kept to");
	EQ_U(patch_room(here, here, 16), 0);
	EQ_U(patch_room(here, here + 100, 16), 0);
	EQ_U(patch_room(low, here, 5000), 0);
}

static void test_thunk(bool with_mem)
{
	static const uint8_t code[] = { 0xb8, 42, 0, 0, 0, 0xc3 }; /* mov $42,%eax; ret */
	uint64_t here = (uint64_t)test_thunk;
	uint64_t room = patch_room_near(here, here + 64, sizeof(code));
	struct patch p;
	int (*run)(void);

	OK(patch_begin(&p), "changes can begin");
	EQ_U(p.is_alone, 1);
	if (!with_mem && p.mem >= 0) {
		close(p.mem);
		p.mem = -1;
	}
	OK(patch_write(&p, room, code, sizeof(code)), "a thunk is written");
	patch_end(&p);
	memcpy(&run, &room, sizeof(run));
	EQ_I(run(), 42);
	OK(patch_begin(&p), "changes can begin again");
	OK(patch_store(&p, room + 1, 43), "code is changed");
	patch_end(&p);
	EQ_I(run(), 43);
}

/* A function of the program's own text, kept as it is by the compiler. */
__asm__(".text\n.p2align 6\n.type patched, @function\npatched:\n"
	"movl $1, %eax\nret\n.size patched, . - patched\n");
int patched(void);

static bool stop;

static void *call(void *argument)
{
	unsigned long bad = 0, calls = 0;

	(void)argument;
	for (; !__atomic_load_n(&stop, __ATOMIC_RELAXED); calls++) {
		int got = patched();
		bad += got != 1 && got != 2;
	}
	return (void *)(bad ? bad : calls ? 0UL : 1UL);
}

static void test_text(bool with_mem)
{
	pthread_t thread;
	void *bad = NULL;
	struct patch p;

	stop = false;
	pthread_create(&thread, NULL, call, NULL);
	for (uint32_t i = 0; i < 2000; i++) {
		patch_begin(&p);
		if (!with_mem && p.mem >= 0) {
			close(p.mem);
			p.mem = -1;
		}
		if (i == 0)
			EQ_U(p.is_alone, 0);
		patch_store(&p, (uint64_t)patched + 1, 1 + i % 2);
		patch_end(&p);
		if (i >= 1998)
			EQ_I(patched(), (int)(1 + i % 2));
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, &bad);
	EQ_U((unsigned long)bad, 0);
}

static int heard;

static void hear(void)
{
	heard++;
}

static void test_objects(void)
{
	char path[PATH_MAX];
	const char *build = getenv("MU_BUILD");

	if (!patch_on_objects(hear)) {
		skip("ld.so has no function for debuggers that can be changed");
		return;
	}
	OK(patch_on_objects(hear), "new objects are heard of");
	snprintf(path, sizeof(path), "%s/tests/workloads/libplain.so", build ? build : "build");
	void *handle = dlopen(path, RTLD_NOW);
	if (!handle) {
		skip("no object to open");
		return;
	}
	EQ_I(heard, 1);
	dlclose(handle);
	EQ_I(heard, 2);
}

int main(void)
{
	test_rooms();
	test_thunk(true);
	test_thunk(false);
	test_text(true);
	test_text(false);
	test_objects();
	return done_testing();
}

#else

int main(void)
{
	skip_all("code is changed on x86-64 only");
}

#endif
