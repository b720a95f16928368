/* zoo.h -- what the parts of the random program share.
 *
 * A plan is a list of steps; each step is of a species, has a number from which it draws all its
 * sizes and choices, and may have a body: steps that are executed in the surroundings which the
 * species makes (another stack, thread, process, a handler ...). As text:
 *
 *	work:17 thread:4(fork:99(work:5) work:6)
 *
 * What a step observes goes into a sum that depends on no address, time or order. Every species
 * can be executed in any room; where it may not be, only its body is.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What is allowed where a step is executed. */
enum can {
	CAN_THREAD = 1 << 0,  /* make threads, use pthread functions */
	CAN_FORK = 1 << 1,    /* make processes */
	CAN_CHANGE = 1 << 2,  /* change what all of the process has: rights, limits, handlers */
	CAN_LOAD = 1 << 3,    /* dlopen */
	CAN_ALONE = 1 << 4,   /* no other thread runs: the order of all that happens is known */
	CAN_QUIET = 1 << 5,   /* no signal comes unasked: stacks may be small */
	CAN_ALL = (1 << 6) - 1,
};

struct room {
	unsigned int can;
	size_t stack; /* bytes that are left, about */
};

struct step {
	uint32_t arg;
	uint16_t id; /* place in the plan, from 1 on */
	uint8_t species;
	bool flag; /* for the species */
	struct step *body, *next;
};

struct species {
	const char *name;
	void (*run)(const struct step *s, const struct room *r);
	unsigned int needs; /* of room->can */
	size_t stack;       /* that must be left */
	unsigned int weight; /* among those that may be drawn */
	unsigned char body; /* most steps in its body, 0: it has none */
};

extern const struct species zoo_species[];
extern const unsigned int zoo_species_count;

/* ---- plan.c ---- */

enum { PLAN_STEPS = 400, PLAN_TEXT = 12000 };

/* plan_make -- the plan of a seed. NAME, if not NULL, is a species that it must contain. */
struct step *plan_make(uint64_t seed, const char *name);
/* plan_parse -- reads a plan, NULL where it is wrong. */
struct step *plan_parse(const char *text);
/* plan_put -- writes a plan to a text of SIZE bytes; false where it does not fit. */
bool plan_put(const struct step *list, char *text, size_t size);

/* ---- draw.c: random numbers, the sum ---- */

struct draw {
	uint64_t state;
};

struct draw draw_of(const struct step *s);
uint64_t draw(struct draw *d);
unsigned int draw_below(struct draw *d, unsigned int n);
/* draw_size -- mostly small, sometimes up to MOST. */
size_t draw_size(struct draw *d, size_t most);
uint64_t hash_of(uint64_t x);

extern _Atomic uint64_t zoo_sum;
extern bool zoo_trace;
extern const char *zoo_path; /* of this program, absolute */
extern const char *zoo_folder;

/* note -- step S observed VALUE; async-signal-safe. */
void note(const struct step *s, uint64_t value);
/* must -- notes whether a promise was kept; one that was not is also said on descriptor 2. */
void must(const struct step *s, bool kept, const char *what);
/* zoo_status -- the exit status that says the sum. */
int zoo_status(void);

/* ---- run.c ---- */

/* run_step, run_steps -- execute one, a list; run_body -- the body of S, in room R. */
void run_step(const struct step *s, const struct room *r);
void run_steps(const struct step *list, const struct room *r);
void run_body(const struct step *s, const struct room *r);
struct room room_without(const struct room *r, unsigned int can);
/* zoo_words -- the arguments of a process that goes on with LIST; TEXT has PLAN_TEXT bytes. */
void zoo_words(const struct step *list, char *text, char *sum, char *words[6]);

/* ---- blocks.c ---- */

/* use_blocks -- allocates and frees for step S, with COUNT actions, and notes what it saw. */
void use_blocks(const struct step *s, struct draw *d, unsigned int count, size_t most);
void do_work(const struct step *s, const struct room *r);
void do_family(const struct step *s, const struct room *r);
void do_libc(const struct step *s, const struct room *r);
void do_pool(const struct step *s, const struct room *r);

/* ---- frames.c ---- */

/* climb -- calls FN(ARG) under DEPTH frames of different sizes, which are drawn. */
void climb(unsigned int depth, struct draw *d, void (*fn)(void *), void *arg);
void do_deep(const struct step *s, const struct room *r);
void do_repeat(const struct step *s, const struct room *r);
void do_jump(const struct step *s, const struct room *r);
void do_jit(const struct step *s, const struct room *r);
void do_load(const struct step *s, const struct room *r);
void do_throw(const struct step *s, const struct room *r);

/* ---- place.c: stacks ---- */

struct place {
	char *base;
	size_t size;
	int kind, slot;
};

/* place_take -- a stack of SIZE bytes of a kind that is drawn; place_drop -- ends it, in a way
 * that is drawn. With !quiet no stack is small. False: there is none.
 */
bool place_take(struct place *p, struct draw *d, bool quiet);
void place_drop(struct place *p, struct draw *d);
void place_init(void);
/* place_guard -- moves a page without access; place_room -- bytes that can be counted on. */
void place_guard(struct place *p, struct draw *d);
size_t place_room(const struct place *p);

/* ---- the others ---- */

void do_thread(const struct step *s, const struct room *r);
void do_together(const struct step *s, const struct room *r);
void do_co(const struct step *s, const struct room *r);
void do_fork(const struct step *s, const struct room *r);
void do_share(const struct step *s, const struct room *r);
void do_orphan(const struct step *s, const struct room *r);
void do_headless(const struct step *s, const struct room *r);
void do_exec(const struct step *s, const struct room *r);
void do_signal(const struct step *s, const struct room *r);
void do_timer(const struct step *s, const struct room *r);
void do_harsh(const struct step *s, const struct room *r);
void do_map(const struct step *s, const struct room *r);
void signals_init(void);

/* signals_begin_child -- Forgets handlers of timers in other threads, which a forked child has not. */
void signals_begin_child(void);
/* threads_load -- has libc load now what it loads when a thread ends. */
void threads_load(void);

/* child_begin, child_end -- around what a forked child does: a sum of its own, an exit of a kind
 * that is drawn. child_wait -- waits for PID and notes how it ended.
 */
void child_begin(void);
_Noreturn void child_end(struct draw *d, bool is_plain);
void child_wait(const struct step *s, pid_t pid, int options);
/* signal_self -- a signal to the calling thread, also where libc does not know its number. */
void signal_self(int sig);
