/* registers.c -- fills every register that the CPU has, goes into the recorder from code that it
 * patches, and prints which registers were changed by that: `registers WAY`.
 *
 * request  a client request of Valgrind's macros
 * symbol   functions that --alloc-symbol and --free-symbol name (pool_take, pool_give)
 * own      the program's own malloc (registers_own)
 * pages    libc's mmap, mremap, munmap and syscall (--pages-as-heap)
 * versions nothing: prints where libc's string functions are in it, which it chooses by the CPU
 *
 * Each in the first thread, in a thread that libc starts without pthread_create(), in a forked child
 * and in a child of a raw clone(): the first event there does what is done once. What the calling
 * convention or a macro lets change is not looked at; all else must come back as it was, in whatever
 * unit of the CPU it lies. The first line names the units: sse, avx or avx512.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <dlfcn.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#ifndef __x86_64__

int main(void)
{
	puts("no registers");
	return 0;
}

#else

enum { SSE, AVX, AVX512 };
enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI }; /* and r8 to r15 */

/* The offsets stand in probe() once more. */
struct registers {
	unsigned char vector[32][64];
	uint64_t mask[8];
	unsigned char legacy[512]; /* of fxsave: x87 and MXCSR */
	uint64_t general[16];
	uint64_t flags;
} __attribute__((aligned(64)));
_Static_assert(offsetof(struct registers, mask) == 2048, "see probe()");
_Static_assert(offsetof(struct registers, legacy) == 2112, "see probe()");
_Static_assert(offsetof(struct registers, general) == 2624, "see probe()");
_Static_assert(offsetof(struct registers, flags) == 2752, "see probe()");

/* probe -- fill all registers from *before, call way(), and write them to *after.
 * On the stack while it runs: 0 (a seventh argument), way, after, level, control words. */
void probe(const struct registers *before, struct registers *after, void *way, long level);
__asm__(".text\n.globl probe\n.type probe, @function\nprobe:\n.cfi_startproc\n"
	"push %rbp\n.cfi_adjust_cfa_offset 8\npush %rbx\n.cfi_adjust_cfa_offset 8\n"
	"push %r12\n.cfi_adjust_cfa_offset 8\npush %r13\n.cfi_adjust_cfa_offset 8\n"
	"push %r14\n.cfi_adjust_cfa_offset 8\npush %r15\n.cfi_adjust_cfa_offset 8\n"
	"sub $40, %rsp\n.cfi_adjust_cfa_offset 40\n"
	"movq $0, (%rsp)\nmov %rdx, 8(%rsp)\nmov %rsi, 16(%rsp)\nmov %rcx, 24(%rsp)\n"
	"fnstcw 32(%rsp)\nstmxcsr 36(%rsp)\n"
	"fxrstor64 2112(%rdi)\n"
	"cmp $1, %rcx\nja 2f\nje 1f\n"
	".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\nmovdqu 64*\\n(%rdi), %xmm\\n\n.endr\n"
	"jmp 3f\n1:\n"
	".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\nvmovdqu 64*\\n(%rdi), %ymm\\n\n.endr\n"
	"jmp 3f\n2:\n"
	".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,"
	"30,31\n"
	"vmovdqu64 64*\\n(%rdi), %zmm\\n\n.endr\n"
	".irp n,0,1,2,3,4,5,6,7\nkmovq 2048+8*\\n(%rdi), %k\\n\n.endr\n"
	"3:\npushq 2752(%rdi)\npopfq\n"
	"mov 2624(%rdi), %rax\nmov 2632(%rdi), %rcx\nmov 2640(%rdi), %rdx\nmov 2648(%rdi), %rbx\n"
	"mov 2664(%rdi), %rbp\nmov 2672(%rdi), %rsi\n"
	".irp n,8,9,10,11,12,13,14,15\nmov 2624+8*\\n(%rdi), %r\\n\n.endr\n"
	"mov 2680(%rdi), %rdi\n"
	"call *8(%rsp)\n"
	"push %rax\npushfq\nmov 32(%rsp), %rax\n"
	"mov %rcx, 2632(%rax)\nmov %rdx, 2640(%rax)\nmov %rbx, 2648(%rax)\n"
	"mov %rbp, 2664(%rax)\nmov %rsi, 2672(%rax)\nmov %rdi, 2680(%rax)\n"
	".irp n,8,9,10,11,12,13,14,15\nmov %r\\n, 2624+8*\\n(%rax)\n.endr\n"
	"popq 2752(%rax)\npopq 2624(%rax)\ncld\n"
	"cmpq $1, 24(%rsp)\nja 2f\nje 1f\n"
	".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\nmovdqu %xmm\\n, 64*\\n(%rax)\n.endr\n"
	"jmp 3f\n1:\n"
	".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\nvmovdqu %ymm\\n, 64*\\n(%rax)\n.endr\n"
	"jmp 3f\n2:\n"
	".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,"
	"30,31\n"
	"vmovdqu64 %zmm\\n, 64*\\n(%rax)\n.endr\n"
	".irp n,0,1,2,3,4,5,6,7\nkmovq %k\\n, 2048+8*\\n(%rax)\n.endr\n"
	"3:\nfxsave64 2112(%rax)\n"
	"fninit\nfldcw 32(%rsp)\nldmxcsr 36(%rsp)\n"
	"cmpq $0, 24(%rsp)\nje 4f\nvzeroupper\n4:\n"
	"add $40, %rsp\n.cfi_adjust_cfa_offset -40\n"
	"pop %r15\n.cfi_adjust_cfa_offset -8\npop %r14\n.cfi_adjust_cfa_offset -8\n"
	"pop %r13\n.cfi_adjust_cfa_offset -8\npop %r12\n.cfi_adjust_cfa_offset -8\n"
	"pop %rbx\n.cfi_adjust_cfa_offset -8\npop %rbp\n.cfi_adjust_cfa_offset -8\n"
	"ret\n.cfi_endproc\n.size probe, . - probe\n");

