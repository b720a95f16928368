/* code.c -- Changing the code of functions while all threads are stopped, and changing it back.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/attach/code.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <unistd.h>

#include "cli/xmalloc.h"
#include "memusage/common/clock.h"

/* Places in a handler's frame, counted from the word with its return address: the interrupted
 * instruction, and its stack pointer. Source: struct rt_sigframe of Linux on x86-64. */
enum { FRAME_PC = 0xb0, FRAME_SP = 0xa8 };

#define STACK_MOST (UINT64_C(16) << 20) /* of a stack that is looked at */
#define RED_ZONE UINT64_C(128)

/* CPU time of a search for contexts, while the process is stopped. */
#define SEARCH_NS UINT64_C(50000000)

enum { SEEN = 1024, DEPTH_MAX = 16, MOVES_MAX = 4096, STACK_PART = 8192 };

/* Handles a word of a stack: `at` holds `word`. Returns false, to try again, with ERR. */
struct walk;
typedef bool word_fn(struct walk *w, uint64_t at, uint64_t word);

struct store {
	uint64_t at, word;
};

struct walk {
	const struct target *t;
	const struct code *c;
	uint64_t low, high; /* the bytes to be replaced are in between: few words lead there */
	word_fn *visit;
	bool (*is_dangerous)(const struct walk *w, uint64_t word);
	bool is_quiet; /* of walk_contexts(), ... */
	uint64_t end_ns; /* ... which ends then; of CLOCK_PROCESS_CPUTIME_ID */
	struct {
		uint64_t word;
		bool is_restorer;
	} seen[SEEN]; /* stacks are full of addresses of code */
	struct store store[MOVES_MAX]; /* of signal frames */
	uint32_t stores;
	struct mu_error *err;
};

bool code_take(struct code *c, const struct mu_attach *told)
{
	const uint32_t end = MU_ATTACH_TLS + MU_ATTACH_TLS_BYTES;

	if (told->entries > MU_ATTACH_ENTRIES || told->areas > MU_ATTACH_AREAS ||
	    told->inside >= end || told->key >= end)
		return false;
	c->text = told->text;
	c->inside = told->inside;
	c->key = told->key;
	c->generation = told->generation;
	c->areas = told->areas;
	c->entries = told->entries;
	memcpy(c->area, told->area, sizeof(c->area));
	memcpy(c->entry, told->entry, sizeof(c->entry));
	for (uint32_t i = 0; i < c->entries; i++) {
		if (c->entry[i].count > MU_ATTACH_JUMP)
			return false;
	}
	return true;
}

static bool say_busy(struct mu_error *err, const char *why)
{
	mu_error_set(err, MU_ERROR_SYSTEM, 0, "%s", why);
	return false;
}

/* ---- stacks ------------------------------------------------------------------------------ */

/* Returns whether code begins with the system call by which a handler returns. */
static bool is_restorer(const struct target *t, uint64_t address)
{
	static const unsigned char long_form[9] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };
	static const unsigned char short_form[7] = { 0xb8, 0x0f, 0, 0, 0, 0x0f, 0x05 };
	unsigned char code[sizeof(long_form)];

	return target_read(t, address, code, sizeof(code)) &&
	       (memcmp(code, long_form, sizeof(long_form)) == 0 ||
		memcmp(code, short_form, sizeof(short_form)) == 0);
}

static bool leads_to_restorer(struct walk *w, uint64_t word)
{
	const uint64_t k = (word ^ word >> 10 ^ word >> 20) % SEEN;
	const struct area *area;

	if (word < 65536 || word >> 47)
		return false;
	if (w->seen[k].word == word)
		return w->seen[k].is_restorer;
	area = address_space_find(&w->t->maps, word);
	if (!area || !(area->flags & AREA_CODE))
		return false;
	w->seen[k].word = word;
	w->seen[k].is_restorer = is_restorer(w->t, word);
	return w->seen[k].is_restorer;
}

static bool walk_stack(struct walk *w, uint64_t sp, int depth);

