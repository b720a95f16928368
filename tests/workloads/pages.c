/* CFLAGS: -O0 -fno-inline */
/* LDLIBS: -lpthread -ldl */
/* pages.c -- mappings of all kinds. Each function that maps says what is left of it:
 *
 *	live FUNCTION BYTES
 *
 * Usage: pages plain|over|failing|huge|threads|stacks|signals|fork|dlopen LIBRARY|arenas|raw|many|syscalls|entry
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PAGE = 4096, RW = PROT_READ | PROT_WRITE, ANON = MAP_PRIVATE | MAP_ANONYMOUS };

static void die(const char *what)
{
	perror(what);
	_exit(1);
}

static char *must(void *mapped, const char *what)
{
	if (mapped == MAP_FAILED)
		die(what);
	return mapped;
}

/* ---- plain --------------------------------------------------------------------------------- */

static char *whole(size_t pages)
{
	return must(mmap(NULL, pages * PAGE, RW, ANON, -1, 0), "mmap");
}

static char *odd(void)
{
	return must(mmap(NULL, 5 * PAGE + 1, RW, ANON, -1, 0), "mmap");
}

static char *reserved(void)
{
	return must(mmap(NULL, 64 * PAGE, PROT_NONE, ANON | MAP_NORESERVE, -1, 0), "mmap");
}

static char *of_file(void)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	char *result = must(mmap(NULL, 3 * PAGE, PROT_READ, MAP_PRIVATE, fd, 0), "mmap");

	close(fd);
	return result;
}

static char *holed(void)
{
	char *start = must(mmap(NULL, 100 * PAGE, RW, ANON, -1, 0), "mmap");

	for (int i = 1; i < 100; i += 2)
		munmap(start + i * PAGE, PAGE);
	return start;
}

static char *headless(void)
{
	char *start = must(mmap(NULL, 30 * PAGE, RW, ANON, -1, 0), "mmap");

	munmap(start, 10 * PAGE);
	munmap(start + 25 * PAGE, 5 * PAGE);
	return start;
}

/* All but the last page, which is in the way of growing in place. */
static char *mover(char *from, size_t pages, size_t to_pages)
{
	return must(mremap(from, pages * PAGE, to_pages * PAGE, MREMAP_MAYMOVE), "mremap");
}

static char *shrinker(void)
{
	char *start = must(mmap(NULL, 40 * PAGE, RW, ANON, -1, 0), "mmap");

	return must(mremap(start, 40 * PAGE, 15 * PAGE, 0), "mremap");
}

static void breaker(void)
{
	if (sbrk(7 * PAGE) == (void *)-1)
		die("sbrk");
	sbrk(100);
	sbrk(-100);
}

static void unbreaker(void)
{
	sbrk(-3 * PAGE);
}

static char *sharer(int *id)
{
	*id = shmget(IPC_PRIVATE, 9 * PAGE + 5, IPC_CREAT | 0600);
	char *start = *id < 0 ? MAP_FAILED : shmat(*id, NULL, 0);

	if (*id >= 0)
		shmctl(*id, IPC_RMID, NULL);
	return must(start, "shmat");
}

static void last(void)
{
	whole(1);
}

static void plain(void)
{
	int id;
	char *room = reserved();

	whole(11);
	munmap(whole(200), 200 * PAGE);
	odd();
	of_file();
	holed();
	headless();
	shrinker();
	munmap(room, 64 * PAGE);
	char *moved = mover(whole(21), 20, 32);
	munmap(moved + 30 * PAGE, 2 * PAGE);
	breaker();
	unbreaker();
	sharer(&id);
	shmdt(sharer(&id));
	last();
	printf("live whole %d\n", 13 * PAGE);
	printf("live odd %d\n", 6 * PAGE);
	printf("live of_file %d\n", 3 * PAGE);
	printf("live reserved %d\n", 0);
	printf("live holed %d\n", 50 * PAGE);
	printf("live headless %d\n", 15 * PAGE);
	printf("live shrinker %d\n", 15 * PAGE);
	printf("live mover %d\n", 30 * PAGE);
	printf("live breaker %d\n", 4 * PAGE);
	printf("live sharer %d\n", 10 * PAGE);
	printf("live last %d\n", PAGE);
}

/* ---- what Massif counts twice ---------------------------------------------------------------- */

