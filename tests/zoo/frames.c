/* frames.c -- species that make frames of a kind: recursion, longjmp, code made at run time, code that
 * is unloaded, exceptions.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/zoo/zoo.h"

#include <alloca.h>
#include <dlfcn.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* What a frame runs: a body, in a room. */
struct work {
	const struct step *s;
	struct room room;
	struct draw d;
	unsigned int times;
};

static void run_work(void *arg)
{
	struct work *w = arg;

	run_body(w->s, &w->room);
	use_blocks(w->s, &w->d, 3, 500);
}

__attribute__((noinline)) void climb(unsigned int depth, struct draw *d, void (*fn)(void *), void *arg)
{
	volatile char *pad = alloca(8 + draw_below(d, 120));

	pad[0] = (char)depth;
	if (depth % 5 == 1)
		free(malloc(depth));
	if (depth)
		climb(depth - 1, d, fn, arg);
	else
		fn(arg);
	pad[7] = 0;
}

/* ---- deep: recursion, at most as deep as there is stack ---- */

void do_deep(const struct step *s, const struct room *r)
{
	struct work w = { .s = s, .room = *r, .d = draw_of(s) };
	unsigned int most = (unsigned int)(r->stack / 2 / 260), depth;

	depth = draw_below(&w.d, draw_below(&w.d, 4) ? 20 : 400);
	if (depth > most)
		depth = most;
	w.room.stack -= (size_t)depth * 260;
	climb(depth, &w.d, run_work, &w);
}

/* ---- repeat: the same steps again ---- */

void do_repeat(const struct step *s, const struct room *r)
{
	struct draw d = draw_of(s);

	for (unsigned int i = 0, n = 2 + draw_below(&d, 3); i < n; i++) {
		/* What a step notes again counts again. */
		run_body(s, r);
		use_blocks(s, &d, 2, 300);
	}
}

/* ---- jump: longjmp over frames that allocate ---- */

struct jump {
	struct work w;
	jmp_buf plain;
	sigjmp_buf signals;
	bool with_signals;
};

static void jump_back(void *arg)
{
	struct jump *j = arg;

	run_body(j->w.s, &j->w.room);
	if (j->with_signals)
		siglongjmp(j->signals, 3);
	longjmp(j->plain, 2);
}

void do_jump(const struct step *s, const struct room *r)
{
	struct jump j = { .w = { .s = s, .room = *r, .d = draw_of(s) } };
	volatile unsigned int left;
	int came;

	left = 1 + draw_below(&j.w.d, 3);
	j.with_signals = draw_below(&j.w.d, 2);
	j.w.room.stack -= 2800;
	came = j.with_signals ? sigsetjmp(j.signals, 1) : _setjmp(j.plain);
	note(s, (uint64_t)came);
	if (left) {
		left--;
		climb(draw_below(&j.w.d, 6), &j.w.d, jump_back, &j);
	}
	use_blocks(s, &j.w.d, 2, 400);
}

/* ---- jit: frames of code that no table describes ---- */

struct code {
	unsigned char *at;
	size_t used;
};

static void emit(struct code *c, const void *bytes, size_t count)
{
	memcpy(c->at + c->used, bytes, count);
	c->used += count;
}

#define EMIT(c, text) emit(c, text, sizeof(text) - 1)

/* A function (fn, arg) that calls fn(arg), with FRAME bytes; what it does with rbp is drawn: a frame's
 * address, none, or one that leads anywhere.
 */
static void emit_function(struct code *c, struct draw *d, uint32_t frame)
{
	uint64_t wild = 0;
	unsigned int kind = draw_below(d, 5);

	EMIT(c, "\x55");			/* push rbp */
	if (kind == 0)
		EMIT(c, "\x48\x89\xe5");	/* mov rbp, rsp */
	else if (kind == 1)
		EMIT(c, "\x31\xed");		/* xor ebp, ebp */
	else if (kind == 2)
		wild = draw(d);
	else if (kind == 3)
		wild = 0x100000000000 + (draw(d) & 0x3fffff8);
	else
		wild = (uintptr_t)__builtin_frame_address(0) + 8 * draw_below(d, 4000) - 16000;
	if (wild) {
		EMIT(c, "\x48\xbd");		/* mov rbp, wild */
		emit(c, &wild, 8);
	}
	EMIT(c, "\x48\x81\xec");		/* sub rsp, frame */
	emit(c, &frame, 4);
	EMIT(c, "\x48\x89\xf8\x48\x89\xf7\xff\xd0"); /* mov rax, rdi; mov rdi, rsi; call rax */
	EMIT(c, "\x48\x81\xc4");		/* add rsp, frame */
	emit(c, &frame, 4);
	EMIT(c, "\x5d\xc3");			/* pop rbp; ret */
}

void do_jit(const struct step *s, const struct room *r)
{
	struct work w = { .s = s, .room = *r, .d = draw_of(s) };
	struct code c = { .at = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) };
	void (*made)(void (*)(void *), void *) = run_work == NULL ? NULL : (void *)c.at;

	w.room.stack -= 1200;
	if (c.at == MAP_FAILED) {
		run_work(&w);
		return;
	}
#if defined(__x86_64__)
	for (unsigned int i = 0, n = 1 + draw_below(&w.d, 2); i < n; i++) {
		c.used = 0;
		mprotect(c.at, 4096, PROT_READ | PROT_WRITE);
		emit_function(&c, &w.d, 16 * draw_below(&w.d, 60));
		mprotect(c.at, 4096, PROT_READ | PROT_EXEC);
		made(run_work, &w);
	}
#else
	(void)made;
	run_work(&w);
#endif
	note(s, (uint64_t)munmap(c.at, 4096));
}

/* ---- load: a shared object on whose frames the body runs, unloaded afterwards ---- */

void do_load(const struct step *s, const struct room *r)
{
	static const char *const names[] = { "libzoo1.so", "libzoo2.so", "libzoo3.so" };
	struct work w = { .s = s, .room = *r, .d = draw_of(s) };
	char path[4200];

	w.room.stack -= 8 << 10;
	for (unsigned int i = 0, n = 1 + draw_below(&w.d, 3); i < n; i++) {
		void *object, (*plug)(void (*)(void *), void *, unsigned int);

		snprintf(path, sizeof(path), "%s/%s", zoo_folder, names[draw_below(&w.d, 3)]);
		object = dlopen(path, draw_below(&w.d, 2) ? RTLD_NOW : RTLD_LAZY);
		note(s, !object);
		if (!object) {
			run_work(&w);
			continue;
		}
		plug = (void (*)(void (*)(void *), void *, unsigned int))dlsym(object, "zoo_plug");
		plug(run_work, &w, draw_below(&w.d, 5));
		note(s, (uint64_t)dlclose(object));
		note(s, !dlsym(RTLD_DEFAULT, "no_such_name"));
	}
}

/* ---- throw: exceptions of C++ ---- */

void do_throw(const struct step *s, const struct room *r)
{
	struct work w = { .s = s, .room = *r, .d = draw_of(s) };
	char path[4200];
	void *object;
	int (*thrown)(void (*)(void *), void *, int);

	w.room.stack -= 8 << 10;
	snprintf(path, sizeof(path), "%s/libzoothrow.so", zoo_folder);
	object = dlopen(path, RTLD_NOW);
	note(s, !object);
	if (!object) {
		run_work(&w);
		return;
	}
	thrown = (int (*)(void (*)(void *), void *, int))dlsym(object, "zoo_throw");
	note(s, (uint64_t)thrown(run_work, &w, (int)draw_below(&w.d, 7)));
	note(s, (uint64_t)dlclose(object));
}