/* A handler may run on another stack than the code that it has interrupted. */
static bool walk_interrupted(struct walk *w, uint64_t at, uint64_t word, uint64_t low,
			     uint64_t high, int depth)
{
	uint64_t sp;

	return !word || depth >= DEPTH_MAX || !leads_to_restorer(w, word) ||
	       !target_read(w->t, at + FRAME_SP, &sp, sizeof(sp)) || (sp >= low && sp < high) ||
	       walk_stack(w, sp, depth + 1);
}

/* Looks at all words from a stack pointer to the end of the mapping. */
static bool walk_stack(struct walk *w, uint64_t sp, int depth)
{
	const struct area *area = address_space_find(&w->t->maps, sp);
	uint64_t low, high, *word;
	bool ok = true;

	if (!area || !(area->flags & AREA_WRITE))
		return true;
	low = (sp - RED_ZONE) & ~UINT64_C(7);
	if (low < area->start || low > sp)
		low = area->start;
	high = area->end - low > STACK_MOST ? low + STACK_MOST : area->end;
	word = xmalloc(STACK_PART * sizeof(*word));
	for (uint64_t at = low; ok && at < high; at += STACK_PART * sizeof(*word)) {
		uint64_t count = (high - at) / sizeof(*word);

		if (count > STACK_PART)
			count = STACK_PART;
		if (!target_read(w->t, at, word, count * sizeof(*word)))
			break;
		for (uint64_t i = 0; ok && i < count; i++)
			ok = w->visit(w, at + i * 8, word[i]) &&
			     walk_interrupted(w, at + i * 8, word[i], low, high, depth);
	}
	free(word);
	return ok;
}

/* Its file's name is that of the recorder's memory: nothing of the program's is there. */
static bool is_own_memory(const struct area *area)
{
	return strncmp(area->name, "/memfd:memusage", strlen("/memfd:memusage")) == 0;
}

static bool is_of_signal_frame(struct walk *w, uint64_t at)
{
	uint64_t restorer;

	return target_read(w->t, at - FRAME_PC, &restorer, sizeof(restorer)) &&
	       leads_to_restorer(w, restorer);
}

/* ---- contexts that no thread runs ----------------------------------------------------------- */

/* A handler that leaves by swapcontext() leaves the frame that the kernel has made for it, with the
 * interrupted instruction, on a stack that belongs to no thread. Wherever that stack is, it is
 * memory that the program has written to. Gigabytes of that are not searched to the end: a pause of
 * seconds would harm more programs than what is missed. */
static void visit_pages(void *data, uint64_t start, uint64_t end)
{
	static uint64_t word[STACK_PART];
	struct walk *w = data;

	for (uint64_t at = start; w->is_quiet && at < end; at += sizeof(word)) {
		const uint64_t bytes = end - at < sizeof(word) ? end - at : sizeof(word);

		if (clock_now(CLOCK_PROCESS_CPUTIME_ID) > w->end_ns)
			return;
		if (address_space_read(&w->t->maps, at, word, bytes) != bytes &&
		    !target_read(w->t, at, word, bytes))
			continue;
		for (uint64_t i = 0; w->is_quiet && i < bytes / 8; i++) {
			if (word[i] - w->low < w->high - w->low && w->is_dangerous(w, word[i]) &&
			    is_of_signal_frame(w, at + i * 8))
				w->is_quiet = w->visit(w, at + i * 8, word[i]);
		}
	}
}

static bool walk_contexts(struct walk *w)
{
	const struct address_space *maps = &w->t->maps;

	w->is_quiet = true;
	w->end_ns = clock_now(CLOCK_PROCESS_CPUTIME_ID) + SEARCH_NS;
	for (uint32_t i = 0; w->t->has_contexts && i < maps->count && w->is_quiet; i++) {
		const struct area *area = &maps->area[i];

		if ((area->flags & (AREA_READ | AREA_WRITE)) == (AREA_READ | AREA_WRITE) &&
		    !is_own_memory(area))
			address_space_visit(maps, area, area->start, area->end, true, visit_pages,
					    w);
	}
	return w->is_quiet;
}