static char *below(void)
{
	return must(mmap(NULL, 50 * PAGE, RW, ANON, -1, 0), "mmap");
}

static void above(char *start, size_t pages)
{
	must(mmap(start, pages * PAGE, RW, ANON | MAP_FIXED, -1, 0), "mmap");
}

static void moved_over(char *to)
{
	char *from = must(mmap(NULL, 4 * PAGE, RW, ANON, -1, 0), "mmap");

	must(mremap(from, 4 * PAGE, 4 * PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, to), "mremap");
}

static void over(void)
{
	char *start = below();

	above(start + 10 * PAGE, 5);
	above(start + 12 * PAGE, 8); /* over parts of both */
	moved_over(start + 18 * PAGE); /* likewise */
	printf("live below %d\n", (50 - 10 - 2) * PAGE);
	printf("live above %d\n", 8 * PAGE);
	printf("live moved_over %d\n", 4 * PAGE);
}

/* ---- failures -------------------------------------------------------------------------------- */

static void expect(int is_right, const char *what)
{
	if (!is_right) {
		fprintf(stderr, "%s: not as expected\n", what);
		_exit(1);
	}
}

static char *kept(void)
{
	return must(mmap(NULL, 16 * PAGE, RW, ANON, -1, 0), "mmap");
}

static void failing(void)
{
	char *start = kept();

	expect(mmap(NULL, 0, RW, ANON, -1, 0) == MAP_FAILED && errno == EINVAL, "empty");
	expect(mmap(NULL, SIZE_MAX - PAGE, RW, ANON, -1, 0) == MAP_FAILED, "all");
	expect(mmap(NULL, SIZE_MAX, RW, ANON, -1, 0) == MAP_FAILED, "more than all");
	expect(mmap(start + 1, PAGE, RW, ANON | MAP_FIXED, -1, 0) == MAP_FAILED, "odd place");
	expect(mmap(NULL, PAGE, RW, MAP_PRIVATE, -1, 0) == MAP_FAILED && errno == EBADF, "no file");
	expect(munmap(start + 1, PAGE) == -1 && errno == EINVAL, "odd munmap");
	expect(munmap(start, 0) == -1 && errno == EINVAL, "empty munmap");
	expect(munmap(start, SIZE_MAX) == -1 && errno == EINVAL, "munmap of all");
	expect(mremap(start, 16 * PAGE, SIZE_MAX - PAGE, MREMAP_MAYMOVE) == MAP_FAILED, "too large");
	expect(mremap(start + 8 * PAGE, PAGE, 0, 0) == MAP_FAILED && errno == EINVAL, "to nothing");
	expect(mremap(start, 16 * PAGE, 16 * PAGE, 64) == MAP_FAILED && errno == EINVAL, "flags");
	expect(shmdt(start) == -1 && errno == EINVAL, "shmdt");
	expect(shmat(-1, NULL, 0) == (void *)-1, "shmat");
	expect(brk((void *)1) == -1 || 1, "brk");
	expect(sbrk((intptr_t)1 << 50) == (void *)-1 && errno == ENOMEM, "sbrk");
	printf("live kept %d\n", 16 * PAGE);
}

static char *huge(void)
{
	return must(mmap(NULL, (size_t)1 << 40, PROT_NONE, ANON | MAP_NORESERVE, -1, 0), "mmap");
}

/* ---- threads --------------------------------------------------------------------------------- */

enum { THREADS = 8, ROUNDS = 3000 };

/* One thread's pages are the next one's as soon as they are gone. */
static void *churn(void *data)
{
	unsigned int seed = (unsigned int)(size_t)data;

	for (int i = 0; i < ROUNDS; i++) {
		size_t pages = 1 + rand_r(&seed) % 50;
		char *start = whole(pages);
		if (i % 3 == 0) /* in place, or moved */
			start = must(mremap(start, pages * PAGE, 2 * pages * PAGE, MREMAP_MAYMOVE),
				     "mremap");
		munmap(start, (i % 3 ? 1 : 2) * pages * PAGE);
	}
	kept();
	return NULL;
}

