/* co.c -- the species co: coroutines, which yield between the steps of their body.
 *
 * Switched by swapcontext or by assembly; resumed by the same thread or by others; left for ever by
 * longjmp or because nobody resumes them. Their stacks are ended from outside.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/zoo/zoo.h"

#include <pthread.h>
#include <setjmp.h>
#include <string.h>
#include <ucontext.h>

struct co {
	const struct step *s, *next;
	struct room room;
	struct draw d;
	struct place place;
	bool by_hand, is_done, jumps;
	ucontext_t self, back;
	void *sp, *sp_back;
	jmp_buf out;
};

#if defined(__x86_64__)
/* zoo_switch(&save, to): the first switch to a stack comes to zoo_start. There are no tables for it. */
void zoo_switch(void **save, void *to);
void zoo_start(void);
__asm__(".text\n"
	"zoo_switch:\n"
	"	push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15\n"
	"	mov %rsp, (%rdi)\n"
	"	mov %rsi, %rsp\n"
	"	pop %r15; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp\n"
	"	ret\n"
	"zoo_start:\n"
	"	mov %r12, %rdi\n"
	"	call *%r13\n"
	"	hlt\n");
#define CAN_BY_HAND true
#else
#define CAN_BY_HAND false
static void zoo_switch(void **save, void *to)
{
	(void)save, (void)to;
}
static void zoo_start(void)
{
}
#endif

static __attribute__((noinline)) void yield_co(struct co *co)
{
	if (co->by_hand)
		zoo_switch(&co->sp, co->sp_back);
	else
		swapcontext(&co->self, &co->back);
}

static __attribute__((noinline)) void *resume_co(void *arg)
{
	struct co *co = arg;

	if (co->by_hand)
		zoo_switch(&co->sp_back, co->sp);
	else
		swapcontext(&co->back, &co->self);
	return NULL;
}

static void co_main(struct co *co)
{
	while (co->next) {
		use_blocks(co->s, &co->d, 3, 700);
		run_step(co->next, &co->room);
		co->next = co->next->next;
		if (co->jumps)
			longjmp(co->out, 1);
		yield_co(co);
	}
	co->is_done = true;
	yield_co(co);
}

static void co_entry(unsigned int low, unsigned int high)
{
	co_main((struct co *)((uintptr_t)high << 32 | low));
}

/* Nothing is left above the first frame: who reads there reads beyond the stack. */
static void prepare_by_hand(struct co *co)
{
	void **sp = (void **)(((uintptr_t)co->place.base + co->place.size) & ~(uintptr_t)15);

	*--sp = (void *)zoo_start;
	*--sp = NULL;			  /* rbp */
	*--sp = NULL;			  /* rbx */
	*--sp = co;			  /* r12 */
	*--sp = (void *)co_main;	  /* r13 */
	*--sp = NULL;
	*--sp = NULL;
	co->sp = sp;
}

static bool begin_co(struct co *co, const struct step *s, const struct room *r, uint64_t seed)
{
	*co = (struct co){ .s = s, .next = s->body, .room = *r, .d = { .state = seed } };
	if (!place_take(&co->place, &co->d, r->can & CAN_QUIET))
		return false;
	co->room.stack = place_room(&co->place);
	co->by_hand = CAN_BY_HAND && draw_below(&co->d, 2);
	if (co->by_hand) {
		prepare_by_hand(co);
		return true;
	}
	getcontext(&co->self);
	co->self.uc_stack.ss_sp = co->place.base;
	co->self.uc_stack.ss_size = co->place.size;
	co->self.uc_link = &co->back;
	makecontext(&co->self, (void (*)(void))co_entry, 2, (unsigned int)(uintptr_t)co,
		    (unsigned int)((uintptr_t)co >> 32));
	return true;
}

static void resume_in_thread(const struct step *s, struct co *co)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, resume_co, co))
		resume_co(co);
	else
		note(s, (uint64_t)pthread_join(thread, NULL));
}

/* One or two coroutines by turns, until they end or are left. */
static void take_turns(const struct step *s, const struct room *r, struct co *co, unsigned int count)
{
	struct draw d = { .state = co->d.state + 1 };
	unsigned int turns = draw_below(&d, 3) ? 1000 : 1 + draw_below(&d, 2);
	bool migrates = r->can & CAN_THREAD && draw_below(&d, 3) == 0;

	while (turns--) {
		unsigned int ended = 0;

		for (unsigned int i = 0; i < count; i++) {
			ended += co[i].is_done;
			if (co[i].is_done)
				continue;
			if (migrates && draw_below(&d, 2))
				resume_in_thread(s, &co[i]);
			else
				resume_co(&co[i]);
			use_blocks(s, &d, 2, 500);
			if (draw_below(&d, 3) == 0)
				place_guard(&co[i].place, &d);
		}
		if (ended == count)
			return;
	}
}

static void leave_by_jump(struct co *co)
{
	co->jumps = true;
	if (_setjmp(co->out) == 0)
		resume_co(co);
}

void do_co(const struct step *s, const struct room *r)
{
	struct draw d = draw_of(s);
	unsigned int count = 1 + draw_below(&d, 2), made = 0;
	struct room inner = room_without(r, 0);
	struct co co[2];

	for (; made < count; made++)
		if (!begin_co(&co[made], s, &inner, draw(&d)))
			break;
	if (made && draw_below(&d, 5) == 0)
		leave_by_jump(&co[0]);
	else
		take_turns(s, r, co, made);
	for (unsigned int i = 0; i < made; i++)
		place_drop(&co[i].place, &d);
	use_blocks(s, &d, 3, 600);
}