/* ---- in ---------------------------------------------------------------------------------- */

/* Returns the entry whose replaced bytes an address is in, but not at the first. */
static const struct mu_attach_entry *find_entry(const struct code *c, uint64_t address)
{
	for (uint32_t i = 0; i < c->entries; i++) {
		if (address - c->entry[i].place - 1 < c->entry[i].taken - UINT64_C(1))
			return &c->entry[i];
	}
	return NULL;
}

/* Returns where an instruction of a function is in the thunk, 0 for no instruction. */
static uint64_t place_in_thunk(const struct mu_attach_entry *e, uint64_t address)
{
	for (unsigned int i = 0; i < e->count; i++) {
		if (e->place + e->from[i] == address)
			return e->thunk + e->to[i];
	}
	return 0;
}

static bool is_to_be_replaced(const struct walk *w, uint64_t word)
{
	return find_entry(w->c, word);
}

static bool visit_before(struct walk *w, uint64_t at, uint64_t word)
{
	const struct mu_attach_entry *e;
	uint64_t to;

	if (word - w->low >= w->high - w->low)
		return true;
	e = find_entry(w->c, word);
	if (!e)
		return true;
	to = place_in_thunk(e, word);
	if (!to || w->stores == MOVES_MAX || !is_of_signal_frame(w, at))
		return say_busy(w->err, "a stack leads into code that is to be changed");
	w->store[w->stores++] = (struct store){ at, to };
	return true;
}

/* The kernel would repeat a call at the instruction before, which could be one that has moved. */
static bool stands_behind_call(const struct code *c, const struct tracee_thread *thread)
{
#if defined(__x86_64__)
	return thread->is_in_call && (find_entry(c, thread->regs.rip - 2) ||
				      find_entry(c, thread->regs.rip));
#else
	return false;
#endif
}

static bool set_pc(struct tracee_thread *thread, uint64_t pc, uint64_t raise)
{
#if defined(__x86_64__)
	struct iovec general = { &thread->regs, sizeof(thread->regs) };

	thread->regs.rip = pc;
	thread->regs.rsp += raise;
	return ptrace(PTRACE_SETREGSET, thread->tid, (void *)NT_PRSTATUS, &general) == 0;
#else
	return false;
#endif
}

static uint64_t pc_of(const struct tracee_thread *thread)
{
#if defined(__x86_64__)
	return thread->regs.rip;
#else
	return 0;
#endif
}

static struct walk *begin_walk(const struct target *t, const struct code *c, word_fn *visit,
			       struct mu_error *err)
{
	struct walk *w = xcalloc(1, sizeof(*w));

	w->t = t;
	w->c = c;
	w->visit = visit;
	w->err = err;
	w->low = UINT64_MAX;
	for (uint32_t i = 0; i < c->entries; i++) {
		const uint64_t end = c->entry[i].place + c->entry[i].taken;

		w->low = c->entry[i].place < w->low ? c->entry[i].place : w->low;
		w->high = end > w->high ? end : w->high;
	}
	return w;
}

static void write_stores(const struct walk *w, bool ok)
{
	for (uint32_t i = 0; i < w->stores && ok; i++)
		target_write(w->t, w->store[i].at, &w->store[i].word, sizeof(w->store[i].word));
}

/* First all of them are looked at, then all are moved. */
enum target_result code_move_in(struct target *t, const struct code *c, struct mu_error *err)
{
	struct walk *w = begin_walk(t, c, visit_before, err);
	bool ok = true;

	for (uint32_t i = 0; i < t->tracee.count && ok; i++) {
		const struct tracee_thread *thread = &t->tracee.thread[i];
		const struct mu_attach_entry *e = find_entry(c, pc_of(thread));

		if (stands_behind_call(c, thread) || (e && !place_in_thunk(e, pc_of(thread))))
			ok = say_busy(err, "a thread is in code that is to be changed");
		else
			ok = walk_stack(w, tracee_stack(thread), 0);
	}
	w->is_dangerous = is_to_be_replaced;
	ok = ok && walk_contexts(w);
	write_stores(w, ok);
	for (uint32_t i = 0; i < t->tracee.count && ok; i++) {
		struct tracee_thread *thread = &t->tracee.thread[i];
		const struct mu_attach_entry *e = find_entry(c, pc_of(thread));

		if (e)
			set_pc(thread, place_in_thunk(e, pc_of(thread)), 0);
	}
	free(w);
	return ok ? TARGET_OK : TARGET_BUSY;
}

