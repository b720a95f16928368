/* plugin.c -- libmemusage_qemu.so: counts what a program under qemu-user reads and writes.
 *
 * The recorder runs in the program (emulated.h) and keeps the directory of blocks. The plugin looks
 * up each access there and adds it to sums in the recording, of which each thread has its own. The
 * recorder's own code is left out. Accesses relative to the stack pointer are not looked up, as
 * DHAT leaves out those near it, too.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "libmemusage/base/export.h"
#include "libmemusage/base/locks.h"
#include "libmemusage/base/memory.h"
#include "libmemusage/base/sandbox.h"
#include "libmemusage/emulated/emulated.h"
#include "libmemusage/emulator/count.h"
#include "libmemusage/emulator/qemu.h"
#include "libmemusage/emulator/stack_use.h"
#include "libmemusage/image/arena.h"
#include "libmemusage/tables/accesses.h"
#include "recording/points.h"

/* Variables that the linked modules of the recorder use. */
struct gate gate;
struct recorder rec;
struct recorder_locks locks;
struct sandbox sandbox;

EXPORT int qemu_plugin_version = 1;

static struct emulated guest;
static struct {
	uint64_t instructions;	  /* that all threads of the program have executed */
	uint64_t before_pause;	  /* instructions at the begin of a pause, with one thread */
	bool counts_instructions; /* they are the clock of the profile */
	bool copies_code; /* qemu copies instructions instead of returning their address */
	bool has_threads; /* from just before the second one begins */
} state;

#define INSTRUCTION_BYTES 15u

/* ---- events ------------------------------------------------------------------------------ */

/* Has the recorder's own code record the event at this address. */
static void on_event_asked(unsigned int vcpu, uint32_t info, uint64_t event, void *answer)
{
	(void)vcpu;
	(void)info;
	((void (*)(void *))answer)((void *)event);
}

/* The recorder's code is mapped at the same addresses, but only for reading. */
static bool make_executable(void)
{
	uint64_t first = guest.own & ~(uint64_t)(MU_PAGE - 1);

	return !mprotect((void *)first, guest.own_end - first, PROT_READ | PROT_EXEC);
}

static void watch_event_ask(struct qemu_plugin_tb *tb, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);

		if (guest.answers && qemu_plugin_insn_vaddr(insn) == guest.ask)
			qemu_plugin_register_vcpu_mem_cb(insn, on_event_asked, QEMU_NO_REGISTERS,
							 QEMU_READ_OR_WRITE, (void *)guest.answer);
	}
}

/* ---- pauses ------------------------------------------------------------------------------ */

/* The work of the C library for the recorder is not the program's, and it differs from run to run,
 * as the names that it reads contain numbers of processes. */
static __thread unsigned int pauses __attribute__((tls_model("initial-exec")));

static void on_pause(void)
{
	if (!pauses++ && !state.has_threads)
		state.before_pause = state.instructions;
}

static void on_resume(void)
{
	if (pauses && !--pauses && !state.has_threads)
		state.instructions = state.before_pause;
}

/* Notes the time of the profile's end, as a program may end without exit handlers. */
static void note_end_time(void)
{
	struct mu_points *all;

	if (!access_table_of_guest || !rec.image->points)
		return;
	all = (struct mu_points *)(rec.base + rec.image->points);
	if (all->clock == MU_CLOCK_INSTRUCTIONS)
		all->end_time = pauses && !state.has_threads ? state.before_pause
							     : state.instructions;
}

/* ---- translation ------------------------------------------------------------------------- */

static bool is_recorder(uint64_t address)
{
	return address - guest.own < guest.own_end - guest.own;
}

static void on_executed(unsigned int vcpu, void *number)
{
	(void)vcpu;
	if (!state.has_threads)
		state.instructions += (uint64_t)number;
	else if (!pauses)
		__atomic_fetch_add(&state.instructions, (uint64_t)number, __ATOMIC_RELAXED);
}

/* The inline counter of version 1 is not exact with threads. But qemu translates all code again
 * when the second thread begins, for the sake of atomic operations. */
static void count_instructions(struct qemu_plugin_tb *tb, uint64_t number)
{
	if (qemu_plugin_register_vcpu_tb_exec_inline && !state.has_threads)
		qemu_plugin_register_vcpu_tb_exec_inline(tb, QEMU_ADD, &state.instructions, number);
	else
		qemu_plugin_register_vcpu_tb_exec_cb(tb, on_executed, QEMU_NO_REGISTERS,
						     (void *)number);
}

static bool is_stack_use(const struct qemu_plugin_insn *insn)
{
	unsigned char copy[INSTRUCTION_BYTES];
	const void *code = qemu_plugin_insn_data(insn, copy, sizeof(copy));

	return stack_use_only(state.copies_code ? copy : code, qemu_plugin_insn_size(insn));
}

