/* recall.c -- the sites of stacks that a thread had before.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/tables/recall.h"

#include <stddef.h>
#include <string.h>

#include "libmemusage/base/hash.h"
#include "libmemusage/base/memory.h"
#include "libmemusage/image/coarse_clock.h"
#include "libmemusage/tables/sites.h"

/* Compiled once for the expected stack, once for the others. */
#define INLINE static inline __attribute__((always_inline))

#define WINDOW 512u	   /* events between two decisions whether recalling pays */
#define PAUSE (4 * WINDOW) /* events without it if it does not, and more the next times */
#define PAUSE_MOST (64 * WINDOW)
#define LOOK_MOST 64u
#define FIRST_LOG2 9 /* memos of a thread */
#define MOST_LOG2 13
#define WORDS 18u
#define NEXT 4u

/* A word has a value, and its distance outward from the innermost slot, in words. */
#define OFFSET_BITS 16
#define OFFSET_MASK ((UINT64_C(1) << OFFSET_BITS) - 1)

/* A stack that was found before: three cache lines, of which most need one or two. */
struct memo {
	uint64_t slot;	     /* the innermost; 0: unused */
	uint64_t bp;	     /* of the caller; 0: any */
	uint64_t outer_hash; /* of the frame outside all words, and ... */
	uint32_t outer_words; /* ... its distance from the innermost slot, in words, and ... */
	uint16_t kept;	      /* ... its number among the remembered frames, from 1 */
	uint8_t fn;
	uint8_t words;
	uint32_t site;
	uint32_t key; /* walk->key: of the rules and the labels */
	uint16_t next[NEXT]; /* the memos that followed this one, the last first */
	uint64_t word[WORDS];
};
_Static_assert(sizeof(struct memo) == 192, "a memo must be three cache lines");

/* Twice as many places follow the memos. */
struct recall {
	uint32_t log2; /* of the number of memos */
	uint32_t last; /* the stack of the last event */
	uint32_t used; /* the memo that was taken last; after all of them the oldest is next */
	uint32_t hits;
	uint16_t *place; /* by site and slot: the number of a memo */
	struct memo memo[] __attribute__((aligned(64))); /* the first means none */
};

/* ---- comparing ---------------------------------------------------------------------------- */

/* Returns whether the frames outside, which walk.c remembers, have not changed. The word with the
 * bp of the innermost of them is among the memo's words. */
INLINE bool outer_frames_hold(const struct walk *walk, uint32_t kept, uint64_t slot)
{
	uint64_t changed = 0;
	uint32_t i = 0;

	for (; i + 4 <= kept; i += 4) {
		const struct walk_frame *f = &walk->frame[i];

		changed |= (walk_word(f[0].slot) ^ f[0].pc) | (walk_word(f[1].slot) ^ f[1].pc) |
			   (walk_word(f[2].slot) ^ f[2].pc) | (walk_word(f[3].slot) ^ f[3].pc);
	}
	for (; i < kept; i++)
		changed |= walk_word(walk->frame[i].slot) ^ walk->frame[i].pc;
	for (i = 0; i < walk->checks && walk->check[i].frame < kept; i++)
		if (walk->check[i].frame + 1 < kept || !walk->check[i].is_bp)
			changed |= walk->check[i].at < slot ||
				   walk_word(walk->check[i].at) != walk->check[i].value;
	return !changed;
}

/* On another stack than the thread's own each word leads to the next, and a changed word leads
 * anywhere: so each address must be proved first. */
static __attribute__((noinline)) bool memo_holds_elsewhere(struct walk *walk,
							   const struct memo *memo, uint64_t slot)
{
	stack_memory_begin(&walk->stack, slot);
	for (unsigned int i = 0; i < memo->words; i++) {
		uint64_t address = slot + 8 * (memo->word[i] & OFFSET_MASK);

		if (!stack_memory_prove(&walk->stack, address) ||
		    walk_word(address) != memo->word[i] >> OFFSET_BITS)
			return false;
	}
	return walk_count_unchanged(walk, memo->kept) == memo->kept;
}

INLINE bool memo_holds(struct walk *walk, const struct memo *memo, unsigned int fn, uint64_t slot,
		       uint64_t bp)
{
	uint64_t changed = 0;

	if (memo->slot != slot || memo->fn != fn || memo->key != walk->key ||
	    memo->kept > walk->count || (memo->bp && memo->bp != bp))
		return false;
	const struct walk_frame *outer = &walk->frame[memo->kept - 1u];
	if (outer->slot != slot + 8 * (uint64_t)memo->outer_words ||
	    outer->hash != memo->outer_hash)
		return false;
	if (unlikely(!walk->stack.is_own))
		return memo_holds_elsewhere(walk, memo, slot);
	for (unsigned int i = 0; i < memo->words; i++)
		changed |= walk_word(slot + 8 * (memo->word[i] & OFFSET_MASK)) ^
			   memo->word[i] >> OFFSET_BITS;
	return !changed && outer_frames_hold(walk, memo->kept, slot);
}

