/* entry.c -- moving a function's first instructions away, and calling hooks in between.
 *
 * A thunk:
 *	 0  push $number
 *	 5  jmp *5(%rip)    to patch_entry_common, which keeps all registers
 *	16  its address
 *	24  endbr64, as hooks and patch_entry_common come by a pointer
 *	28  the moved instructions, and a jump to what follows them
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/patch/entry.h"

#include <elf.h>
#include <string.h>

#include "libmemusage/base/objects.h"
#include "libmemusage/base/vectors.h"
#include "libmemusage/event/event.h"
#include "libmemusage/patch/decode.h"
#include "libmemusage/unwind/cfi.h"
#include "libmemusage/unwind/stack_memory.h"

#define THUNK_BYTES 112u
#define ORIGINAL_AT 24u
#define JUMP_BYTES ENTRY_JUMP
#define ALIGNMENT UINT64_C(16) /* of functions: the bytes in between are padding */
#define SIZE_MAX_STRICT (UINT64_C(64) << 10)
#define COLD_BYTES 2048u
#define OTHER_STACK_NEAR 4096u
#define NEAR_BYTES UINT64_C(0x7fff0000) /* a jump reaches, with what moved code adds */
#define HARDWARE_SP 4 /* as instructions number registers; DWARF has them the other way */
#define HARDWARE_BP 5

/* In x86_64/patch_entry.S. */
void patch_entry_common(void);
void patch_entry_returned(void);
/* entry_before, entry_after -- call the before() and after() of a hook. */
bool entry_before(struct entry_call *call, uint32_t number);
void entry_after(struct entry_call *call);

static const uint8_t landing[4] = { 0xf3, 0x0f, 0x1e, 0xfa }; /* endbr64 */

static struct {
	struct entry_hook entry[ENTRIES];
	uint32_t count;
	uint64_t spare_thunk; /* room that is in no use, 0 none; ld.so's lock is held */
	uint64_t returned_also[2]; /* entry_returns_also(); 0: none */
} hooks;
/* The outermost struct entry_call of each layer, 0 none. Also set by x86_64/patch_entry.S. */
extern __thread uint64_t entry_outer[ENTRY_LAYERS];
__thread uint64_t entry_outer[ENTRY_LAYERS];

bool entry_before(struct entry_call *call, uint32_t number)
{
	struct entry_hook *entry = &hooks.entry[number];

	call->entry = entry;
	call->original = entry->original;
	return entry->before(call);
}

void entry_after(struct entry_call *call)
{
	if (call->entry->after)
		call->entry->after(call);
}

uint64_t entry_argument(const struct entry_call *call, unsigned int number)
{
	const uint64_t argument[] = { call->rdi, call->rsi, call->rdx, call->rcx, call->r8,
				      call->r9 };

	return number >= 1 && number <= 6 ? argument[number - 1] : 0;
}

static void enter_hook(void *thread)
{
	*(struct thread **)thread = hook_enter();
}

struct thread *entry_enter(void)
{
	struct thread *thread = NULL;

	if (likely(gate.on) && likely(has_self()))
		return hook_enter();
	/* The registers may take more of the stack than there is. */
	if (rec.state == STATE_OFF)
		return NULL;
	vectors_preserve(enter_hook, &thread);
	return thread;
}

/* While the outer function runs, the word below its call is the address where it will return to
 * us. If the stack is not the thread's own, another thread may use it by now. */
static bool is_call_under_way(const struct entry_call *inner, uint64_t outermost)
{
	uint64_t here = (uint64_t)inner;

	if (!outermost || outermost <= here)
		return false;
	if (has_self() && stack_memory_is_own(self, here) &&
	    stack_memory_is_own(self, outermost - 8)) {
		const uint64_t returns_to = stack_memory_read(here, outermost - 8);

		return returns_to == (uint64_t)patch_entry_returned ||
		       (returns_to && (returns_to == hooks.returned_also[0] ||
				       returns_to == hooks.returned_also[1]));
	}
	return outermost - here < OTHER_STACK_NEAR;
}

