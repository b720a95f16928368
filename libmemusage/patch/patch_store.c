/* patch_store.c -- stores into code.
 *
 * They go through /proc/self/mem, which can write to read-only mappings. So no page is writable
 * and executable even for a moment, and a system that forbids such pages (systemd's
 * MemoryDenyWriteExecute) does not prevent them. Where that fails, mprotect() is the second way.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <elf.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "libmemusage/base/objects.h"
#include "libmemusage/base/maps.h"
#include "libmemusage/base/sandbox.h"
#include "libmemusage/base/sys.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/patch/patch.h"
#include "libmemusage/unwind/patched_pc.h"

#if defined(__x86_64__)
static bool has_one_thread(void)
{
	struct stat task;

	/* Two links, and one more for each thread. */
	return !sys_failed(SYS4(SYS_newfstatat, AT_FDCWD, "/proc/self/task", &task, 0)) &&
	       task.st_nlink == 3;
}
#endif

bool patch_begin(struct patch *p)
{
#if defined(__x86_64__)
	uint64_t all = ~UINT64_C(0);

	if (sandbox.is_on)
		return false;
	SYS4(SYS_rt_sigprocmask, 0 /* SIG_BLOCK */, &all, &p->mask, sizeof(p->mask));
	long mem = maps_open_own_file("/proc/self/mem", "/proc/thread-self/mem", O_RDWR);
	p->mem = sys_failed(mem) ? -1 : (int)mem;
	p->is_alone = has_one_thread();
	return true;
#else
	(void)p;
	return false;
#endif
}

/* The kernel wrote by another address than the code runs at: a processor may continue with bytes
 * that it has fetched until an instruction that serialises (seen on an EPYC within one thread). */
static void serialise_processor(void)
{
#if defined(__x86_64__)
	uint32_t a = 0, b, c, d;

	__asm__ volatile("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d) : : "memory");
#endif
}

void patch_end(struct patch *p)
{
	if (p->mem >= 0)
		SYS1(SYS_close, p->mem);
	if (!p->is_alone &&
	    !sys_failed(SYS2(SYS_membarrier,
			     MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, 0)))
		SYS2(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE, 0);
	serialise_processor();
	SYS4(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, &p->mask, NULL, sizeof(p->mask));
}

/* Returns the protection of loaded code, by the program headers of its object, and r-x for thunks;
 * -1 where it is not known. */
static int protection_of_code(uint64_t address)
{
	struct object object;

	if (patched_pc_holds(address))
		return PROT_READ | PROT_EXEC;
	int flags = object_of(address, &object) ? object_flags(&object, address) : -1;
	if (flags < 0)
		return -1;
	return (flags & PF_R ? PROT_READ : 0) | (flags & PF_W ? PROT_WRITE : 0) |
	       (flags & PF_X ? PROT_EXEC : 0);
}

/* Makes the pages of some bytes writable; *before gets the protection that they had. */
static bool make_writable(uint64_t address, uint32_t length, int *before)
{
	uint64_t first = address & -(uint64_t)MU_PAGE;

	*before = protection_of_code(address);
	return *before >= 0 && !sys_failed(SYS3(SYS_mprotect, first, address + length - first,
						*before | PROT_WRITE));
}

static void restore_protection(uint64_t address, uint32_t length, int before)
{
	uint64_t first = address & -(uint64_t)MU_PAGE;

	SYS3(SYS_mprotect, first, address + length - first, before);
}

static bool write_through_proc(const struct patch *p, uint64_t address, const void *bytes,
			       uint32_t length)
{
	return p->mem >= 0 &&
	       SYS4(SYS_pwrite64, p->mem, bytes, length, address) == (long)length;
}

bool patch_write(const struct patch *p, uint64_t address, const void *bytes, uint32_t length)
{
	int before;

	if (write_through_proc(p, address, bytes, length))
		return true;
	if (!make_writable(address, length, &before))
		return false;
	memcpy((void *)address, bytes, length);
	restore_protection(address, length, before);
	return true;
}

bool patch_store(const struct patch *p, uint64_t address, uint32_t word)
{
	int before;

	if (write_through_proc(p, address, &word, sizeof(word)))
		return true;
	if (!make_writable(address, sizeof(word), &before))
		return false;
	__atomic_store_n((uint32_t *)address, word, __ATOMIC_RELEASE);
	restore_protection(address, sizeof(word), before);
	return true;
}
