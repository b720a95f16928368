/* qemu.h -- the part that we use of qemu's interface for plugins, versions 1 to 6.
 *
 * Debian packages no header of it; these are its functions as documented. A function that only some
 * versions have is weak: its presence when the plugin is loaded shows the version. The change of
 * version 3 is in struct qemu_information. Version 7 gives callbacks other arguments.
 *
 * Source  docs/devel/tcg-plugins of qemu 7.2 (version 1), 9.0 (2) and 10.2 (5), and what its
 *         qemu-plugin.h says of each version up to 7.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct qemu_plugin_tb;
struct qemu_plugin_insn;

enum { QEMU_NO_REGISTERS = 0, QEMU_READ_OR_WRITE = 3, QEMU_ADD = 0, QEMU_COPIES = 3,
       QEMU_KNOWN = 6 };
/* Bits of an access's description: read, written; both for an atomic operation. */
enum { QEMU_READ_BIT = 1 << 16, QEMU_WRITE_BIT = 2 << 16 };

/* The beginning of qemu's description of itself. */
struct qemu_information {
	const char *target;
	int oldest_version, version;
};

typedef void (*qemu_vcpu_fn)(uint64_t id, unsigned int vcpu);
typedef void (*qemu_translated_fn)(uint64_t id, struct qemu_plugin_tb *tb);
typedef void (*qemu_access_fn)(unsigned int vcpu, uint32_t info, uint64_t address, void *data);
typedef void (*qemu_syscall_done_fn)(uint64_t id, unsigned int vcpu, int64_t number,
				     int64_t result);
typedef void (*qemu_syscall_fn)(uint64_t id, unsigned int vcpu, int64_t number, uint64_t a1,
				uint64_t a2, uint64_t a3, uint64_t a4, uint64_t a5, uint64_t a6,
				uint64_t a7, uint64_t a8);

/* qemu_plugin_register_vcpu_exit_cb -- a thread of the program ends. */
void qemu_plugin_register_vcpu_exit_cb(uint64_t id, qemu_vcpu_fn call);
/* qemu_plugin_register_vcpu_tb_trans_cb -- code was translated. */
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, qemu_translated_fn call);
/* qemu_plugin_register_vcpu_syscall_cb -- the program makes a system call. */
void qemu_plugin_register_vcpu_syscall_cb(uint64_t id, qemu_syscall_fn call);
/* qemu_plugin_register_vcpu_syscall_ret_cb -- ... it returns; in a forked child, too. */
void qemu_plugin_register_vcpu_syscall_ret_cb(uint64_t id, qemu_syscall_done_fn call);
/* qemu_plugin_register_vcpu_mem_cb -- an instruction reads or writes. */
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn, qemu_access_fn call,
				      int flags, int kinds, void *data);
/* qemu_plugin_tb_n_insns -- return how many instructions were translated. */
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
/* qemu_plugin_tb_get_insn -- return one of them. */
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
/* qemu_plugin_insn_vaddr -- return its address. */
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
/* qemu_plugin_insn_data -- ... its bytes: versions 1 and 2 return where they are and do not look at
 * the other arguments; later ones copy at most LENGTH of them and return how many. */
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *to, size_t length);
/* qemu_plugin_insn_size -- return its bytes. */
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
/* qemu_plugin_mem_size_shift -- binary logarithm of the bytes of an access. */
unsigned int qemu_plugin_mem_size_shift(uint32_t info);

typedef void (*qemu_executed_fn)(unsigned int vcpu, void *data);
/* qemu_plugin_register_vcpu_tb_exec_cb -- translated code is about to be executed. */
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, qemu_executed_fn call,
					  int flags, void *data);
/* qemu_plugin_register_vcpu_tb_exec_inline -- version 1 only: add to a number each time. */
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *tb, int operation,
					      void *number, uint64_t value)
	__attribute__((weak));

/* qemu_plugin_read_memory_vaddr -- from version 4 on; never called, nor are those that follow. */
void qemu_plugin_read_memory_vaddr(void) __attribute__((weak));
/* qemu_plugin_write_register -- from version 5 on. */
void qemu_plugin_write_register(void) __attribute__((weak));
/* qemu_plugin_set_pc -- from version 6 on. */
void qemu_plugin_set_pc(void) __attribute__((weak));