bool entry_is_outer(const struct entry_call *call, enum entry_layer layer)
{
	for (unsigned int i = 0; i <= (unsigned int)layer; i++)
		if (is_call_under_way(call, entry_outer[i]))
			return false;
	entry_outer[layer] = (uint64_t)call;
	return true;
}

void entry_ends(const struct entry_call *call, enum entry_layer layer)
{
	if (entry_outer[layer] == (uint64_t)call)
		entry_outer[layer] = 0;
}

void entry_returns_also(uint64_t one, uint64_t other)
{
	hooks.returned_also[0] = one;
	hooks.returned_also[1] = other;
}

uint64_t entry_returned(void)
{
	return (uint64_t)patch_entry_returned;
}

/* ---- moving instructions ------------------------------------------------------------------- */

struct moved_code {
	uint8_t code[THUNK_BYTES];
	unsigned int length;
	unsigned int taken; /* bytes of the function */
	bool ends;	    /* the last one is a jump that does not come back */
	struct entry_moves moves;
};

static bool put_distance(uint8_t *at, int64_t distance)
{
	int32_t value = (int32_t)distance;

	memcpy(at, &value, sizeof(value));
	return value == distance;
}

static int64_t read_relative(const uint8_t *code, const struct insn *insn)
{
	int32_t value;

	if (insn->relative_size == 1)
		return (int8_t)code[insn->relative_at];
	memcpy(&value, code + insn->relative_at, sizeof(value));
	return value;
}

/* A call becomes a push of the address that it would return to, and a jump: so the callee returns
 * to the function itself, and unwinders find its tables. It is the last one moved, since it ends
 * after the bytes that the jump to the thunk takes. It changes no flags and no registers. A shadow
 * stack would not have that address, and the processor would refuse to return to it. */
static const char *push_return_address(struct moved_code *moved, uint64_t back)
{
	uint8_t code[13] = { 0x68, 0, 0, 0, 0, 0xc7, 0x44, 0x24, 4 }; /* push; movl to 4(%rsp) */
	uint32_t low = (uint32_t)back, high = (uint32_t)(back >> 32);

	if (cpu_has_shadow_stack())
		return "its first instructions call, and return addresses are protected (CET)";
	memcpy(code + 1, &low, sizeof(low));
	memcpy(code + 9, &high, sizeof(high));
	memcpy(moved->code + moved->length, code, sizeof(code));
	moved->length += sizeof(code);
	moved->ends = true;
	return NULL;
}

/* A branch of any size becomes one of four bytes. */
static const char *move_branch(const struct insn *insn, const uint8_t *code, uint64_t at,
			       uint64_t to, struct moved_code *moved)
{
	uint8_t opcode = insn->opcode;
	int64_t target = (int64_t)(at + insn->length) + read_relative(code, insn);
	const char *why = NULL;

	if (insn->map == DECODE_ONE_BYTE && (opcode & 0xfc) == 0xe0)
		return "its first instructions loop";
	if (opcode == 0xe8)
		why = push_return_address(moved, at + insn->length);
	if (why)
		return why;
	uint8_t *out = moved->code + moved->length;
	if (opcode == 0xe8 || opcode == 0xe9 || opcode == 0xeb) {
		*out++ = 0xe9;
		moved->ends = true;
		moved->length += 5;
	} else {
		*out++ = 0x0f;
		*out++ = 0x80 | (opcode & 15);
		moved->length += 6;
	}
	if (!put_distance(out, target - (int64_t)(to + moved->length)))
		return "a branch reaches too far";
	return NULL;
}

