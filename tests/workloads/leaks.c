/* leaks.c -- programs that lose blocks, or hold them in ways that are hard to see: `leaks KIND`.
 *
 * What Memcheck says of each is the truth that tests compare with. `leaks` alone lists the kinds;
 * `leaks KIND wait` waits for a line of input before it ends.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define KIND static __attribute__((noinline)) void

struct node {
	struct node *next, *other;
	char text[24];
};

static void *volatile held[64];		     /* global data */
static __thread void *volatile own_word[8];   /* static TLS */
static struct node *volatile first;
static volatile uintptr_t hidden[4];

/* Registers that a function may use without saving them may still have what malloc has returned; the
 * kernel keeps them while the process waits, and they are roots. */
static void clear_registers(void)
{
#ifdef __x86_64__
	__asm__ volatile("xor %%ecx, %%ecx\n\txor %%edx, %%edx\n\txor %%esi, %%esi\n\t"
			 "xor %%edi, %%edi\n\txor %%r8d, %%r8d\n\txor %%r9d, %%r9d\n\t"
			 "xor %%r10d, %%r10d\n\txor %%r11d, %%r11d"
			 : : : "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11");
#endif
}

static __attribute__((noinline)) struct node *make_node(struct node *next, struct node *other)
{
	struct node *n = malloc(sizeof(*n));

	*n = (struct node){ .next = next, .other = other };
	return n;
}

__attribute__((noinline)) static struct node *make_list(int count)
{
	struct node *list = NULL;

	while (count-- > 0)
		list = make_node(list, NULL);
	return list;
}

static __attribute__((noinline)) struct node *make_tree(int depth)
{
	return depth ? make_node(make_tree(depth - 1), make_tree(depth - 1)) : NULL;
}

static struct node *make_ring(int count)
{
	struct node *last = make_node(NULL, NULL), *ring = last;

	while (--count > 0)
		ring = make_node(ring, NULL);
	last->next = ring;
	return ring;
}

/* ---- lost and held ---------------------------------------------------------------------------- */

KIND nothing(void)
{
	free(malloc(100));
}

KIND lost_blocks(void)
{
	for (int i = 0; i < 20; i++)
		memset(malloc(10 + (size_t)i), 0, 10);
}

KIND lost_list(void)
{
	make_list(30);
}

KIND held_list(void)
{
	first = make_list(30);
}

/* The second half of a list whose middle was cut. */
KIND cut_list(void)
{
	first = make_list(30);
	first->next->next->next = NULL;
}

KIND lost_tree(void)
{
	make_tree(7);
}

KIND held_tree(void)
{
	first = make_tree(7);
	first->other = NULL;
}

KIND lost_rings(void)
{
	make_ring(1);
	make_ring(5);
	make_ring(50);
	first = make_ring(9);
}

/* A ring that leads to a list, and another block that leads to the ring. */
KIND ring_with_tail(void)
{
	struct node *ring = make_ring(6);

	ring->other = make_list(10);
	make_node(ring, NULL);
	make_node(ring->next, ring->other);
}

/* Both of two lost blocks lead to a third. */
KIND shared_child(void)
{
	struct node *child = make_list(3);

	make_node(child, NULL);
	make_node(child, NULL);
}

KIND empty_blocks(void)
{
	held[0] = malloc(0);
	malloc(0);
}

KIND resized(void)
{
	char *p = malloc(10);

	held[0] = realloc(p, 5000);
	if (!realloc(malloc(3), 100000))
		abort();
}

KIND other_functions(void)
{
	held[0] = calloc(10, 10);
	if (calloc(3, 33) == NULL)
		abort();
	void *p = strdup("a copy that is lost");
	held[2] = strdup("a copy that is held");
}

KIND large_blocks(void)
{
	held[0] = malloc(3 << 20);
	memset(held[0], 0, 3 << 20);
	*(void **)((char *)held[0] + (2 << 20)) = malloc(77);
	memset(malloc(1 << 20), 0, 100);
}

/* Memory behind pages that the process itself cannot read. */
/* Returns where the last mapping of the recorder's zeroed data ends, NULL if there is none. */
static void *end_of_recorder(void)
{
	static char line[4096];
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long start, end, last = 0;
	int at;

	while (maps && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx %*s %*s %*s %*s %n", &start, &end, &at) < 2)
			continue;
		if (strstr(line, "/libmemusage.so") || (start == last && !line[at]))
			last = end;
	}
	if (maps)
		fclose(maps);
	return (void *)last;
}

/* The kernel lists the page with the data before it as one mapping. */
KIND beside_the_recorder(void)
{
	void *at = end_of_recorder();
	void **page = mmap(at, 4096, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED_NOREPLACE : 0), -1, 0);

	/* Where something else is there, another variable holds it. */
	if (page == MAP_FAILED)
		page = (void **)held;
	*page = malloc(69);
	memset(malloc(33), 0, 33);
}

