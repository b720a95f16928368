/* recall.c -- sites of stacks that were had before.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/recall.h"

#include <stddef.h>

#include "libmemusage/sites.h"

#define PROBES 6
#define WINDOW 512u /* events after which it is judged whether looking pays */
#define PAUSE (16 * WINDOW) /* ... in which it does not */

static uint64_t word_at(uint64_t address)
{
	return *(const uint64_t *)address;
}

static uint64_t key_of(uint64_t key, uint64_t word)
{
	return (key ^ word) * UINT64_C(0x9E3779B97F4A7C15);
}

/* ---- which memo ---------------------------------------------------------------------------
 *
 * Many stacks may have the innermost return address at the same place: those of all callers of a
 * program's own xmalloc(). They differ first at some frame outside, and up to there their return
 * addresses lie at the same places. So the key begins with the innermost one, and where two stacks
 * met that have the same key, a probe says how far outside the next word for the key is. */

#define PLACE(key, log2) ((key) >> (64 - (log2)))

static uint16_t tag_of(uint64_t key)
{
	return (uint16_t)(key >> 32 | 1);
}

static struct walk_memo *memo_of(struct walk *walk, unsigned int fn, uint64_t slot)
{
	uint64_t key = key_of(slot + fn, word_at(slot));

	for (int i = 0; i < PROBES; i++) {
		const struct walk_probe *probe = &walk->probe[PLACE(key, WALK_PROBES_LOG2)];
		uint64_t at = slot + 8 * (uint64_t)probe->words;

		if (probe->tag != tag_of(key) || unlikely(at + 8 > walk->high))
			break;
		key = key_of(key, word_at(at));
	}
	return &walk->memo[PLACE(key, WALK_MEMOS_LOG2)];
}

/* The return address that a memo has at a place, 0 none. */
static uint64_t value_at(const struct walk_memo *memo, uint64_t at)
{
	for (unsigned int i = 0; i < memo->words; i++)
		if (memo->word[i].at == at)
			return memo->word[i].value;
	return 0;
}

/* Words from the slot to the first return address outside `beyond` that the memo does not share; of
 * any if there is no memo. 0: none. */
static uint16_t difference(const struct walk *walk, const struct walk_memo *memo, uint64_t beyond)
{
	for (uint32_t i = 1; i < walk->fresh; i++) {
		uint64_t at = walk->new[i].slot, words = (at - walk->new[0].slot) / 8;

		if (at > beyond && (!memo || value_at(memo, at) != walk->new[i].pc))
			return words <= UINT16_MAX ? (uint16_t)words : 0;
	}
	return 0;
}

static bool is_new_frame(const struct walk *walk, uint64_t at)
{
	uint32_t i = 0;

	while (i < walk->fresh && walk->new[i].slot != at)
		i++;
	return i < walk->fresh;
}

/* What the key goes on with, for the stack just found. A probe that hits something else than a
 * return address came from stacks that differ further outside: the next frame is tried instead.
 * Returns words from the slot, 0 if the key ends here. */
static uint16_t split(struct walk *walk, uint64_t key, unsigned int fn, uint64_t slot, uint64_t at)
{
	struct walk_probe *probe = &walk->probe[PLACE(key, WALK_PROBES_LOG2)];
	const struct walk_memo *memo = &walk->memo[PLACE(key, WALK_MEMOS_LOG2)];

	if (probe->tag == tag_of(key)) {
		if (!is_new_frame(walk, slot + 8 * (uint64_t)probe->words))
			probe->words = difference(walk, NULL, at);
	} else if (!probe->tag && memo->slot == slot && memo->fn == fn) {
		probe->words = difference(walk, memo, at);
	} else {
		return 0;
	}
	probe->tag = probe->words ? tag_of(key) : 0;
	return probe->words;
}

/* The memo for the stack just found. */
static struct walk_memo *memo_for(struct walk *walk, unsigned int fn, uint64_t slot)
{
	uint64_t key = key_of(slot + fn, word_at(slot)), at = slot;

	for (int i = 0; i < PROBES; i++) {
		uint16_t words = split(walk, key, fn, slot, at);

		if (!words)
			break;
		at = slot + 8 * (uint64_t)words;
		key = key_of(key, word_at(at));
	}
	return &walk->memo[PLACE(key, WALK_MEMOS_LOG2)];
}

/* ---- is it the same ----------------------------------------------------------------------- */