bool code_write(const struct target *t, const struct code *c)
{
	for (uint32_t i = 0; i < c->entries; i++) {
		const struct mu_attach_entry *e = &c->entry[i];

		if (target_write(t, e->place, e->jump, MU_ATTACH_JUMP))
			continue;
		while (i-- > 0)
			target_write(t, c->entry[i].place, c->entry[i].before, MU_ATTACH_JUMP);
		return false;
	}
	return true;
}

/* The mapping's file, also if another one has its name by now. */
static int open_mapped_file(const struct target *t, const struct area *area)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/map_files/%llx-%llx", (int)t->view,
		 (unsigned long long)area->start, (unsigned long long)area->end);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* Reads the offset of a mapping in its file; UINT64_MAX if it is not known. */
static uint64_t offset_of(const struct target *t, const struct area *area)
{
	char path[64], *line = NULL;
	unsigned long long start, offset;
	uint64_t found = UINT64_MAX;
	size_t size = 0;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)t->view);
	maps = fopen(path, "re");
	while (maps && found == UINT64_MAX && getline(&line, &size, maps) > 0) {
		if (sscanf(line, "%llx-%*x %*s %llx", &start, &offset) == 2 &&
		    start == area->start)
			found = offset;
	}
	free(line);
	if (maps)
		fclose(maps);
	return found;
}

bool code_is_unchanged(const struct target *t, const struct code *c)
{
	const struct area *area = NULL;
	uint64_t offset = 0;
	bool ok = true;
	int fd = -1;

	for (uint32_t i = 0; i < c->entries && ok; i++) {
		const struct mu_attach_entry *e = &c->entry[i];
		const struct area *its = address_space_find(&t->maps, e->place);
		unsigned char bytes[MU_ATTACH_JUMP];

		/* A jump over two pages could be written by half. */
		ok = its && e->place / 4096 == (e->place + MU_ATTACH_JUMP - 1) / 4096;
		if (ok && its != area) {
			if (fd >= 0)
				close(fd);
			area = its;
			fd = open_mapped_file(t, area);
			offset = fd < 0 ? 0 : offset_of(t, area);
		}
		if (ok && fd >= 0 && offset != UINT64_MAX)
			ok = pread(fd, bytes, sizeof(bytes),
				   (off_t)(e->place - area->start + offset)) == sizeof(bytes) &&
			     memcmp(bytes, e->before, sizeof(bytes)) == 0;
	}
	if (fd >= 0)
		close(fd);
	return ok;
}

/* ---- out --------------------------------------------------------------------------------- */

void code_restore(const struct target *t, const struct code *c)
{
	for (uint32_t i = 0; i < c->entries; i++) {
		const struct mu_attach_entry *e = &c->entry[i];
		unsigned char now[MU_ATTACH_JUMP];

		if (target_read(t, e->place, now, sizeof(now)) &&
		    memcmp(now, e->jump, sizeof(now)) == 0)
			target_write(t, e->place, e->before, sizeof(now));
	}
}

static bool is_recorder(const struct code *c, uint64_t address)
{
	if (address - c->text.start < c->text.size)
		return true;
	for (uint32_t i = 0; i < c->areas; i++) {
		if (address - c->area[i].start < c->area[i].size)
			return true;
	}
	return false;
}

static bool visit_after(struct walk *w, uint64_t at, uint64_t word)
{
	if (is_recorder(w->c, word) && is_of_signal_frame(w, at))
		return say_busy(w->err, "a signal handler runs that has interrupted the recorder");
	return true;
}

/* A thunk begins with a push and a jump, before the recorder's own code; behind them are the moved
 * instructions. See libmemusage/patch/entry.c. */