KIND behind_guards(void)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	char *stack = malloc(64 * page), *large = malloc(8 << 20);
	char *guard = (char *)(((uintptr_t)stack + page) & -page);

	memset(stack, 0, 64 * page);
	*(void **)(stack + 32 * page) = malloc(66);
	mprotect(guard, page, PROT_NONE);
	memset(large, 0, 4096);
	guard = (char *)(((uintptr_t)large + (1 << 20)) & -page);
	mprotect(guard, page, PROT_NONE);
	mprotect(guard + 16 * page, page, PROT_NONE);
	*(void **)(large + (1 << 20) + 8 * page) = malloc(67);
	*(void **)(large + (7 << 20)) = malloc(68);
	held[0] = stack;
	held[1] = large;
	memset(malloc(33), 0, 33);
}

/* ---- interior pointers ------------------------------------------------------------------------ */

KIND interior(void)
{
	held[0] = (char *)malloc(50) + 1;
	held[1] = (char *)malloc(50) + 49;
	held[2] = (char *)malloc(48) + 48; /* the end: no pointer into it */
	held[3] = &make_list(10)->text[4]; /* the rest of the list is possibly lost, too */
}

/* Possible by one way, reachable by another. */
KIND interior_and_start(void)
{
	struct node *n = make_list(5);

	held[0] = n->text;
	held[1] = make_node(n, NULL);
}

KIND interior_of_lost(void)
{
	struct node *n = make_node(NULL, NULL);

	n->other = (struct node *)((char *)malloc(80) + 8);
}

KIND length_first(void)
{
	uint64_t *p = malloc(8 + 100);

	p[0] = 100;
	held[0] = p + 1;
	p = malloc(8 + 8 * 12);
	p[0] = 12;
	held[1] = p + 1;
	p = malloc(8 + 100);
	p[0] = 13;
	held[2] = p + 1;
}

/* 20 blocks with a header of 16 bytes each, and 20 with pointers to different offsets. */
KIND behind_header(void)
{
	char **table = calloc(40, sizeof(*table));

	held[0] = table;
	for (int i = 0; i < 20; i++) {
		table[i] = (char *)calloc(1, 100 + (size_t)i) + 16;
		table[20 + i] = (char *)calloc(1, 70) + 1 + i;
	}
}

/* ---- where pointers are ------------------------------------------------------------------------ */

KIND in_static_tls(void)
{
	own_word[0] = make_list(5);
	own_word[1] = malloc(60);
	own_word[1] = NULL;
}

static pthread_key_t keys[3];

KIND in_thread_keys(void)
{
	for (int i = 0; i < 3; i++) {
		pthread_key_create(&keys[i], NULL);
		pthread_setspecific(keys[i], make_list(4));
	}
	pthread_key_delete(keys[2]);
	pthread_setspecific(keys[1], NULL);
}

static pthread_barrier_t meeting;

static void *hold_on_stack(void *arg)
{
	struct node *volatile list = make_list(8);

	own_word[2] = malloc(33);
	pthread_barrier_wait(&meeting);
	pause();
	return list;
}

/* Threads that wait while the process ends. */
KIND in_other_threads(void)
{
	pthread_t thread;

	pthread_barrier_init(&meeting, NULL, 4);
	for (int i = 0; i < 3; i++) {
		pthread_create(&thread, NULL, hold_on_stack, NULL);
		pthread_detach(thread);
	}
	pthread_barrier_wait(&meeting);
	usleep(50000);
}

/* Whether a thread of ours waits in the kernel. */
static int is_asleep(pid_t tid)
{
	char name[64], text[256];
	const char *state;
	ssize_t n;
	int fd;

	snprintf(name, sizeof(name), "/proc/self/task/%d/stat", (int)tid);
	fd = open(name, O_RDONLY);
	n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	state = strrchr(text, ')');
	return state && state[1] == ' ' && state[2] == 'S';
}

enum { LOSERS = 10 };
static volatile pid_t loser[LOSERS];

static void *lose_and_wait(void *arg)
{
	void *volatile lost = malloc(77);

	lost = NULL;
	*(volatile pid_t *)arg = gettid();
	clear_registers();
	pause();
	return lost;
}

/* What malloc leaves below the stack pointer of a thread that waits is no pointer. */
KIND by_waiting_threads(void)
{
	pthread_t thread;

	for (int i = 0; i < LOSERS; i++) {
		pthread_create(&thread, NULL, lose_and_wait, (void *)&loser[i]);
		pthread_detach(thread);
	}
	for (int i = 0; i < LOSERS; i++) {
		while (!loser[i] || !is_asleep(loser[i]))
			usleep(1000);
	}
}

static void *lose_in_thread(void *arg)
{
	struct node *volatile list = make_list(6);

	list = NULL;
	return list;
}