/* A client request: arguments at rax. */
void request(void);
__asm__(".type request, @function\nrequest:\n.cfi_startproc\n"
	"rolq $3, %rdi\nrolq $13, %rdi\nrolq $61, %rdi\nrolq $51, %rdi\nxchgq %rbx, %rbx\n"
	"ret\n.cfi_endproc\n.size request, . - request\n");

/* Allocators that change rax alone. Nothing is used again. */
static unsigned char area[8 << 20] __attribute__((used, aligned(16)));
static uint64_t area_used __attribute__((used));
#define TAKE \
	"push %rcx\n.cfi_adjust_cfa_offset 8\npushfq\n.cfi_adjust_cfa_offset 8\n" \
	"lea 31(%rdi), %rax\nand $-16, %rax\nlock xadd %rax, area_used(%rip)\n" \
	"lea area(%rip), %rcx\nadd %rcx, %rax\n" \
	"popfq\n.cfi_adjust_cfa_offset -8\npop %rcx\n.cfi_adjust_cfa_offset -8\nret\n"
#define FUNCTION(name, body) \
	__asm__(".globl " #name "\n.type " #name ", @function\n.p2align 4\n" #name ":\n" \
		".cfi_startproc\n" body ".cfi_endproc\n.size " #name ", . - " #name "\n");
void *pool_take(size_t size);
void pool_give(void *block);
FUNCTION(pool_take, TAKE)
FUNCTION(pool_give, "nopl 0(%rax)\nnopl 0(%rax)\nret\n")

#ifdef OWN_MALLOC
FUNCTION(malloc, TAKE)
FUNCTION(free, "nopl 0(%rax)\nnopl 0(%rax)\nret\n")

__attribute__((noinline)) void *calloc(size_t count, size_t size)
{
	return malloc(count * size);
}

__attribute__((noinline)) void *realloc(void *old, size_t size)
{
	void *block = malloc(size);

	return old ? memcpy(block, old, size) : block;
}
#endif

/* ---- what is compared ---------------------------------------------------------------------- */

enum { FREE_RAX = 1, FREE_FLAGS = 2, FREE_CALL = 4 /* all that a call may change */ };

static long level;
static int wrong;

static unsigned long bytes_of_vector(void)
{
	return level == AVX512 ? 64 : level == AVX ? 32 : 16;
}

/* Allocates nothing. */
static void say(const char *line, size_t length)
{
	if (write(1, line, length) != (ssize_t)length)
		_exit(3);
}

static void fill(struct registers *r, unsigned seed)
{
	static const unsigned char x87[] = {
		0x7f, 0x0b, 0x00, 0x28, 0xff /* control: round up; status: top is 5; all in use */
	};
	uint32_t mxcsr = 0xbfbf; /* flush to zero, round down, all flags, all masked */

	memset(r, 0, sizeof(*r));
	for (unsigned i = 0; i < sizeof(r->vector); i++)
		r->vector[i / 64][i % 64] = (unsigned char)(i * 7 + i / 64 + seed);
	for (unsigned i = 0; i < 8; i++)
		r->mask[i] = 0x1122334455667788u * (i + 1) + seed;
	for (unsigned i = 0; i < 16; i++)
		r->general[i] = 0x7000000000000100u * (i + 1) + seed;
	memcpy(r->legacy, x87, sizeof(x87));
	memcpy(r->legacy + 24, &mxcsr, sizeof(mxcsr));
	for (unsigned i = 0; i < 8; i++) {
		memset(r->legacy + 32 + 16 * i, (int)(0x80 + i + seed % 16), 8);
		r->legacy[32 + 16 * i + 8] = (unsigned char)i;
		r->legacy[32 + 16 * i + 9] = 0x40;
	}
	r->flags = 0x202 | 0x8d5; /* carry, parity, adjust, zero, sign, overflow */
}

static unsigned name_general(char *to, const struct registers *a, const struct registers *b,
			     unsigned is_free)
{
	static const char *const names[] = { "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi",
					     "rdi", "r8", "r9", "r10", "r11", "r12", "r13",
					     "r14", "r15" };
	unsigned length = 0;

	for (unsigned i = 0; i < 16; i++) {
		int is_kept = i == RBX || i == RBP || i >= 12;
		if (i == RSP || (i == RAX && is_free & FREE_RAX) || (is_free & FREE_CALL && !is_kept))
			continue;
		if (a->general[i] != b->general[i])
			length += (unsigned)sprintf(to + length, " %s", names[i]);
	}
	return length;
}

/* Writes names, returns how long they are. */
static unsigned differences(char *to, const struct registers *a, const struct registers *b,
			    unsigned is_free)
{
	unsigned length = name_general(to, a, b, is_free);

	for (unsigned i = 0; i < (level == AVX512 ? 32u : 16u); i++)
		if (memcmp(a->vector[i], b->vector[i], bytes_of_vector()))
			length += (unsigned)sprintf(to + length, " vector%u", i);
	for (unsigned i = 0; level == AVX512 && i < 8; i++)
		if (a->mask[i] != b->mask[i])
			length += (unsigned)sprintf(to + length, " k%u", i);
	/* Not the last instruction and its operand, which differ by CPU. */
	if (memcmp(a->legacy, b->legacy, 5) || memcmp(a->legacy + 32, b->legacy + 32, 128))
		length += (unsigned)sprintf(to + length, " x87");
	if (memcmp(a->legacy + 24, b->legacy + 24, 4))
		length += (unsigned)sprintf(to + length, " mxcsr");
	if (!(is_free & (FREE_FLAGS | FREE_CALL)) && (a->flags ^ b->flags) & 0x8d5)
		length += (unsigned)sprintf(to + length, " flags");
	return length;
}

/* One call with arguments; returns its result. */
static uint64_t check(const char *what, void *way, const uint64_t argument[6], unsigned is_free)
{
	static _Thread_local struct registers before, after;
	char line[600];
	unsigned length = (unsigned)sprintf(line, "%s changed:", what);
	static const unsigned char at[] = { RDI, RSI, RDX, RCX, 8, 9 };

	fill(&before, (unsigned)(uintptr_t)&line / 16);
	for (unsigned i = 0; i < 6; i++)
		before.general[at[i]] = argument[i];
	before.general[RAX] = (uint64_t)argument; /* of a request */
	probe(&before, &after, way, level);
	unsigned more = differences(line + length, &before, &after, is_free);
	if (more) {
		line[length + more] = '\n';
		say(line, length + more + 1);
		__atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
	}
	return after.general[RAX];
}

/* ---- ways ---------------------------------------------------------------------------------- */

enum { MALLOCLIKE_BLOCK = 0x1301, FREELIKE_BLOCK = 0x1302 }; /* of valgrind.h */

static void by_request(void)
{
	uint64_t block = (uint64_t)pool_take(48);
	const uint64_t take[6] = { MALLOCLIKE_BLOCK, block, 48 };
	const uint64_t give[6] = { FREELIKE_BLOCK, block };

	check("a block that is announced", (void *)request, take, FREE_FLAGS);
	check("its end", (void *)request, give, FREE_FLAGS);
}

static void by_symbol(void)
{
	const uint64_t size[6] = { 48 };
	const uint64_t block[6] = { check("pool_take", (void *)pool_take, size, FREE_RAX) };

	check("pool_give", (void *)pool_give, block, 0);
}

static void by_own(void)
{
	const uint64_t size[6] = { 48 };
	const uint64_t block[6] = { check("malloc", (void *)malloc, size, FREE_RAX) };

	check("free", (void *)free, block, 0);
}

/* libc's own, which are not what the program calls by these names. */
static void by_pages(void)
{
	static void *map, *remap, *unmap, *call;
	void *libc = map ? NULL : dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
	uint64_t none = (uint64_t)-1;

	if (libc) {
		unmap = dlsym(libc, "munmap");
		remap = dlsym(libc, "mremap");
		call = dlsym(libc, "syscall");
		map = dlsym(libc, "mmap");
	}
	const uint64_t new[6] = { 0, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, none, 0 };
	uint64_t page = check("mmap", map, new, FREE_CALL);
	const uint64_t larger[6] = { page, 8192, 65536, MREMAP_MAYMOVE };
	page = check("mremap", remap, larger, FREE_CALL);
	const uint64_t old[6] = { page, 65536 };
	check("munmap", unmap, old, FREE_CALL);
	const uint64_t raw[6] = { SYS_mmap, 0, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, none };
	page = check("syscall", call, raw, FREE_CALL);
	const uint64_t raw_old[6] = { SYS_munmap, page, 8192 };
	check("syscall that unmaps", call, raw_old, FREE_CALL);
}

static void versions(void)
{
	const char *start = dlsym(RTLD_DEFAULT, "gnu_get_libc_version");
	const char *found = dlsym(RTLD_DEFAULT, "strchr"), *copy = dlsym(RTLD_DEFAULT, "memcpy");
	char line[100];

	say(line, (size_t)sprintf(line, "%td %td\n", found - start, copy - start));
}

/* ---- where --------------------------------------------------------------------------------- */

static void (*way)(void);

/* Twice: what is done once, and what always is. */
static int both(void *unused)
{
	(void)unused;
	way();
	way();
	return 0;
}

static void in_child(const char *what, int is_raw)
{
	pid_t child = is_raw ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : fork();
	int status;

	if (!child) {
		both(NULL);
		_exit(wrong != 0);
	}
	if (waitpid(child, &status, 0) != child || status) {
		char line[80];
		say(line, (size_t)sprintf(line, "%s failed: %x\n", what, status));
		wrong++;
	}
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "";
	static const char *const levels[] = { "sse\n", "avx\n", "avx512\n" };
	thrd_t thread;

	__builtin_cpu_init();
	level = __builtin_cpu_supports("avx512bw") ? AVX512
	      : __builtin_cpu_supports("avx")	   ? AVX
						   : SSE;
	say(levels[level], strlen(levels[level]));
	way = !strcmp(name, "request") ? by_request
	    : !strcmp(name, "symbol")  ? by_symbol
	    : !strcmp(name, "own")     ? by_own
	    : !strcmp(name, "pages")   ? by_pages
				       : NULL;
	if (!strcmp(name, "versions"))
		versions();
	if (!way)
		return 2;
	both(NULL);
	if (thrd_create(&thread, both, NULL) == thrd_success)
		thrd_join(thread, NULL);
	in_child("a fork", 0);
	in_child("a raw clone", 1);
	return wrong != 0;
}

#endif
