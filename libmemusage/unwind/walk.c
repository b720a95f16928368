/* walk.c -- the verified stack cache.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/unwind/walk.h"

#include <stddef.h>

#include "libmemusage/base/memory.h"
#include "libmemusage/unwind/cfi.h"
#include "libmemusage/unwind/rules.h"
#include "libmemusage/unwind/walk_slow.h"

/* A walk takes up to 1 KiB of the stack. A handler's may be just as large as it needs. */
#define ROOM_LEAST (UINT64_C(2) << 10)
#define UNWIND_CUT 255 /* no value of enum rule_type: too many frames */

uint32_t walk_generation = 1;

static void mark_uses_bp(struct walk *walk, uint32_t frame, bool value)
{
	uint64_t bit = UINT64_C(1) << (frame % 64);

	if (value)
		walk->uses_bp[frame / 64] |= bit;
	else
		walk->uses_bp[frame / 64] &= ~bit;
}

/* Returns how many remembered frames on the thread's own stack, from the outermost, are unchanged.
 * Inner frames that have returned are below the present slot. */
static uint32_t count_unchanged_own(const struct walk *walk, uint64_t slot)
{
	uint32_t count = walk->count;
	uint32_t same = 0;

	while (count && walk->frame[count - 1].slot < slot)
		count--;
	for (; same + 4 <= count; same += 4) {
		const struct walk_frame *f = &walk->frame[same];
		if ((walk_word(f[0].slot) ^ f[0].pc) | (walk_word(f[1].slot) ^ f[1].pc) |
		    (walk_word(f[2].slot) ^ f[2].pc) | (walk_word(f[3].slot) ^ f[3].pc))
			break;
	}
	while (same < count && walk_word(walk->frame[same].slot) == walk->frame[same].pc)
		same++;
	for (uint32_t i = 0; i < walk->checks && walk->check[i].frame < same; i++)
		if (walk->check[i].at < slot ||
		    walk_word(walk->check[i].at) != walk->check[i].value)
			return walk->check[i].frame;
	return same;
}

uint32_t walk_count_unchanged(struct walk *walk, uint32_t joint)
{
	for (uint32_t i = joint; i > 0; i--)
		if (!stack_memory_prove(&walk->stack, walk->frame[i - 1].slot) ||
		    walk_word(walk->frame[i - 1].slot) != walk->frame[i - 1].pc)
			return i - 1;
	for (uint32_t i = 0; i < walk->checks && walk->check[i].frame < joint; i++) {
		const struct walk_check *check = &walk->check[i];

		/* The bp of the joint is right, no matter where it was read. */
		if (check->frame == joint - 1 && check->is_bp)
			continue;
		if (!stack_memory_prove(&walk->stack, check->at) ||
		    walk_word(check->at) != check->value)
			return check->frame;
	}
	return joint;
}

/* The frame to which a step leads. */
struct walk_position {
	uint64_t slot, bp;
	uint64_t bp_at; /* 0: bp is the inner frame's */
};

static inline bool step_frame_pointer(struct stack_view *stack, const struct rule *rule,
				      uint64_t cfa, struct walk_position *at)
{
	uint64_t source;

	if (rule->bp_kind == RULE_BP_SAME) {
		at->bp_at = 0;
		return true;
	}
	source = rule->bp_kind == RULE_BP_AT_CFA ? cfa + (uint64_t)(int64_t)rule->bp
						 : at->bp + (uint64_t)(int64_t)rule->bp;
	if (!stack_memory_prove(stack, source))
		return false;
	at->bp = walk_word(source);
	at->bp_at = source;
	return true;
}

/* Goes from a frame to its caller. Returns false if the stack cannot be followed further. */
static inline bool step_to_caller(struct stack_view *stack, struct walk_new *frame,
				  struct walk_position *at, struct rule rule)
{
	uint64_t sp = frame->slot + 8;
	uint64_t cfa;