static const char *move_instruction(const struct insn *insn, const uint8_t *code, uint64_t at,
				    uint64_t thunk, struct moved_code *moved)
{
	uint64_t to = thunk + ORIGINAL_AT;

	if (insn->relative_size)
		return move_branch(insn, code, at, to, moved);
	bool is_far = insn->map == DECODE_ONE_BYTE && insn->opcode == 0xff;
	unsigned int kind = is_far ? code[insn->modrm_at] >> 3 & 7 : 0;
	if (is_far && (kind == 3 || (kind == 2 && !insn->is_rip)))
		return "its first instructions call by a pointer";
	const char *why =
		is_far && kind == 2 ? push_return_address(moved, at + insn->length) : NULL;
	if (why)
		return why;
	uint8_t *out = moved->code + moved->length;
	memcpy(out, code, insn->length);
	if (is_far && kind == 2)
		out[insn->modrm_at] = 0x25; /* jmp */
	if (insn->is_rip) {
		int64_t shift = (int64_t)(at - (to + moved->length));
		if (!put_distance(moved->code + moved->length + insn->displacement_at,
				  insn->displacement + shift))
			return "an address reaches too far";
	}
	/* jmp *; ret and kin, ud2, hlt. */
	moved->ends |= is_far && (kind == 4 || kind == 5);
	if (insn->map == DECODE_ONE_BYTE &&
	    ((insn->opcode & 0xf6) == 0xc2 || insn->opcode == 0xcc || insn->opcode == 0xf4))
		moved->ends = true;
	moved->ends |= insn->map == DECODE_0F && insn->opcode == 0x0b;
	moved->length += insn->length;
	return NULL;
}

/* A short function may be followed by bytes that are never executed. */
static bool has_room_behind(uint64_t end, uint64_t wanted)
{
	struct cfi_workspace work;

	return wanted <= ((end + ALIGNMENT - 1) & -ALIGNMENT) &&
	       decode_is_padding((const uint8_t *)end, (unsigned int)(wanted - end)) &&
	       !cfi_find(end, &work) && !cfi_find(wanted - 1, &work);
}

static const char *move_instructions(uint64_t place, uint64_t end, uint64_t thunk,
				     struct moved_code *moved)
{
	uint8_t code[DECODE_BYTES];
	struct insn insn;

	struct entry_moves *moves = &moved->moves;

	*moved = (struct moved_code){ .length = sizeof(landing) };
	memcpy(moved->code, landing, sizeof(landing));
	while (moved->taken < JUMP_BYTES) {
		if (moved->ends && place + moved->taken == end &&
		    has_room_behind(end, place + JUMP_BYTES)) {
			moved->taken = JUMP_BYTES;
			break;
		}
		if (moved->ends || place + moved->taken >= end)
			return "it is too short";
		if (!decode_copy(place + moved->taken, end, &insn, code))
			return "its first instructions are not known";
		moves->from[moves->count] = (uint8_t)moved->taken;
		moves->to[moves->count++] = (uint8_t)(ORIGINAL_AT + moved->length);
		const char *why = move_instruction(&insn, code, place + moved->taken, thunk, moved);
		if (why)
			return why;
		moved->taken += insn.length;
	}
	if (moved->ends)
		return NULL;
	moved->code[moved->length++] = 0xe9;
	moved->length += 4;
	if (!put_distance(moved->code + moved->length - 4,
			  (int64_t)(place + moved->taken - (thunk + ORIGINAL_AT + moved->length))))
		return "the thunk is too far";
	return NULL;
}

/* ---- looking at the whole function ------------------------------------------------------- */

/* For code that cannot be decoded. Looks at every byte, not only where instructions begin: a byte
 * that looks like a jump to the middle of the moved instructions is enough to refuse the
 * function. */
static bool seems_entered(const struct entry_hook *entry, uint64_t place, unsigned int taken)
{
	const uint8_t *code = (const uint8_t *)entry->function;

	for (uint64_t i = 0; i + 2 <= entry->size; i++) {
		uint64_t next = entry->function + i + 2;
		int32_t far;
		if (((code[i] & 0xf0) == 0x70 || (code[i] & 0xfc) == 0xe0 || code[i] == 0xeb) &&
		    next + (uint64_t)(int64_t)(int8_t)code[i + 1] - place - 1 < taken - 1u)
			return true;
		if (i + 5 > entry->size)
			continue;
		memcpy(&far, code + i + 1, sizeof(far));
		/* e8, e9, and 0f 8x whose second byte this is. */
		if (((code[i] & 0xfe) == 0xe8 ||
		     (i && code[i - 1] == 0x0f && (code[i] & 0xf0) == 0x80)) &&
		    next + 3 + (uint64_t)(int64_t)far - place - 1 < taken - 1u)
			return true;
	}
	return false;
}