enum { THUNK_PUSHED = 5 };

/* Returns where an address in a thunk leads to in the function, 0 if it is none; *raise receives
 * the bytes that the thunk has pushed. */
static uint64_t place_of_thunk(const struct code *c, uint64_t address, uint64_t *raise)
{
	*raise = 0;
	for (uint32_t i = 0; i < c->entries; i++) {
		const struct mu_attach_entry *e = &c->entry[i];
		const uint64_t at = address - e->thunk;

		if (at >= e->end)
			continue;
		for (unsigned int k = 0; k < e->count; k++) {
			if (at == e->to[k])
				return e->place + e->from[k];
		}
		*raise = at == THUNK_PUSHED ? 8 : 0;
		return at == 0 || at == THUNK_PUSHED ? e->place : 0;
	}
	return 0;
}

static void leave_thunk(const struct code *c, struct tracee_thread *thread)
{
	uint64_t raise;
	const uint64_t place = place_of_thunk(c, pc_of(thread), &raise);

	if (place)
		set_pc(thread, place, raise);
}

static bool leads_into_thunk(const struct walk *w, uint64_t word)
{
	uint64_t raise;

	return place_of_thunk(w->c, word, &raise) != 0;
}

/* A frame that is out of use is changed, too: no code reads it. */
static bool leave_thunk_later(struct walk *w, uint64_t at, uint64_t word)
{
	uint64_t raise, sp;
	const uint64_t place = place_of_thunk(w->c, word, &raise), sp_at = at - FRAME_PC + FRAME_SP;

	if (w->stores + 2 > MOVES_MAX || !target_read(w->t, sp_at, &sp, sizeof(sp)))
		return say_busy(w->err, "too many coroutines are in functions of malloc");
	w->store[w->stores++] = (struct store){ at, place };
	w->store[w->stores++] = (struct store){ sp_at, sp + raise };
	return true;
}

/* Lets the next walk find what leads into thunks. */
static void search_for_thunks(struct walk *w)
{
	w->is_dangerous = leads_into_thunk;
	w->visit = leave_thunk_later;
	w->low = UINT64_MAX;
	w->high = 0;
	for (unsigned int i = 0; i < w->c->entries; i++) {
		const struct mu_attach_entry *e = &w->c->entry[i];

		w->low = e->thunk < w->low ? e->thunk : w->low;
		w->high = e->thunk + e->end > w->high ? e->thunk + e->end : w->high;
	}
}

static bool has_call_under_way(const struct target *t, const struct code *c,
			       const struct tracee_thread *thread)
{
	const uint64_t base = tracee_base(thread);
	uint64_t key;
	uint32_t inside;

	if (!c->key)
		return false; /* the recorder has not begun */
	return !target_read(t, base + c->key, &key, sizeof(key)) ||
	       !target_read(t, base + c->inside, &inside, sizeof(inside)) ||
	       (key >> 32 == c->generation >> 32 && inside);
}

enum target_result code_move_out(struct target *t, const struct code *c, struct mu_error *err)
{
	struct walk *w = begin_walk(t, c, visit_after, err);
	bool ok = true;

	for (uint32_t i = 0; i < t->tracee.count && ok; i++) {
		struct tracee_thread *thread = &t->tracee.thread[i];

		leave_thunk(c, thread);
		/* A thread whose attacher was killed may still be at the beginning, and in code of
		 * the vDSO that the recorder called. */
		if (tracee_stack(thread) - c->stack.start < c->stack.size) {
			ok = say_busy(err, "the recorder is just beginning in it");
			break;
		}
		if (is_recorder(c, pc_of(thread)) || has_call_under_way(t, c, thread))
			ok = say_busy(err, "a thread is in a call that the recorder watches");
		else
			ok = walk_stack(w, tracee_stack(thread), 0);
	}
	search_for_thunks(w);
	ok = ok && walk_contexts(w);
	write_stores(w, ok);
	free(w);
	return ok ? TARGET_OK : TARGET_BUSY;
}