/* ---- remembering --------------------------------------------------------------------------- */

static bool add_memo_word(struct memo *memo, unsigned int *words, uint64_t at, uint64_t value)
{
	uint64_t offset = (at - memo->slot) / 8;

	/* Words below the slot need not exist the next time. */
	if (*words == WORDS || at < memo->slot || offset > OFFSET_MASK ||
	    value >> (64 - OFFSET_BITS))
		return false;
	memo->word[(*words)++] = value << OFFSET_BITS | offset;
	return true;
}

/* Adds the words that decided how the frames were found, from the innermost outward to frame number
 * `least`, as many as the memo has room for. */
static bool add_memo_words(const struct walk *walk, struct memo *memo, uint32_t least)
{
	const struct walk_check *check = walk->check + walk->checks;
	unsigned int words = 0;
	bool fits = true;

	memo->kept = 0;
	if (check > walk->check && check[-1].frame == walk->count - 1 && check[-1].is_bp)
		check--;
	for (uint32_t i = walk->count - 1; i > 0 && i >= least; i--) {
		const struct walk_frame *frame = &walk->frame[i];

		fits = add_memo_word(memo, &words, frame->slot, frame->pc);
		for (; check > walk->check && check[-1].frame >= i - check[-1].is_bp; check--)
			fits = fits && add_memo_word(memo, &words, check[-1].at, check[-1].value);
		if (!fits)
			break;
		memo->kept = (uint16_t)i;
		memo->words = (uint8_t)words;
	}
	return memo->kept;
}

/* Returns whether all words are inside of a frame. Words farther out may not be stack the next
 * time, when only this frame is known to exist. */
static bool is_memo_inside(const struct memo *memo, uint64_t outer_slot)
{
	for (unsigned int i = 0; i < memo->words; i++)
		if (memo->slot + 8 * (memo->word[i] & OFFSET_MASK) > outer_slot)
			return false;
	return true;
}

static uint64_t recall_bytes(unsigned int log2)
{
	return sizeof(struct recall) +
	       ((sizeof(struct memo) + 2 * sizeof(uint16_t)) << log2);
}

static uint16_t *memo_place_of(const struct recall *recall, uint32_t site, uint64_t slot)
{
	uint64_t key = hash_spread(site ^ slot << 32);

	return &recall->place[key >> (63 - recall->log2)];
}

static struct recall *make_recall(unsigned int log2)
{
	struct recall *recall = memory_map(recall_bytes(log2));

	if (recall) {
		recall->log2 = log2;
		recall->place = (uint16_t *)&recall->memo[UINT64_C(1) << log2];
	}
	return recall;
}

static bool is_recall_full(const struct recall *recall)
{
	return recall->used == (UINT32_C(1) << recall->log2) - 1 && recall->log2 < MOST_LOG2;
}

/* Doubles the room, if there is memory for it. */
static struct recall *grow_recall(struct recall *recall)
{
	struct recall *bigger = make_recall(recall->log2 + 1);

	if (!bigger)
		return recall;
	bigger->last = recall->last;
	bigger->used = recall->used;
	bigger->hits = recall->hits;
	for (uint32_t i = 1; i <= recall->used; i++) {
		const struct memo *memo = &recall->memo[i];

		bigger->memo[i] = *memo;
		*memo_place_of(bigger, memo->site, memo->slot) = (uint16_t)i;
	}
	memory_unmap(recall, recall_bytes(recall->log2));
	return bigger;
}

/* The memo of a stack of this site at this slot; takes one if it has none. */
static uint32_t find_or_take_memo(struct recall *recall, uint32_t site, uint64_t slot)
{
	uint16_t *place = memo_place_of(recall, site, slot);
	struct memo *memo = &recall->memo[*place];

	if (memo->slot == slot && memo->site == site)
		return *place;
	recall->used = recall->used % ((UINT32_C(1) << recall->log2) - 1) + 1;
	*place = (uint16_t)recall->used;
	memo = &recall->memo[recall->used];
	memo->slot = slot;
	memo->site = site;
	memo->kept = UINT16_MAX;
	memset(memo->next, 0, sizeof(memo->next));
	return recall->used;
}

