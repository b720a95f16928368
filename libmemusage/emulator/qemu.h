/* qemu.h -- what we use of the interface that qemu has for plugins, versions 1 and 2.
 *
 * Debian packages no header of it; these are its functions as its documentation has them. Those
 * that only one version has are weak: which it is shows when the plugin is loaded.
 *
 * Source  docs/devel/tcg-plugins of qemu 7.2 (version 1) and 9.0 (version 2).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_EMULATOR_QEMU_H
#define LIBMEMUSAGE_EMULATOR_QEMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_scoreboard;

enum { QEMU_NO_REGISTERS = 0, QEMU_READ_OR_WRITE = 3, QEMU_ADD = 0 };
/* Bits of an access's description: read, written; both for an atomic operation. */
enum { QEMU_READ_BIT = 1 << 16, QEMU_WRITE_BIT = 2 << 16 };

/* Version 2: a number that each CPU has for itself. */
struct qemu_number {
	struct qemu_plugin_scoreboard *score;
	size_t offset;
};

typedef void (*qemu_vcpu_fn)(uint64_t id, unsigned int vcpu);
typedef void (*qemu_translated_fn)(uint64_t id, struct qemu_plugin_tb *tb);
typedef void (*qemu_access_fn)(unsigned int vcpu, uint32_t info, uint64_t address, void *data);
typedef void (*qemu_syscall_fn)(uint64_t id, unsigned int vcpu, int64_t number, uint64_t a1,
				uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6,
				uint64_t a7, uint64_t a8);

/* qemu_plugin_register_vcpu_exit_cb -- a thread of the program ends. */
void qemu_plugin_register_vcpu_exit_cb(uint64_t id, qemu_vcpu_fn call);
/* qemu_plugin_register_vcpu_tb_trans_cb -- code was translated. */
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, qemu_translated_fn call);
/* qemu_plugin_register_vcpu_syscall_cb -- the program makes a system call. */
void qemu_plugin_register_vcpu_syscall_cb(uint64_t id, qemu_syscall_fn call);
/* qemu_plugin_register_vcpu_mem_cb -- an instruction reads or writes. */
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, qemu_access_fn call,
				      int flags, int kinds, void *data);
/* qemu_plugin_tb_n_insns -- how many instructions were translated. */
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
/* qemu_plugin_tb_get_insn -- one of them. */
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
/* qemu_plugin_insn_vaddr -- its address. */
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
/* qemu_plugin_insn_data -- ... where its bytes are. */
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
/* qemu_plugin_insn_size -- its bytes. */
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
/* qemu_plugin_mem_size_shift -- binary logarithm of the bytes of an access. */
unsigned int qemu_plugin_mem_size_shift(uint32_t info);

/* qemu_plugin_register_vcpu_tb_exec_inline -- version 1: add to a number each time. */
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *tb, int operation,
					      void *number, uint64_t value)
	__attribute__((weak));
/* qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu -- version 2: likewise. */
void qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(struct qemu_plugin_tb *tb, int operation,
						       struct qemu_number number, uint64_t value)
	__attribute__((weak));
/* qemu_plugin_scoreboard_new -- version 2: numbers of each CPU. */
struct qemu_plugin_scoreboard *qemu_plugin_scoreboard_new(size_t bytes) __attribute__((weak));
/* qemu_plugin_u64_sum -- version 2: over all CPUs. */
uint64_t qemu_plugin_u64_sum(struct qemu_number number) __attribute__((weak));

#endif