KIND in_ended_threads(void)
{
	pthread_t thread;

	for (int i = 0; i < 4; i++) {
		pthread_create(&thread, NULL, lose_in_thread, NULL);
		pthread_join(thread, NULL);
	}
}

KIND in_mappings(void)
{
	void **p = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	p[3000] = make_list(5);
	p[3001] = malloc(41);
	p[3001] = NULL;
	p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	p[100] = make_list(3);
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	p[0] = make_list(7);
	munmap(p, 4096);
}

KIND in_file_mapping(void)
{
	FILE *f = tmpfile();
	void **p;

	if (!f || ftruncate(fileno(f), 8192) != 0)
		abort();
	p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(f), 0);
	p[0] = make_list(5);
	p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE, fileno(f), 0);
	p[600] = make_list(4);
	fclose(f);
}

/* Words that are addresses no more: tagged, complemented, shifted, in two halves, not aligned. */
KIND disguised(void)
{
	char *packed = calloc(1, 64);

	hidden[0] = (uintptr_t)malloc(40) | 1; /* an interior pointer */
	hidden[1] = ~(uintptr_t)malloc(41);
	hidden[2] = (uintptr_t)malloc(42) << 3;
	hidden[3] = (uintptr_t)malloc(43) ^ UINT64_C(0x5555555555555555);
	held[0] = packed;
	void *p = malloc(44);
	memcpy(packed + 3, &p, sizeof(p));
}

KIND xor_list(void)
{
	uintptr_t before = 0;
	struct node *n = make_node(NULL, NULL);

	first = n;
	for (int i = 0; i < 10; i++) {
		struct node *next = make_node(NULL, NULL);

		n->next = (struct node *)(before ^ (uintptr_t)next);
		before = (uintptr_t)n;
		n = next;
	}
}

/* In memory that has been freed, or is behind the end of a block. */
KIND in_free_memory(void)
{
	struct node *n = make_node(make_list(3), NULL);
	void **p = malloc(20);

	free(n);
	p[1] = malloc(21);
	held[0] = p;
	p = malloc(64);
	p[7] = malloc(22);
	held[1] = realloc(p, 32);
}

KIND in_environment(void)
{
	char *text = malloc(64);

	strcpy(text, "LEAKS_TEST=in the environment");
	putenv(text);
	setenv("LEAKS_OTHER", "copied", 1);
}

/* ---- ends ----------------------------------------------------------------------------------------- */

static void *volatile at_end;

static void free_at_exit(void)
{
	free(at_end);
}

KIND in_exit_handler(void)
{
	at_end = malloc(70);
	atexit(free_at_exit);
	malloc(71);
}

KIND by_exit(void)
{
	void *volatile mine = malloc(80);

	malloc(81);
	exit(mine == NULL);
}

KIND by_immediate_exit(void)
{
	void *volatile mine = malloc(82);

	malloc(83);
	_exit(mine == NULL);
}

#define ROW(name) { #name, name }
static const struct {
	const char *name;
	void (*run)(void);
} kinds[] = {
	ROW(nothing), ROW(lost_blocks), ROW(lost_list), ROW(held_list), ROW(cut_list),
	ROW(lost_tree), ROW(held_tree), ROW(lost_rings), ROW(ring_with_tail), ROW(shared_child),
	ROW(empty_blocks), ROW(resized), ROW(other_functions), ROW(large_blocks), ROW(behind_guards),
	ROW(beside_the_recorder),
	ROW(interior),
	ROW(interior_and_start), ROW(interior_of_lost), ROW(length_first), ROW(behind_header),
	ROW(in_static_tls), ROW(in_thread_keys), ROW(in_other_threads), ROW(by_waiting_threads),
	ROW(in_ended_threads), ROW(in_mappings), ROW(in_file_mapping), ROW(disguised), ROW(xor_list),
	ROW(in_free_memory),
	ROW(in_environment), ROW(in_exit_handler), ROW(by_exit), ROW(by_immediate_exit),
};

enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

/* What it leaves on the stack is far from where main and its calls are. clang 21 would leave out what
 * nobody uses of the room. */
static __attribute__((noinline)) void run_below(void (*run)(void))
{
	char room[4096];

	__asm__ volatile("" : : "r"(room) : "memory");
	run();
	__asm__ volatile("" : : "r"(room) : "memory");
}

int main(int argc, char **argv)
{
	char line[16];

	for (size_t i = 0; argc < 2 && i < KINDS; i++)
		puts(kinds[i].name);
	for (size_t i = 0; argc > 1 && i < KINDS; i++) {
		if (strcmp(argv[1], kinds[i].name) == 0)
			run_below(kinds[i].run);
	}
	if (argc > 2) {
		clear_registers();
		if (write(STDOUT_FILENO, "ready\n", 6) != 6 ||
		    read(STDIN_FILENO, line, sizeof(line)) < 0)
			return 1;
	}
	return 0;
}