	frame->needs_bp = rule.type != RULE_SP;
	frame->keeps_bp = rule.bp_kind == RULE_BP_SAME;
	switch (rule.type) {
	case RULE_SP:
		cfa = sp + (uint64_t)(int64_t)rule.cfa;
		break;
	case RULE_BP:
		cfa = at->bp + (uint64_t)(int64_t)rule.cfa;
		break;
	case RULE_DRAP:
		frame->drap_at = at->bp + (uint64_t)(int64_t)rule.cfa;
		if (!stack_memory_prove(stack, frame->drap_at))
			return false;
		cfa = frame->drap_value = walk_word(frame->drap_at);
		break;
	case RULE_NONE:
		/* Code without tables (JIT): use the frame pointer if it can be one. */
		frame->is_guess = true;
		if (at->bp < sp)
			return false;
		cfa = at->bp + 16;
		rule = (struct rule){ .bp = -16, .bp_kind = RULE_BP_AT_CFA };
		frame->keeps_bp = false;
		break;
	default:
		return false;
	}
	if (cfa <= frame->slot || !stack_memory_prove(stack, cfa - 8) ||
	    !step_frame_pointer(stack, &rule, cfa, at))
		return false;
	at->slot = cfa - 8;
	return true;
}

/* Returns the remembered frame at this slot, if all that decides its outside is unchanged, or 0.
 * `k` goes from the inside outward with the walk. */
static inline uint32_t find_met_frame(const struct walk *walk, const struct walk_position *at,
				      uint32_t *k)
{
	while (*k && walk->frame[*k - 1].slot < at->slot)
		--*k;
	if (*k && walk->frame[*k - 1].slot == at->slot &&
	    (!walk_uses_bp(walk, *k - 1) || walk->frame[*k - 1].bp == at->bp))
		return *k;
	return 0;
}

static void append_check(struct walk *walk, uint64_t at, uint64_t value, uint32_t frame, bool is_bp)
{
	if (walk->checks < WALK_CHECKS)
		walk->check[walk->checks++] = (struct walk_check){ at, value, frame, is_bp };
	else
		walk->generation = 0; /* cannot be verified: not used next time */
}

static uint64_t mix_hash(uint64_t hash, uint64_t pc)
{
	hash = (hash ^ pc) * UINT64_C(0x9E3779B97F4A7C15);
	return hash ^ hash >> 29;
}

/* The outermost new frame may have saved bp elsewhere than its predecessor. */
static void renew_join_check(struct walk *walk, uint32_t frame)
{
	const struct walk_check *last = &walk->check[walk->checks - 1];

	if (walk->checks && last->frame == frame && last->is_bp)
		walk->checks--;
	if (walk->joined_bp_at)
		append_check(walk, walk->joined_bp_at, walk->frame[frame].bp, frame, true);
}

/* Adds the new frames, outermost of them first, to what is remembered.
 *
 * base  flags of a stack of which nothing was kept. */
static void remember_frames(struct walk *walk, uint32_t kept, uint32_t fresh, uint8_t base)
{
	uint64_t hash = kept ? walk->frame[kept - 1].hash : 0;
	uint8_t flags = kept ? walk->flags[kept - 1] : base;
	bool depends = kept && walk_uses_bp(walk, kept - 1);

	while (walk->checks && walk->check[walk->checks - 1].frame >= kept)
		walk->checks--;
	if (depends)
		renew_join_check(walk, kept - 1);
	for (uint32_t i = fresh; i-- > 0;) {
		const struct walk_new *new = &walk->new[i];
		uint32_t index = kept + fresh - 1 - i;
		depends = new->needs_bp || (new->keeps_bp && depends);
		hash = mix_hash(hash, new->pc);
		flags |= new->is_guess ? MU_STACK_NO_CFI : 0;
		walk->frame[index] = (struct walk_frame){ new->slot, new->pc, new->bp, hash };
		walk->flags[index] = flags;
		mark_uses_bp(walk, index, depends);
		if (new->drap_at)
			append_check(walk, new->drap_at, new->drap_value, index, false);
		if (depends && new->bp_at)
			append_check(walk, new->bp_at, new->bp, index, true);
	}
	walk->count = kept + fresh;
	walk->kept = kept;
}