/* Whether the frames outside, which walk.c remembers, stand as they did. */
static bool outer_stands(const struct walk *walk, uint32_t kept, uint64_t slot)
{
	uint64_t changed = 0;
	uint32_t i = 0;

	for (; i + 4 <= kept; i += 4) {
		const struct walk_frame *f = &walk->frame[i];

		changed |= (word_at(f[0].slot) ^ f[0].pc) | (word_at(f[1].slot) ^ f[1].pc) |
			   (word_at(f[2].slot) ^ f[2].pc) | (word_at(f[3].slot) ^ f[3].pc);
	}
	for (; i < kept; i++)
		changed |= word_at(walk->frame[i].slot) ^ walk->frame[i].pc;
	for (i = 0; i < walk->checks && walk->check[i].frame < kept; i++)
		changed |= walk->check[i].at < slot ||
			   word_at(walk->check[i].at) != walk->check[i].value;
	return !changed;
}

static bool holds(const struct walk *walk, const struct walk_memo *memo, unsigned int fn,
		  uint64_t slot, uint64_t bp)
{
	uint64_t changed = 0;

	if (memo->slot != slot || memo->fn != fn || memo->generation != walk->generation ||
	    memo->kept > walk->count)
		return false;
	const struct walk_frame *outer = &walk->frame[memo->kept - 1u];
	if (outer->slot != memo->outer_slot || outer->hash != memo->outer_hash ||
	    (memo->needs_bp && memo->bp != bp))
		return false;
	for (unsigned int i = 0; i < memo->words; i++)
		changed |= word_at(memo->word[i].at) ^ memo->word[i].value;
	return !changed && outer_stands(walk, memo->kept, slot);
}

static void add_word(struct walk_memo *memo, uint64_t at, uint64_t value)
{
	/* Words that need not be there next time make no memo. */
	if (memo->words >= WALK_MEMO_WORDS || at < memo->slot || at >= memo->outer_slot)
		memo->words = WALK_MEMO_WORDS + 1;
	else
		memo->word[memo->words++] = (struct walk_word){ at, value };
}

/* ---- remembering --------------------------------------------------------------------------- */

/* The words that decided how the new frames were found, as remember() in walk.c has it. */
static void add_words(const struct walk *walk, struct walk_memo *memo)
{
	bool depends = walk_uses_bp(walk, memo->kept - 1u);

	if (depends && !walk->new[walk->fresh - 1].keeps_bp)
		add_word(memo, walk->joined_bp_at, walk->frame[memo->kept - 1u].bp);
	for (uint32_t i = walk->fresh; i-- > 0;) {
		const struct walk_new *new = &walk->new[i];

		depends = new->needs_bp || (new->keeps_bp && depends);
		add_word(memo, new->slot, new->pc);
		if (new->drap_at)
			add_word(memo, new->drap_at, new->drap_value);
		if (depends && new->bp_at)
			add_word(memo, new->bp_at, new->bp);
	}
	memo->needs_bp = depends && !walk->new[0].bp_at;
}

/* What walk_stack() just found, if it can be found so again. */
static void keep(struct walk *walk, unsigned int fn, uint64_t slot, uint64_t bp, uint32_t site)
{
	uint32_t kept = walk->count - walk->fresh;

	if (!walk->fresh || !kept || !site || walk->fresh > WALK_MEMO_WORDS)
		return;
	struct walk_memo *memo = memo_for(walk, fn, slot);
	memo->outer_slot = walk->frame[kept - 1].slot;
	memo->outer_hash = walk->frame[kept - 1].hash;
	memo->bp = bp;
	memo->site = site;
	memo->kept = (uint16_t)kept;
	memo->fn = (uint8_t)fn;
	memo->words = 0;
	memo->generation = walk->generation;
	memo->slot = slot;
	add_words(walk, memo);
	if (memo->words > WALK_MEMO_WORDS)
		memo->slot = 0;
}

/* A thread most of whose stacks are new had better unwind them at once, most of the time. */
static __attribute__((noinline)) void judge(struct walk *walk)
{
	walk->recalls = !walk->recalls || walk->recall_hits >= WINDOW / 8 * 5;
	walk->recall_left = walk->recalls ? WINDOW : PAUSE;
	walk->recall_hits = 0;
}

uint32_t recall_site(struct thread *thread, unsigned int fn, uint64_t slot, uint64_t bp)
{
	struct walk *walk = thread->walk;
	struct walk_memo *memo;
	uint32_t site;

	if (unlikely(!walk) || unlikely(!walk_is_on(walk, slot)))
		return sites_find(walk_stack(thread, slot, bp), fn);
	if (unlikely(walk->recall_left-- == 0))
		judge(walk);
	if (!walk->recalls)
		return sites_find(walk_stack(thread, slot, bp), fn);
	memo = memo_of(walk, fn, slot);
	if (likely(holds(walk, memo, fn, slot, bp))) {
		walk->recall_hits++;
		return memo->site;
	}
	walk = walk_stack(thread, slot, bp);
	site = sites_find(walk, fn);
	if (likely(walk))
		keep(walk, fn, slot, bp, site);
	return site;
}
