/* verify.c -- holds every call stack that the recorder finds against libunwind's.
 *
 * Linked into a second libmemusage.so with --wrap of walk_stack, recall_site, walk_forget and
 * image_begin, by tests/real/unwind.t. A stack that was recalled is held against it as its site has
 * it: what the recorder remembers stays as it would be. The file named by MEMUSAGE_VERIFY, of at
 * least a page, is mapped by every process and counts what all of them found; the first differences
 * are written to descriptor 2. With MEMUSAGE_VERIFY_ALL set the marked ones are shown too; with
 * MEMUSAGE_VERIFY_STOP the first that is shown aborts.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#define UNW_LOCAL_ONLY
#include <libunwind.h>

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libmemusage/image/arena.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/lifecycle/image.h"
#include "libmemusage/tables/recall.h"
#include "libmemusage/unwind/walk.h"

enum { DEPTH = 1400, SHOWN = 12 };

/* unwind.t reads these in this order. */
static struct counts {
	uint64_t same;      /* frame by frame what libunwind found */
	uint64_t marked;    /* ends earlier, and is flagged as truncated or cut */
	uint64_t guessed;   /* not so, but flagged as found without tables */
	uint64_t different; /* not so, and not flagged */
	uint64_t longer;    /* ours goes on where libunwind gave up */
	uint64_t unknown;   /* no stack at all: no memory, or a stack without bounds */
	uint64_t recalled;  /* of all these */
	uint64_t shown;
} none, *counts = &none;

static __thread void *theirs[DEPTH];
static __thread bool inside;
static __thread bool is_walked; /* by the present event */

/* A stack as the recorder has it, innermost first. */
static __thread struct ours {
	uint64_t pc[WALK_FRAMES];
	uint32_t count;
	uint8_t flags;
} ours;

uint32_t __real_recall_site(struct thread *thread, unsigned int fn, uint64_t slot, uint64_t bp);
uint32_t __wrap_recall_site(struct thread *thread, unsigned int fn, uint64_t slot, uint64_t bp);

struct walk *__real_walk_stack(struct thread *thread, uint64_t slot, uint64_t bp);
struct walk *__wrap_walk_stack(struct thread *thread, uint64_t slot, uint64_t bp);
bool __real_image_begin(const struct slot *slot);
bool __wrap_image_begin(const struct slot *slot);
void __real_walk_forget(void);
void __wrap_walk_forget(void);

static void count(uint64_t *what)
{
	__atomic_fetch_add(what, 1, __ATOMIC_RELAXED);
}

/* How many frames from the inside are the same; *n is libunwind's number of them. */
static uint32_t equal_frames(int *n)
{
	int first = 0;
	uint32_t same = 0;

	while (first < *n && (uint64_t)theirs[first] != ours.pc[0])
		first++;
	*n -= first;
	while (*n > 0 && !theirs[first + *n - 1])
		--*n;
	while (same < ours.count && (int)same < *n &&
	       (uint64_t)theirs[first + (int)same] == ours.pc[same])
		same++;
	return same;
}

/* Without libunwind's own cache of frames, which knows nothing of some kinds. */
static int slow_backtrace(void)
{
	unw_context_t context;
	unw_cursor_t cursor;
	int n = 0;

	if (unw_getcontext(&context) || unw_init_local(&cursor, &context))
		return 0;
	do {
		unw_word_t ip = 0;
		unw_get_reg(&cursor, UNW_REG_IP, &ip);
		theirs[n++] = (void *)ip;
	} while (n < DEPTH && unw_step(&cursor) > 0);
	return n;
}

static void say(const char *text, int length)
{
	if (write(2, text, (size_t)length) != length)
		return;
}

static void show(int n, uint32_t same)
{
	char line[256];

	if (__atomic_fetch_add(&counts->shown, 1, __ATOMIC_RELAXED) >= SHOWN)
		return;
	say(line, snprintf(line, sizeof(line),
			   "verify: %s[%d]: %u frames%s, libunwind %d, equal %u, flags %u\n",
			   program_invocation_short_name, (int)getpid(), ours.count,
			   is_walked ? "" : " recalled", n, same, ours.flags));
	for (uint32_t i = same > 3 ? same - 3 : 0; i < same + 3; i++) {
		int at = 0;
		while (at < DEPTH && (uint64_t)theirs[at] != ours.pc[0])
			at++;
		uint64_t pc = i < ours.count ? ours.pc[i] : 0;
		void *their = at + (int)i < DEPTH && (int)i < n ? theirs[at + (int)i] : NULL;
		say(line, snprintf(line, sizeof(line), "verify:   %u: ours %#lx theirs %p\n", i, pc,
				   their));
	}
	if (getenv("MEMUSAGE_VERIFY_STOP"))
		abort();
}