static void threads(void)
{
	pthread_t id[THREADS];

	for (size_t i = 0; i < THREADS; i++)
		if (pthread_create(&id[i], NULL, churn, (void *)(i + 1)))
			die("pthread_create");
	for (int i = 0; i < THREADS; i++)
		pthread_join(id[i], NULL);
	printf("live whole 0\nlive churn %d\nlive kept %d\n", THREADS * 16 * PAGE,
	       THREADS * 16 * PAGE);
}

static pthread_barrier_t barrier;

static void *wait_there(void *data)
{
	pthread_barrier_wait(&barrier);
	pause();
	return data;
}

/* glibc before 2.34 adds a page to a multiple of 64 KiB. */
#define ONE_STACK ((1 << 20) + 4096)

static void create(int count, size_t size)
{
	pthread_attr_t attributes;
	pthread_t id;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, size);
	pthread_attr_setguardsize(&attributes, 0); /* it is within the size or without */
	for (int i = 0; i < count; i++)
		if (pthread_create(&id, &attributes, wait_there, NULL))
			die("pthread_create");
}

static void stacks(void)
{
	pthread_barrier_init(&barrier, NULL, 6);
	free(malloc(1));
	create(5, ONE_STACK);
	pthread_barrier_wait(&barrier);
	printf("live create %d\n", 5 * ONE_STACK);
}

/* ---- signals --------------------------------------------------------------------------------- */

static volatile int handled;

static void handler(int number)
{
	(void)number;
	munmap(kept(), 16 * PAGE);
	if (handled++ < 20)
		kept();
}

static void signals(void)
{
	struct itimerval every = { { 0, 200 }, { 0, 200 } };

	signal(SIGALRM, handler);
	setitimer(ITIMER_REAL, &every, NULL);
	while (handled < 500)
		munmap(whole(10), 10 * PAGE);
	memset(&every, 0, sizeof(every));
	setitimer(ITIMER_REAL, &every, NULL);
	printf("live kept %d\n", 20 * 16 * PAGE);
}

/* ---- fork, dlopen, arenas -------------------------------------------------------------------- */

static char *in_child(void)
{
	return must(mmap(NULL, 77 * PAGE, RW, ANON, -1, 0), "mmap");
}

/* The child says what is true of it, the parent nothing of the child's. */
static void forking(void)
{
	char *start = kept();
	pid_t child = fork();

	if (child == 0) {
		munmap(start, 6 * PAGE);
		in_child();
		dprintf(1, "child %d kept %d\nchild %d in_child %d\n", getpid(), 10 * PAGE, getpid(),
			77 * PAGE);
		exit(0);
	}
	waitpid(child, NULL, 0);
	printf("live kept %d\nlive in_child 0\n", 16 * PAGE);
}

static void *open_it(const char *file)
{
	void *handle = dlopen(file, RTLD_NOW);

	if (!handle) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	return handle;
}

static void *open_again(const char *file)
{
	return open_it(file);
}

/* What of /proc/self/maps is of a file: its last mapping is followed by what no file fills. */
static size_t extent(void *handle)
{
	struct link_map *map;
	const ElfW(Ehdr) *head;
	size_t end = 0;

	dlinfo(handle, RTLD_DI_LINKMAP, &map);
	head = (const void *)map->l_addr;
	const ElfW(Phdr) *part = (const void *)((const char *)head + head->e_phoff);
	for (int i = 0; i < head->e_phnum; i++)
		if (part[i].p_type == PT_LOAD && part[i].p_vaddr + part[i].p_memsz > end)
			end = part[i].p_vaddr + part[i].p_memsz;
	return (end + PAGE - 1) & -(size_t)PAGE;
}

static void opening(const char *file)
{
	size_t size;
	free(malloc(1));
	void *handle = open_it(file);

	dlclose(handle);
	handle = open_again(file);
	size = extent(handle);
	/* open_again calls open_it */
	printf("live open_it %zu\nlive open_again %zu\n", size, size);
}

static void *one_block(void *data)
{
	data = malloc(100);
	free(data);
	return data;
}

/* malloc of a second thread reserves 64 MiB, of which it makes 132 KiB usable. */
static void arenas(void)
{
	pthread_t id;

	pthread_create(&id, NULL, one_block, NULL);
	pthread_join(id, NULL);
	printf("live one_block %d\n", 64 << 20);
}