/* A stack with a frame that needs other registers: nothing of it is reused. */
static void walk_all_registers(struct walk *walk, uint64_t slot)
{
	uint8_t flags = 0;
	unsigned int fresh = walk_slow(walk, slot, &flags);

	remember_frames(walk, 0, fresh, flags);
	walk->generation = 0;
}

/* Only the innermost frame, where the stack has no room for a walk: nothing of it is reused. */
static void take_innermost_frame(struct walk *walk, uint64_t slot)
{
	walk->new[0] = (struct walk_new){ .slot = slot, .pc = walk_word(slot) };
	remember_frames(walk, 0, 1, MU_STACK_TRUNCATED);
	walk->generation = 0;
}

/* As find_met_frame(), on a stack other than the thread's own: nothing was compared before. */
static __attribute__((noinline)) uint32_t
find_met_frame_elsewhere(struct walk *walk, const struct walk_position *at, uint32_t *k)
{
	uint32_t met = find_met_frame(walk, at, k);

	if (!met)
		return 0;
	*k = walk_count_unchanged(walk, met);
	return *k == met ? met : 0;
}

/* Unwinds from the inside. Returns the number of new frames; *joined is the number of remembered
 * frames that stay, of the outermost `some`; *end the rule type that ended the walk if none do. */
static uint32_t unwind_frames(struct walk *walk, struct walk_position at, uint32_t some,
			      uint32_t most, uint32_t *joined, uint8_t *end)
{
	uint32_t n = 0;
	uint32_t k = some;

	stack_memory_begin(&walk->stack, at.slot);
	*end = RULE_END;
	while (n < most) {
		*joined = likely(walk->stack.is_own) ? find_met_frame(walk, &at, &k)
						     : find_met_frame_elsewhere(walk, &at, &k);
		uint64_t pc = walk_word(at.slot);
		if (*joined || !pc) {
			walk->joined_bp_at = at.bp_at;
			return n;
		}
		struct walk_new *frame = &walk->new[n++];
		/* Field by field: compilers zero a whole one by "rep stos", which costs more
		 * than all the rest. */
		frame->slot = at.slot;
		frame->pc = pc;
		frame->bp = at.bp;
		frame->bp_at = at.bp_at;
		frame->drap_at = 0;
		frame->is_guess = false;
		struct rule rule = rules_of(pc);
		if (!step_to_caller(&walk->stack, frame, &at, rule)) {
			/* ld.so's start has no tables; bp is 0 there, as the psABI wants it. */
			*end = rule.type == RULE_NONE && !at.bp ? RULE_END : rule.type;
			return n;
		}
	}
	*joined = 0;
	*end = UNWIND_CUT;
	return n;
}

static struct walk *walk_of_thread(struct thread *thread)
{
	if (!thread->walk) {
		thread->walk = memory_map(sizeof(struct walk));
		if (thread->walk) {
			thread->walk->judge_in = WALK_JUDGED_AFTER;
			thread->walk->label = thread->label;
		}
	}
	return thread->walk;
}

static bool is_within_stack(const struct walk *walk, uint64_t address)
{
	return walk->stack.low <= address && address < walk->stack.high;
}

/* The frames on the thread's own stack are the outermost ones that stay remembered. */
static void forget_other_stacks(struct walk *walk)
{
	uint32_t same = 0;

	while (same < walk->count && is_within_stack(walk, walk->frame[same].slot))
		same++;
	for (uint32_t i = 0; i < walk->checks && walk->check[i].frame < same; i++)
		if (!is_within_stack(walk, walk->check[i].at))
			same = walk->check[i].frame;
	walk->count = same;
	while (walk->checks && walk->check[walk->checks - 1].frame >= same)
		walk->checks--;
}