/* A site has no frames of the recorder: what its functions for others call may allocate. */
static int without_own(int n)
{
	extern const char __ehdr_start[], _end[] __attribute__((visibility("hidden")));
	int kept = 0;

	for (int i = 0; i < n; i++)
		if (is_walked || (const char *)theirs[i] < __ehdr_start ||
		    (const char *)theirs[i] >= _end)
			theirs[kept++] = theirs[i];
	return kept;
}

static void judge(void)
{
	uint32_t same;
	int n = without_own(unw_backtrace(theirs, DEPTH));

	same = equal_frames(&n);
	if (same != ours.count || (int)same != n) {
		n = without_own(slow_backtrace());
		same = equal_frames(&n);
	}
	uint64_t *what = &counts->different;
	if (same == ours.count && (int)same == n)
		what = &counts->same;
	else if (same == ours.count && ours.flags)
		what = &counts->marked;
	else if (ours.flags & MU_STACK_NO_CFI)
		what = &counts->guessed;
	else if ((int)same == n && n > 0)
		what = &counts->longer;
	count(what);
	if (what != &counts->same && (what == &counts->different || getenv("MEMUSAGE_VERIFY_ALL")))
		show(n, same);
}

static void take_walk(const struct walk *walk)
{
	ours.count = walk->count;
	ours.flags = walk->flags[walk->count - 1];
	for (uint32_t i = 0; i < walk->count; i++)
		ours.pc[i] = walk->frame[walk->count - 1 - i].pc;
}

static const void *entry(unsigned int section, uint32_t number)
{
	return arena_table_at(&rec.image->table[section], number);
}

static void take_site(uint32_t number)
{
	const struct mu_site *site = entry(MU_SEC_SITES, number);
	const struct mu_stack *stack = entry(MU_SEC_STACKS, site->stack);

	ours.count = 0;
	ours.flags = (uint8_t)stack->flags;
	for (uint32_t at = stack->frame; at && ours.count < WALK_FRAMES;) {
		const struct mu_frame *frame = entry(MU_SEC_FRAMES, at);

		ours.pc[ours.count++] = frame->pc;
		at = frame->parent;
	}
}

struct walk *__wrap_walk_stack(struct thread *thread, uint64_t slot, uint64_t bp)
{
	struct walk *walk = __real_walk_stack(thread, slot, bp);

	if (inside)
		return walk;
	inside = is_walked = true;
	if (!walk || !walk->count) {
		count(&counts->unknown);
	} else if (walk->frame[walk->count - 1].slot != slot) {
		count(&counts->different);
	} else {
		take_walk(walk);
		judge();
	}
	inside = false;
	return walk;
}

uint32_t __wrap_recall_site(struct thread *thread, unsigned int fn, uint64_t slot, uint64_t bp)
{
	is_walked = false;
	uint32_t site = __real_recall_site(thread, fn, slot, bp);

	if (inside || is_walked)
		return site;
	inside = true;
	count(&counts->recalled);
	take_site(site);
	judge();
	inside = false;
	return site;
}

/* libunwind does not notice that an object was closed: it would take the rows of the former one. */
void __wrap_walk_forget(void)
{
	__real_walk_forget();
	unw_flush_cache(unw_local_addr_space, 0, 0);
}

bool __wrap_image_begin(const struct slot *slot)
{
	const char *name = getenv("MEMUSAGE_VERIFY");
	int fd = name && counts == &none ? open(name, O_RDWR | O_CLOEXEC) : -1;

	if (fd >= 0) {
		void *map = mmap(NULL, MU_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (map != MAP_FAILED)
			counts = map;
		close(fd);
	}
	rec.flags |= MU_CFG_STACKS;
	return __real_image_begin(slot);
}
