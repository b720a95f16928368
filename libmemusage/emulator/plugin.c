/* plugin.c -- libmemusage_qemu.so: counts what a program under qemu-user reads and writes.
 *
 * The recorder runs in the program (emulated.h) and keeps the directory of blocks; each access is
 * looked up there and added to sums in the recording, which every thread has its own of. What the
 * recorder's own code reads and executes is left out. Accesses relative to the stack pointer are
 * not looked up: DHAT leaves out what lies near it, too.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "libmemusage/arena.h"
#include "libmemusage/emulated.h"
#include "libmemusage/emulator/qemu.h"
#include "libmemusage/emulator/stack_use.h"
#include "libmemusage/export.h"
#include "libmemusage/hooks/access_count.h"
#include "libmemusage/memory.h"

/* What the modules of the recorder that are linked here expect. */
struct gate gate;
struct recorder rec;
bool sandbox_is_on;
struct accesses *access_table_of_guest;

EXPORT int qemu_plugin_version = 1;

static struct emulated guest;
static unsigned int generation; /* + 1 with each image: forks inherit the plugin */
/* Executed by the program, on all threads; counted if the time is to be told by it. */
static uint64_t instructions;
static bool counts_instructions;
static bool copies_code; /* qemu copies instructions instead of saying where they are */
static bool has_threads; /* from just before the second one begins */

#define INSTRUCTION_BYTES 15u
#define HOT 64u	  /* blocks that a thread remembers, by page */
#define SIZES 64u /* kinds of accesses, likewise */

/* The block that was found at an address. Its record tells whether it still is there: one with a
 * size is a live block's, whosoever's it was before. */
struct hot {
	const struct tracked *block;
	struct mu_access *cell;
	uint64_t site;
};

struct known_size {
	uint32_t info;
	uint32_t bytes;
};

static const struct tracked nothing;
/* What a thread has for itself. */
struct counter {
	struct access_own own;
	unsigned int generation;
	struct hot hot[HOT];
	struct known_size size[SIZES];
};

static __thread struct counter *mine __attribute__((tls_model("initial-exec")));

/* ---- accesses ---------------------------------------------------------------------------- */

static void forget_cells(struct counter *c)
{
	if (c->own.cell_of)
		memory_unmap(c->own.cell_of, (uint64_t)c->own.sites * sizeof(uint32_t));
	c->own = (struct access_own){ .sites = 0 };
}

/* The thread's, begun afresh in a child, where sums lie elsewhere. NULL without memory. */
static __attribute__((noinline)) struct counter *begin_image(void)
{
	if (!mine)
		mine = memory_map(sizeof(*mine));
	if (!mine)
		return NULL;
	forget_cells(mine);
	mine->generation = generation;
	for (unsigned int i = 0; i < HOT; i++)
		mine->hot[i].block = &nothing;
	return mine;
}

static inline uint64_t size_of(struct counter *c, uint32_t info)
{
	struct known_size *known = &c->size[info >> 4 & (SIZES - 1)];

	if (unlikely(known->info != info || !known->bytes)) {
		known->info = info;
		known->bytes = 1u << qemu_plugin_mem_size_shift(info);
	}
	return known->bytes;
}

static __attribute__((noinline)) void count(struct counter *c, uint32_t info, uint64_t address,
					    struct hot *hot)
{
	const struct tracked *block = accesses_find(address);

	if (likely(!block))
		return;
	uint64_t size = size_of(c, info);
	if (info & QEMU_READ_BIT)
		accesses_count(&c->own, block, address, size, false);
	if (info & QEMU_WRITE_BIT)
		accesses_count(&c->own, block, address, size, true);
	if (!block->is_counted) {
		hot->site = block->site;
		hot->cell = accesses_cell(&c->own, block->site);
		hot->block = hot->cell ? block : &nothing;
	}
}

static void on_access(unsigned int vcpu, uint32_t info, uint64_t address, void *data)
{
	(void)vcpu;
	(void)data;
	if (unlikely(!access_table_of_guest))
		return;
	struct counter *c = mine;
	if (unlikely(!c || c->generation != generation) && !(c = begin_image()))
		return;
	struct hot *hot = &c->hot[address >> 12 & (HOT - 1)];
	const struct tracked *block = hot->block;
	if (address - block->start >= block->size || block->site != hot->site ||
	    block->is_counted) {
		count(c, info, address, hot);
		return;
	}
	uint64_t size = size_of(c, info);
	if (info & QEMU_READ_BIT)
		hot->cell->read_bytes += size;
	if (info & QEMU_WRITE_BIT)
		hot->cell->written_bytes += size;
}

