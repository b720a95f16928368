/* standalone.c -- replays a fuzz target's kept inputs, and damaged forms of them, without clang.
 *
 * Linked with one tests/fuzz/NAME.c, whose LLVMFuzzerTestOneInput() is called with every file
 * of tests/fuzz/corpus/NAME/, with two thousand truncations of it and with some hundreds of seeded
 * mutations (a slow target has replay_truncations and replay_mutations of its own): the same ones
 * in every run. Files kept-*, which fuzzing came to, are replayed as they are. The bytes end where
 * an unreadable page begins, so that reading past them is a fault even without a sanitizer. A crash,
 * a call of more than 10 s or of more than 1 GiB of memory fails; the input that did it is described
 * on the way out.
 *
 *	build/tests/fuzz/NAME            the corpus; TAP on stdout, one check per file
 *	build/tests/fuzz/NAME FILE...    just these files, as they are
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/lib/tap.h"

#define INPUT_MAX ((size_t)1 << 24)
#define MUTATIONS 400
#define TRUNCATIONS 2048

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
extern const unsigned int replay_truncations __attribute__((weak));
extern const unsigned int replay_mutations __attribute__((weak));

/* What is being tried, for the handler. */
static char current[PATH_MAX + 64];
/* The byte after the last one that an input may occupy: unreadable from here on. */
static uint8_t *input_end;

static void on_death(int sig)
{
	static const char what[] = "# the input was: ";

	if (write(1, what, sizeof(what) - 1) < 0 || write(1, current, strlen(current)) < 0 ||
	    write(1, "\n", 1) < 0)
		_exit(1);
	signal(sig, SIG_DFL);
	raise(sig);
}

/* Given by the sanitizers, which end the program without a signal. */
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static void on_report(void)
{
	fflush(stdout);
	printf("# the input was: %s\n", current);
	fflush(stdout);
}

static void guard_input(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *map = mmap(NULL, INPUT_MAX + page, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (map == MAP_FAILED || mprotect(map + INPUT_MAX, page, PROT_NONE) != 0) {
		perror("mmap");
		exit(1);
	}
	input_end = map + INPUT_MAX;
}

static void set_limits(void)
{
	static const int fatal[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM };
	const struct rlimit no_core = { 0, 0 };

	for (size_t i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++)
		signal(fatal[i], on_death);
	setrlimit(RLIMIT_CORE, &no_core);
	if (__sanitizer_set_death_callback)
		__sanitizer_set_death_callback(on_report);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(__clang__)
	/* A sanitizer reserves terabytes. */
	const struct rlimit memory = { (rlim_t)1 << 30, (rlim_t)1 << 30 };

	setrlimit(RLIMIT_AS, &memory);
#endif
}

static void try_input(const uint8_t *data, size_t size)
{
	if (size)
		memcpy(input_end - size, data, size);
	alarm(10);
	LLVMFuzzerTestOneInput(input_end - size, size);
	alarm(0);
}

static void try_truncations(const char *name, const uint8_t *data, size_t size)
{
	size_t step = size / (&replay_truncations ? replay_truncations : TRUNCATIONS) + 1;

	for (size_t n = 0; n < size; n += step) {
		snprintf(current, sizeof(current), "%s, its first %zu bytes", name, n);
		try_input(data, n);
	}
}

/* xorshift64: the same sequence on every machine. */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* One change: a bit, a byte of special value, or eight bytes that make a huge number. */
static void damage(uint8_t *data, size_t size, uint64_t *seed)
{
	static const uint8_t special[] = { 0, 1, 0x7f, 0x80, 0xff, '\n', ' ', '-', '9', '%' };
	uint64_t r = next_random(seed);
	size_t at = (size_t)(next_random(seed) % size);

	if (r % 4 == 0)
		data[at] ^= (uint8_t)(1u << (r >> 8) % 8);
	else if (r % 4 < 3)
		data[at] = special[(r >> 8) % sizeof(special)];
	else
		memset(data + at, (r >> 8) % 2 ? 0xff : 0x7f, size - at < 8 ? size - at : 8);
}

static void try_mutations(const char *name, const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size + 1);
	uint64_t seed = 0x9e3779b97f4a7c15;

	if (!copy || size == 0) {
		free(copy);
		return;
	}
	for (unsigned int i = 0; i < (&replay_mutations ? replay_mutations : MUTATIONS); i++) {
		snprintf(current, sizeof(current), "%s, mutation %u", name, i);
		memcpy(copy, data, size);
		for (unsigned changes = 1 + i % 4; changes > 0; changes--)
			damage(copy, size, &seed);
		try_input(copy, size);
	}
	free(copy);
}

/* Reads a whole file of at most INPUT_MAX bytes into *data, to be freed. False with errno. */
static bool read_file(const char *path, uint8_t **data, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	bool ok = false;

	*data = NULL;
	*size = 0;
	if (fd < 0)
		return false;
	if (fstat(fd, &st) != 0)
		goto out;
	if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size > INPUT_MAX) {
		errno = EFBIG;
		goto out;
	}
	*data = malloc((size_t)st.st_size + 1);
	if (*data && read(fd, *data, (size_t)st.st_size) == st.st_size) {
		*size = (size_t)st.st_size;
		ok = true;
	}
out:
	close(fd);
	return ok;
}

static void try_file(const char *path, bool damaged_too)
{
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	uint8_t *data;
	size_t size;

	if (!read_file(path, &data, &size)) {
		FAIL("%s: %s", name, strerror(errno));
		free(data);
		return;
	}
	snprintf(current, sizeof(current), "%s", name);
	try_input(data, size);
	if (damaged_too) {
		try_truncations(name, data, size);
		try_mutations(name, data, size);
	}
	free(data);
	PASS("%s", name);
}

static int is_input(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void try_corpus(const char *target)
{
	const char *src = getenv("MU_SRC");
	char folder[PATH_MAX], path[PATH_MAX + 256];
	struct dirent **entries;
	int n;

	snprintf(folder, sizeof(folder), "%s/tests/fuzz/corpus/%s", src ? src : ".", target);
	n = scandir(folder, &entries, is_input, alphasort);
	snprintf(current, sizeof(current), "nothing");
	try_input(NULL, 0);
	PASS("empty input");
	OK(n > 0, "%s has inputs", folder);
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, entries[i]->d_name);
		try_file(path, strncmp(entries[i]->d_name, "kept-", 5) != 0);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

int main(int argc, char **argv)
{
	const char *target = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];

	/* The readers' blocks keep their pages from one input to the next. Without that, page faults
	 * are up to two thirds of the time in a virtual machine. */
	mallopt(M_MMAP_THRESHOLD, 4 << 20);
	mallopt(M_TRIM_THRESHOLD, 64 << 20);
	guard_input();
	set_limits();
	for (int i = 1; i < argc; i++)
		try_file(argv[i], false);
	if (argc == 1)
		try_corpus(target);
	return done_testing();
}