static void on_translated(uint64_t id, struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb);

	(void)id;
	if (!n)
		return;
	if (is_recorder(qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, 0)))) {
		watch_event_ask(tb, n);
		return;
	}
	if (state.counts_instructions)
		count_instructions(tb, n);
	for (size_t i = 0; i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		if (!is_stack_use(insn))
			count_instruction(insn, state.has_threads);
	}
}

static void on_exit_of_thread(uint64_t id, unsigned int vcpu)
{
	(void)id;
	(void)vcpu;
	count_thread_ended();
}

/* ---- the process ------------------------------------------------------------------------- */

/* Any program can make that system call; and if qemu chose other addresses for the process than
 * ours, there is nothing at this one. */
static bool read_guest(uint64_t address, struct emulated *to)
{
	struct iovec local = { to, sizeof(*to) };
	struct iovec remote = { (void *)address, sizeof(*to) };
	ssize_t length = process_vm_readv((pid_t)syscall(SYS_gettid), &local, 1, &remote, 1, 0);

	/* Sandboxes may forbid that call. The other way takes a descriptor for a moment. */
	if (length < 0 && (errno == EPERM || errno == ENOSYS)) {
		int fd = open("/proc/thread-self/mem", O_RDONLY | O_CLOEXEC);
		length = fd < 0 ? -1 : pread(fd, to, sizeof(*to), (off_t)address);
		if (fd >= 0)
			close(fd);
	}
	return length == (ssize_t)sizeof(*to) && to->magic == EMULATED_MAGIC;
}

static void on_syscall(uint64_t id, unsigned int vcpu, int64_t number, uint64_t a1, uint64_t a2,
		       uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8)
{
	struct emulated said;

	(void)id, (void)vcpu, (void)a4, (void)a5, (void)a6, (void)a7, (void)a8;
	note_end_time();
	if (number == SYS_clone && a1 & CLONE_VM && !(a1 & CLONE_VFORK))
		state.has_threads = true;
	if (number == EMULATED_SYSCALL && a1 == EMULATED_PAUSE) {
		guest.own = a2;
		guest.own_end = a3;
		on_pause();
	}
	if (number == EMULATED_SYSCALL && a1 == EMULATED_RESUME)
		on_resume();
	if (number != EMULATED_SYSCALL || !read_guest(a1, &said))
		return;
	guest = said;
	rec.base = (uint8_t *)said.base;
	rec.image = (struct mu_image *)said.base;
	memory_publish(&rec.image->recorder_private);
	arena_locks = (struct arena_locks *)said.locks;
	access_table_of_guest = (struct accesses *)said.table;
	count_begin();
	guest.answers = guest.answer && make_executable();
	((struct emulated *)a1)->instructions = (uint64_t)&state.instructions;
	((struct emulated *)a1)->answers = guest.answers;
}

/* A forked child has its parent's recording mapped: what it does counts when it has said where its
 * own is. The emulator makes a vfork a fork. */
static void on_syscall_done(uint64_t id, unsigned int vcpu, int64_t number, int64_t result)
{
	(void)id, (void)vcpu;
	if (!result && (number == SYS_clone || number == SYS_fork || number == SYS_vfork))
		count_end();
}

/* Runs before qemu asks for the version. Later versions removed functions of the first, and qemu
 * refuses a plugin of a version that it no longer supports. */
__attribute__((constructor)) static void choose_version(void)
{
	if (qemu_plugin_set_pc)
		qemu_plugin_version = 6;
	else if (qemu_plugin_write_register)
		qemu_plugin_version = 5;
	else if (qemu_plugin_read_memory_vaddr)
		qemu_plugin_version = 4;
	else if (!qemu_plugin_register_vcpu_tb_exec_inline)
		qemu_plugin_version = 2;
}

static bool is_known_version(int version)
{
	static const char text[] = "memusage: this emulator is too new: of its interface for "
				   "plugins the versions up to 6 are known\n";

	return version <= QEMU_KNOWN || write(2, text, sizeof(text) - 1) < 0;
}

EXPORT int qemu_plugin_install(uint64_t id, const struct qemu_information *qemu, int argc,
			       char **argv);
EXPORT int qemu_plugin_install(uint64_t id, const struct qemu_information *qemu, int argc,
			       char **argv)
{
	if (!is_known_version(qemu->version))
		return 1;
	state.copies_code = qemu->version >= QEMU_COPIES;
	for (int i = 0; i < argc; i++)
		state.counts_instructions |= strcmp(argv[i], "instructions=on") == 0;
	count_end();
	qemu_plugin_register_vcpu_tb_trans_cb(id, on_translated);
	qemu_plugin_register_vcpu_syscall_cb(id, on_syscall);
	qemu_plugin_register_vcpu_syscall_ret_cb(id, on_syscall_done);
	qemu_plugin_register_vcpu_exit_cb(id, on_exit_of_thread);
	return 0;
}