static void on_exit_of_thread(uint64_t id, unsigned int vcpu)
{
	(void)id;
	(void)vcpu;
	if (!mine)
		return;
	forget_cells(mine);
	memory_unmap(mine, sizeof(*mine));
	mine = NULL;
}

/* ---- translation ------------------------------------------------------------------------- */

static bool is_recorder(uint64_t address)
{
	return address - guest.own < guest.own_end - guest.own;
}

static void on_executed(unsigned int vcpu, void *number)
{
	(void)vcpu;
	if (has_threads)
		__atomic_fetch_add(&instructions, (uint64_t)number, __ATOMIC_RELAXED);
	else
		instructions += (uint64_t)number;
}

/* What version 1 can add by itself is not exact with threads. Then qemu translates all code
 * again, as it does for the sake of atomic operations, when the second thread begins. */
static void count_instructions(struct qemu_plugin_tb *tb, uint64_t number)
{
	if (qemu_plugin_register_vcpu_tb_exec_inline && !has_threads)
		qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_ADD, &instructions, number);
	else
		qemu_plugin_register_vcpu_tb_exec_cb(tb, on_executed, QEMU_NO_REGISTERS,
						     (void *)number);
}

static bool is_stack_use(const struct qemu_plugin_insn *insn)
{
	unsigned char copy[INSTRUCTION_BYTES];
	const void *code = qemu_plugin_insn_data(insn, copy, sizeof(copy));

	return stack_use_only(copies_code ? copy : code, qemu_plugin_insn_size(insn));
}

static void on_translated(uint64_t id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb);

	(void)id;
	if (!n || is_recorder(qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0))))
		return;
	if (counts_instructions)
		count_instructions(tb, n);
	for (size_t i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		if (!is_stack_use(insn))
			qemu_plugin_register_vcpu_mem_cb(insn, on_access, QEMU_NO_REGISTERS,
							 QEMU_READ_OR_WRITE, NULL);
	}
}

/* ---- the process ------------------------------------------------------------------------- */

/* Anybody can make that system call; and where the process's addresses are not ours, which qemu
 * is free to decide, there is nothing there. */
static bool read_guest(uint64_t address, struct emulated *to)
{
	struct iovec local = { to, sizeof(*to) };
	struct iovec remote = { (void *)address, sizeof(*to) };

	return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)sizeof(*to) &&
	       to->magic == EMULATED_MAGIC;
}

static void on_syscall(uint64_t id, unsigned int vcpu, int64_t number, uint64_t a1, uint64_t a2,
		       uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8)
{
	struct emulated said;

	(void)id, (void)vcpu, (void)a2, (void)a3, (void)a4, (void)a5, (void)a6, (void)a7, (void)a8;
	if (number == SYS_clone && a1 & CLONE_VM && !(a1 & CLONE_VFORK))
		has_threads = true;
	if (number != EMULATED_SYSCALL || !read_guest(a1, &said))
		return;
	guest = said;
	rec.base = (uint8_t *)said.base;
	rec.image = (struct mu_image *)said.base;
	arena_locks = (struct arena_locks *)said.locks;
	access_table_of_guest = (struct accesses *)said.table;
	generation++;
	((struct emulated *)a1)->instructions = (uint64_t)&instructions;
}

/* Before qemu asks for the version: the first has functions that later ones took away, and qemu
 * refuses what it no longer knows. */
__attribute__((constructor)) static void choose_version(void)
{
	if (!qemu_plugin_register_vcpu_tb_exec_inline)
		qemu_plugin_version = 2;
}

EXPORT int qemu_plugin_install(uint64_t id, const struct qemu_information *qemu, int argc,
			       char **argv);
EXPORT int qemu_plugin_install(uint64_t id, const struct qemu_information *qemu, int argc,
			       char **argv)
{
	copies_code = qemu->version >= QEMU_COPIES;
	for (int i = 0; i < argc; i++)
		counts_instructions |= strcmp(argv[i], "instructions=on") == 0;
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translated);
	qemu_plugin_register_vcpu_syscall_cb(id, on_syscall);
	qemu_plugin_register_vcpu_exit_cb(id, on_exit_of_thread);
	return 0;
}