/* Returns whether some branch of the function leads to the middle of the moved instructions. */
static bool is_entered_elsewhere(const struct entry_hook *entry, uint64_t place, unsigned int taken)
{
	uint64_t end = entry->function + entry->size;
	uint8_t code[DECODE_BYTES];
	struct insn insn;

	for (uint64_t at = entry->function; at < end; at += insn.length) {
		if (!decode_copy(at, end, &insn, code))
			return seems_entered(entry, place, taken);
		if (!insn.relative_size)
			continue;
		uint64_t target = at + insn.length + (uint64_t)read_relative(code, &insn);
		if (target - place - 1 < taken - 1u)
			return true;
	}
	return false;
}

/* The caller puts arguments on the stack, at and above the CFA. The thunk has something else
 * there. */
static const char *check_instruction(const struct insn *insn, uint64_t at)
{
	struct cfi_workspace work;

	if (insn->base != HARDWARE_SP && insn->base != HARDWARE_BP)
		return NULL;
	const struct cfi_row *row = cfi_find(at, &work);
	if (!row)
		return "it has no unwind information";
	bool same = (insn->base == HARDWARE_SP && row->cfa_register == CFI_SP) ||
		    (insn->base == HARDWARE_BP && row->cfa_register == CFI_BP);
	if (same && insn->displacement >= row->cfa_offset)
		return "it seems to have arguments on the stack";
	return NULL;
}

/* The function branches to its unlikely part with its frame set up. */
static bool is_cold_code(uint64_t target)
{
	struct cfi_workspace work;
	const struct cfi_row *row = cfi_find(target, &work);

	return row && (row->cfa_register != CFI_SP || row->cfa_offset != 8);
}

static const char *check_code(const struct entry_hook *entry, uint64_t start, uint64_t size,
			      bool cold)
{
	uint8_t code[DECODE_BYTES];
	struct insn insn;

	for (uint64_t at = start; at < start + size; at += insn.length) {
		if (!decode_copy(at, start + size, &insn, code))
			return cold ? NULL : "it has instructions that are not known";
		const char *why = check_instruction(&insn, at);
		if (why)
			return why;
		uint64_t target = at + insn.length + (uint64_t)(insn.relative_size
								? read_relative(code, &insn)
								: 0);
		if (cold || insn.relative_size != 4 || insn.opcode == 0xe8 ||
		    target - entry->function < entry->size || !is_cold_code(target))
			continue;
		why = check_code(entry, target, COLD_BYTES, true);
		if (why)
			return why;
	}
	return NULL;
}

static const char *check_object(const struct entry_hook *entry)
{
	struct object object;

	if (!object_of(entry->function, &object))
		return "it is in no object";
	int flags = object_flags(&object, entry->function);
	if (flags < 0 || !(flags & PF_X) || entry->size > object.end - entry->function)
		return "it is not code";
	for (const ElfW(Dyn) *d = object.map->l_ld; d && d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_TEXTREL || (d->d_tag == DT_FLAGS && d->d_un.d_val & DF_TEXTREL))
			return "its object has text relocations";
	return NULL;
}

/* ---- patching ------------------------------------------------------------------------------ */

static struct entry_hook *find_entry(uint64_t function)
{
	for (uint32_t i = 0; i < hooks.count; i++) {
		const struct entry_hook *entry = &hooks.entry[i];
		const uint8_t *code = (const uint8_t *)entry->place;
		int32_t distance;
		if (entry->function != function || code[0] != 0xe9)
			continue;
		memcpy(&distance, code + 1, sizeof(distance));
		if (entry->place + JUMP_BYTES + (uint64_t)(int64_t)distance ==
		    entry->original - ORIGINAL_AT)
			return &hooks.entry[i];
	}
	return NULL;
}

const struct entry_hook *entry_hooks(uint32_t *count)
{
	*count = hooks.count;
	return hooks.entry;
}