/* Makes what is remembered belong to the stack that `slot` is on. */
static void switch_to_stack(struct thread *thread, struct walk *walk, uint64_t slot)
{
	uint32_t now = __atomic_load_n(&walk_generation, __ATOMIC_ACQUIRE);

	if (likely(walk_is_on(walk, slot)))
		return;
	if (walk->generation != now)
		walk->count = walk->checks = 0;
	walk->generation = now;
	walk_renew_key(walk);
	stack_memory_enter(thread, &walk->stack, slot);
	/* Remembered frames of other stacks may be gone: there is no proof for them. */
	if (walk->stack.is_own)
		forget_other_stacks(walk);
}

/* Returns the flags of a stack, from the end of its walk. */
static uint8_t flags_for_end(uint8_t end)
{
	return end == RULE_END ? 0 : end == UNWIND_CUT ? MU_STACK_CUT : MU_STACK_TRUNCATED;
}

bool walk_init(void)
{
	cfi_init();
	return rules_init();
}

void walk_forget(void)
{
	rules_forget();
	__atomic_fetch_add(&walk_generation, 1, __ATOMIC_RELEASE);
}

struct walk *walk_stack(struct thread *thread, uint64_t slot, uint64_t bp)
{
	struct walk *walk = walk_of_thread(thread);
	const struct walk_position start = { slot, bp, 0 };
	uint32_t kept;
	uint8_t end;

	if (unlikely(!walk))
		return NULL;
	switch_to_stack(thread, walk, slot);
	if (unlikely(stack_memory_room(&walk->stack, slot) < ROOM_LEAST)) {
		take_innermost_frame(walk, slot);
		return walk;
	}
	uint32_t some = likely(walk->stack.is_own) ? count_unchanged_own(walk, slot) : walk->count;
	uint32_t fresh = unwind_frames(walk, start, some, WALK_FRAMES, &kept, &end);
	/* Rules are made here and not where they are missing: the stack may have little room. */
	while (unlikely(end == RULE_UNKNOWN) && !kept && !walk->known_only &&
	       rules_make(walk->new[fresh - 1].pc, &walk->work.cfi))
		fresh = unwind_frames(walk, start, some, WALK_FRAMES, &kept, &end);
	/* Too deep: cut it to half, so that the next calls inward find room again. */
	if (unlikely(kept + fresh > WALK_FRAMES) || unlikely(end == UNWIND_CUT))
		fresh = unwind_frames(walk, start, 0, WALK_FRAMES / 2, &kept, &end);
	if (unlikely(!kept) && unlikely(end == RULE_SLOW || end == RULE_UNKNOWN)) {
		if (walk->known_only)
			return NULL;
		walk_all_registers(walk, slot);
		return walk;
	}
	if (fresh || kept != walk->count)
		remember_frames(walk, kept, fresh, flags_for_end(end));
	else
		walk->kept = kept;
	return walk;
}

void walk_look_again(struct walk *walk)
{
	if (walk)
		walk->generation = 0;
}

void walk_begin_thread(struct walk *walk)
{
	if (!walk)
		return;
	walk->stack = (struct stack_view){ 0 };
	walk->count = walk->checks = walk->generation = 0;
	walk->label = 0;
}

struct walk *walk_start_empty(struct thread *thread)
{
	struct walk *walk = walk_of_thread(thread);

	if (walk)
		walk->count = walk->checks = walk->generation = 0;
	return walk;
}

void walk_push(struct walk *walk, uint64_t pc)
{
	uint32_t i = walk->count;
	uint64_t hash = i ? walk->frame[i - 1].hash : 0;

	if (i == WALK_FRAMES)
		return;
	walk->frame[i] = (struct walk_frame){ WALK_EXACT, pc, 0, mix_hash(hash, pc + 1) };
	walk->flags[i] = i ? walk->flags[i - 1] : 0;
	walk->count++;
}

void walk_pop(struct walk *walk, uint32_t count)
{
	walk->count = count;
}