/* Remembers the stack that walk_stack() just found, if it can be recalled. Returns its memo. */
static uint32_t remember_stack(struct walk *walk, unsigned int fn, uint64_t slot, uint64_t bp,
			       uint32_t site)
{
	if (!site || !walk->generation || walk->count < 2)
		return 0;
	if (is_recall_full(walk->recall) && !walk->known_only)
		walk->recall = grow_recall(walk->recall);
	uint32_t number = find_or_take_memo(walk->recall, site, slot);
	struct memo *memo = &walk->recall->memo[number];
	/* Outside of a memo that did not hold, frames may have changed, and may change again. */
	if (!add_memo_words(walk, memo, memo->kept < walk->kept ? memo->kept : walk->kept)) {
		memo->slot = 0;
		return 0;
	}
	const struct walk_frame *outer = &walk->frame[memo->kept - 1u];
	if (!is_memo_inside(memo, outer->slot)) {
		memo->slot = 0;
		return 0;
	}
	memo->bp = walk_uses_bp(walk, walk->count - 1) ? bp : 0;
	memo->outer_hash = outer->hash;
	memo->outer_words = (uint32_t)((outer->slot - slot) / 8);
	memo->fn = (uint8_t)fn;
	memo->key = walk->key;
	return number;
}

/* ---- now and then --------------------------------------------------------------------------- */

/* Decides whether to recall. If most of a thread's stacks are new, it is faster to unwind them. */
static void judge_recall(struct walk *walk)
{
	bool pays = walk->recalls && walk->recall->hits >= WINDOW / 2;

	if (pays || !walk->pause)
		walk->pause = PAUSE;
	if (!walk->recall)
		walk->recall = make_recall(FIRST_LOG2);
	if (!walk->recall || (walk->recalls && !pays)) {
		walk->recalls = false;
		walk->judge_in = walk->pause;
		if (walk->pause < PAUSE_MOST)
			walk->pause *= 2;
		return;
	}
	walk->recalls = true;
	walk->judge_in = WINDOW;
	walk->recall->hits = 0;
}

/* Reads the clock for every 64th event, or more often if events take long. */
static __attribute__((noinline)) void look_at_clock(struct walk *walk)
{
	/* The plugin must not leave the recorder, nor map memory. */
	if (walk->known_only) {
		walk->look_in = 0;
		return;
	}
	uint64_t tick = coarse_clock_advance();
	uint32_t most = walk->judge_in < LOOK_MOST ? walk->judge_in : LOOK_MOST;

	walk->look_every = tick == walk->look_tick && walk->look_every ? 2 * walk->look_every : 1;
	if (walk->look_every > most)
		walk->look_every = most;
	walk->look_tick = tick;
	walk->look_in = walk->look_every;
	walk->judge_in -= walk->look_every;
	if (!walk->judge_in)
		judge_recall(walk);
}

/* Moves the i-th follower of a memo to the front; a new one replaces the last. */
static void move_to_front(struct memo *memo, unsigned int i, uint32_t number)
{
	for (; i > 0; i--)
		memo->next[i] = memo->next[i - 1];
	memo->next[0] = (uint16_t)number;
}

/* The site of a stack that was not the expected one. */
static __attribute__((noinline)) uint32_t find_other_stack(struct thread *thread, unsigned int fn,
							   uint64_t slot, uint64_t bp)
{
	struct walk *walk = thread->walk;
	struct recall *recall = walk->recall;
	struct memo *from = &recall->memo[recall->last];

	for (unsigned int i = 1; i < NEXT; i++) {
		uint32_t number = from->next[i];

		if (memo_holds(walk, &recall->memo[number], fn, slot, bp)) {
			move_to_front(from, i, number);
			recall->last = number;
			return recall->memo[number].site;
		}
	}
	uint32_t site = sites_find(walk_stack(thread, slot, bp), fn);
	uint32_t before = recall->last, now = remember_stack(walk, fn, slot, bp, site);
	recall = walk->recall;
	move_to_front(&recall->memo[before], NEXT - 1, now);
	recall->last = now;
	return site;
}

uint32_t recall_site(struct thread *thread, unsigned int fn, uint64_t slot, uint64_t bp)
{
	struct walk *walk = thread->walk;

	if (unlikely(!walk) || unlikely(!walk_is_on(walk, slot)))
		return sites_find(walk_stack(thread, slot, bp), fn);
	if (unlikely(walk->look_in-- == 0))
		look_at_clock(walk);
	if (!walk->recalls)
		return sites_find(walk_stack(thread, slot, bp), fn);
	struct recall *recall = walk->recall;
	uint32_t number = recall->memo[recall->last].next[0];
	const struct memo *memo = &recall->memo[number];
	sites_fetch(thread, memo->site);
	if (unlikely(!memo_holds(walk, memo, fn, slot, bp)))
		return find_other_stack(thread, fn, slot, bp);
	const struct memo *next = &recall->memo[memo->next[0]];
	__builtin_prefetch(next);
	__builtin_prefetch(&next->word[WORDS - 1]);
	recall->last = number;
	recall->hits++;
	return memo->site;
}