uint64_t entry_original(uint64_t function)
{
	const struct entry_hook *entry = find_entry(function);

	return entry ? entry->original : 0;
}

/* Chooses the number of an entry: the old one if the object was unloaded and came back. */
static uint32_t choose_entry_number(uint64_t function)
{
	uint32_t number = 0;

	while (number < hooks.count && hooks.entry[number].function != function)
		number++;
	return number;
}

static bool is_within_jump(uint64_t from, uint64_t to)
{
	return (from > to ? from - to : to - from) < NEAR_BYTES;
}

/* Reuses the thunk of an entry that is gone, as no thread can be in it, or the room that was found
 * for a function that was only tried, or refused. So a function is patched where it was tried. */
static uint64_t choose_thunk(uint32_t number, uint64_t place, uint64_t end)
{
	if (number < hooks.count)
		return hooks.entry[number].original - ORIGINAL_AT;
	if (!hooks.spare_thunk || !is_within_jump(hooks.spare_thunk, place) ||
	    !is_within_jump(hooks.spare_thunk, end))
		hooks.spare_thunk = patch_room_near(place, end, THUNK_BYTES);
	return hooks.spare_thunk;
}

static bool write_thunk(const struct patch *p, uint64_t thunk, uint32_t number,
			const struct moved_code *moved, entry_arrival_fn *arrival)
{
	uint64_t common = (uint64_t)(arrival ? arrival : patch_entry_common);
	uint8_t code[THUNK_BYTES] = { 0x68 };

	memcpy(code + 1, &number, 4);
	memcpy(code + 5, "\xff\x25\5\0\0\0", 6); /* the address is 5 bytes behind */
	memcpy(code + 16, &common, sizeof(common));
	memcpy(code + ORIGINAL_AT, moved->code, moved->length);
	return patch_write(p, thunk, code, ORIGINAL_AT + moved->length);
}

const char *entry_patch(const struct patch *p, const struct entry_hook *wanted, unsigned int flags)
{
	struct entry_hook entry = *wanted;
	uint64_t end = entry.function + entry.size;
	uint8_t jump[JUMP_BYTES] = { 0xe9 };
	struct moved_code moved;

	const char *why = check_object(&entry);
	if (why)
		return why;
	if (!p->is_alone && !(flags & ENTRY_NEW_OBJECT))
		return "other threads are running already";
	uint32_t number = choose_entry_number(entry.function);
	if (number == ENTRIES)
		return "there are too many";
	if (flags & ENTRY_STRICT && entry.size > SIZE_MAX_STRICT)
		return "it is too long to be looked at";
	entry.place = entry.function;
	if (entry.size >= 4 && !memcmp((const void *)entry.place, landing, sizeof(landing)))
		entry.place += sizeof(landing);
	uint64_t thunk = choose_thunk(number, entry.place, end);
	if (!thunk)
		return "there is no room for a thunk near it";
	why = move_instructions(entry.place, end, thunk, &moved);
	if (!why && is_entered_elsewhere(&entry, entry.place, moved.taken))
		why = "something seems to jump into its first instructions";
	if (!why && flags & ENTRY_STRICT)
		why = check_code(&entry, entry.function, entry.size, false);
	if (why || flags & ENTRY_TRY)
		return why;
	entry.original = thunk + ORIGINAL_AT;
	entry.thunk = thunk;
	entry.moves = moved.moves;
	entry.moves.taken = (uint8_t)moved.taken;
	entry.moves.end = (uint8_t)(ORIGINAL_AT + moved.length);
	put_distance(jump + 1, (int64_t)(thunk - (entry.place + JUMP_BYTES)));
	hooks.entry[number] = entry;
	if (!write_thunk(p, thunk, number, &moved, entry.arrival) ||
	    !patch_write(p, entry.place, jump, JUMP_BYTES))
		return "the system forbids to change code";
	hooks.count += number == hooks.count;
	if (thunk == hooks.spare_thunk)
		hooks.spare_thunk = 0;
	return NULL;
}