static void raw(void)
{
#if defined(__x86_64__)
	register long flags __asm__("r10") = ANON;
	register long fd __asm__("r8") = -1;
	register long offset __asm__("r9") = 0;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(SYS_mmap), "D"(0), "S"(1234 * PAGE), "d"(RW), "r"(flags), "r"(fd),
			   "r"(offset)
			 : "rcx", "r11", "memory");
	must((void *)result, "mmap");
#endif
	printf("unseen %d\n", 1234 * PAGE);
}

/* ---- syscall() ----------------------------------------------------------------------------- */

static char *by_number(size_t pages)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	char *start = must((void *)syscall(SYS_mmap, NULL, pages * PAGE, PROT_READ, MAP_PRIVATE, fd,
					   PAGE), "mmap");
	char *same = must(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, PAGE), "mmap");

	expect(!memcmp(start, same, PAGE), "the seventh argument");
	munmap(same, PAGE);
	close(fd);
	return start;
}

static void break_by_number(void)
{
	long old = syscall(SYS_brk, 0);

	expect(old > 0, "brk says where it is");
	expect(syscall(SYS_brk, old + 9 * PAGE) == old + 9 * PAGE, "brk says where it went");
}

static char *share_by_number(int *id)
{
	*id = shmget(IPC_PRIVATE, 6 * PAGE, IPC_CREAT | 0600);
	return *id < 0 ? NULL : (char *)syscall(SYS_shmat, *id, NULL, 0);
}

static char *remap_by_number(char *start)
{
	return must((void *)syscall(SYS_mremap, start, 10 * PAGE, 200 * PAGE, MREMAP_MAYMOVE),
		    "mremap");
}

static void by_numbers(void)
{
	char *a = by_number(3), *b = whole(10);
	int id;

	expect(!syscall(SYS_munmap, a, PAGE), "munmap");
	errno = 0;
	expect(syscall(SYS_munmap, a + 1, PAGE) == -1 && errno == EINVAL, "a wrong munmap");
	errno = 0;
	expect(syscall(SYS_mmap, NULL, 0, PROT_READ, ANON, -1, 0) == -1 && errno == EINVAL,
	       "a wrong mmap");
	expect(syscall(SYS_getppid) == getppid(), "another system call");
	remap_by_number(b);
	break_by_number();
	char *shared = share_by_number(&id);
	shmctl(id, IPC_RMID, NULL);
	if (shared && shared != (char *)-1) {
		printf("live share_by_number %d\n", 6 * PAGE);
		expect(!syscall(SYS_shmdt, share_by_number(&id)), "shmdt");
		shmctl(id, IPC_RMID, NULL);
	}
	printf("live by_number %d\nlive remap_by_number %d\nlive break_by_number %d\n", 2 * PAGE,
	       200 * PAGE, 9 * PAGE);
}

/* How malloc begins, as the program calls it. */
static void entry(void)
{
	const unsigned char *code = dlsym(RTLD_DEFAULT, "malloc");

	printf("malloc %02x%02x\n", code[0], code[1]);
}

/* Mappings that do not become one: every other one is of another site. */
static void many(void)
{
	enum { COUNT = 5000 };
	char *room = reserved();

	(void)room;
	for (int i = 0; i < COUNT; i++) {
		whole(1);
		kept();
	}
	printf("live whole %d\nlive kept %d\n", COUNT * PAGE, COUNT * 16 * PAGE);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	static char buffer[4096];

	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
	if (!strcmp(how, "plain"))
		plain();
	else if (!strcmp(how, "over"))
		over();
	else if (!strcmp(how, "failing"))
		failing();
	else if (!strcmp(how, "huge"))
		printf("live huge %zu\n", (size_t)1 << 40), huge();
	else if (!strcmp(how, "threads"))
		threads();
	else if (!strcmp(how, "stacks"))
		stacks();
	else if (!strcmp(how, "signals"))
		signals();
	else if (!strcmp(how, "fork"))
		forking();
	else if (!strcmp(how, "dlopen") && argc > 2)
		opening(argv[2]);
	else if (!strcmp(how, "arenas"))
		arenas();
	else if (!strcmp(how, "raw"))
		raw();
	else if (!strcmp(how, "many"))
		many();
	else if (!strcmp(how, "syscalls"))
		by_numbers();
	else if (!strcmp(how, "entry"))
		entry();
	else
		return 2;
	return 0;
}
