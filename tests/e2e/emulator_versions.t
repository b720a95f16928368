#!/bin/sh
# emulator_versions.t -- the emulator's plugin says the version of the interface that qemu has, finds
# instructions as that version gives them, counts them, and refuses a version that it does not know.
#
# A host stands in for qemu, since each distribution has one version of it: what the functions take
# and return is as qemu's documentation of each version says.
#
# SPDX-License-Identifier: LGPL-2.1-or-later
. "${MU_SRC:-$(dirname "$0")/../..}/tests/lib/tap.sh"
need_machine x86_64 'emulators are used on x86-64 only'
plugin=$MU_BUILD/lib/memusage/libmemusage_qemu.so
was_built "$plugin"

cat >host.c <<'END'
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libmemusage/emulated/emulated.h"

struct insn { const uint8_t *code; size_t size; uint64_t address; int seen; };
struct information { const char *target; int oldest, version; };
typedef void (*translated)(uint64_t, void *);
typedef void (*syscalled)(uint64_t, unsigned, int64_t, uint64_t, uint64_t, uint64_t, uint64_t,
			  uint64_t, uint64_t, uint64_t, uint64_t);
typedef void (*executed)(unsigned, void *);

/* mov %rax,(%rdi); push %rax; lock incl (%rdi) */
static const uint8_t code[] = { 0x48, 0x89, 0x07, 0x50, 0xf0, 0xff, 0x07 };
static struct insn insns[3] = { { code, 3, 0x1000 }, { code + 3, 1, 0x1003 },
				{ code + 4, 3, 0x1004 } };
static translated on_translated;
static syscalled on_syscall;
static executed on_executed;
static void *number;
static uint64_t added;

void qemu_plugin_register_vcpu_exit_cb(uint64_t id, void *call) { (void)id, (void)call; }
void qemu_plugin_register_vcpu_syscall_ret_cb(uint64_t id, void *call) { (void)id, (void)call; }
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, translated call) { on_translated = call; }
void qemu_plugin_register_vcpu_syscall_cb(uint64_t id, syscalled call) { on_syscall = call; }
void qemu_plugin_register_vcpu_mem_cb(struct insn *insn, void *call, int flags, int kinds, void *data)
{
	insn->seen = kinds;
}
size_t qemu_plugin_tb_n_insns(const void *tb) { return 3; }
struct insn *qemu_plugin_tb_get_insn(const void *tb, size_t i) { return &insns[i]; }
uint64_t qemu_plugin_insn_vaddr(const struct insn *insn) { return insn->address; }
size_t qemu_plugin_insn_size(const struct insn *insn) { return insn->size; }
unsigned qemu_plugin_mem_size_shift(uint32_t info) { return 3; }
void qemu_plugin_register_vcpu_tb_exec_cb(void *tb, executed call, int flags, void *data)
{
	on_executed = call;
	number = data;
}
#if VERSION < 3
const void *qemu_plugin_insn_data(const struct insn *insn) { return insn->code; }
#else
size_t qemu_plugin_insn_data(const struct insn *insn, void *to, size_t length)
{
	size_t size = insn->size < length ? insn->size : length;
	memcpy(to, insn->code, size);
	return size;
}
#endif
#if VERSION == 1
static uint64_t *counter;
void qemu_plugin_register_vcpu_tb_exec_inline(void *tb, int operation, uint64_t *to, uint64_t value)
{
	counter = to;
	added = value;
}
#endif
#if VERSION >= 4
void qemu_plugin_read_memory_vaddr(void) { }
#endif
#if VERSION >= 5
void qemu_plugin_write_register(void) { }
#endif
#if VERSION >= 6
void qemu_plugin_set_pc(void) { }
#endif

static void execute(void)
{
#if VERSION == 1
	*counter += added;
#else
	on_executed(0, number);
#endif
}

int main(int argc, char **argv)
{
	static char image[1 << 20], table[1 << 16], locks[1 << 12];
	struct emulated said = { .magic = EMULATED_MAGIC, .base = (uint64_t)image,
				 .table = (uint64_t)table, .locks = (uint64_t)locks };
	struct information about = { "x86_64", 1, VERSION };
	char option[] = "instructions=on", *options[] = { option };
	void *plugin = dlopen(argv[1], RTLD_NOW);
	if (!plugin) {
		puts(dlerror());
		return 1;
	}
	printf("says %d\n", *(int *)dlsym(plugin, "qemu_plugin_version"));
	fflush(stdout);
	int (*install)(uint64_t, struct information *, int, char **) =
		(int (*)(uint64_t, struct information *, int, char **))dlsym(plugin,
									      "qemu_plugin_install");
	if (install(7, &about, 1, options)) {
		puts("refused");
		return 0;
	}
	on_translated(7, insns);
	printf("accesses %d %d %d\n", insns[0].seen, insns[1].seen, insns[2].seen);
	on_syscall(7, 0, EMULATED_SYSCALL, (uint64_t)&said, 0, 0, 0, 0, 0, 0, 0);
	uint64_t *count = (uint64_t *)said.instructions, before = *count;
	execute();
	execute();
	on_syscall(7, 0, EMULATED_SYSCALL, EMULATED_PAUSE, 16, 32, 0, 0, 0, 0, 0);
	execute();
	on_syscall(7, 0, EMULATED_SYSCALL, EMULATED_RESUME, 0, 0, 0, 0, 0, 0, 0);
	printf("instructions %d\n", (int)(*count - before));
	return 0;
}
END

for version in 1 2 3 4 5 6 7; do
	compile "${CC:-cc}" -w -DVERSION=$version -I"$MU_SRC" -rdynamic host.c -o host -ldl
	./host "$plugin" >out 2>err
	case $version in
	3) says=2 ;; # nothing tells it from 2 when the plugin is loaded, and qemu takes that
	7) says=6 ;;
	*) says=$version ;;
	esac
	if [ $version -lt 7 ]; then
		want="says $says
accesses 3 0 3
instructions 6"
	else
		want="says $says
refused"
	fi
	is "$(cat out)" "$want" "version $version"
done
like "$(cat err)" 'memusage: this emulator is too new' '... which is said'
done_testing
