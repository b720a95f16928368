/* symbols_cached.c -- names that were looked up once come from the cache the next time, as long as
 * the files are those that they were read from, and whatever is in the directory of the cache.
 *
 * The test changes a name in a file of the cache, and sees where a name comes from.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/symbols/symbols.h"

#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profile/base/crc32.h"
#include "profile/names/names_cache.h"
#include "tests/lib/scratch.h"
#include "tests/lib/shell.h"
#include "tests/lib/tap.h"

static const char source[] =
	"#include <stdlib.h>\n"
	"static inline __attribute__((always_inline)) void *in(int n) { return malloc(n); }\n"
	"__attribute__((noinline)) void *outer(int n)\n"
	"{\n"
	"	void *p = in(n);\n"
	"	return n ? p : 0;\n"
	"}\n"
	"int main(int c, char **v) { return outer(c) == 0; }\n";

enum { ADDRESSES = 256, CRC_AT = 12, CRC_FROM = 16, WRITERS = 20 };

static struct names_cache cache = { .directory = -1, .version = "test" };
static uint64_t outer;

static void look_for_outer(const struct elf_symbol *symbol, void *data)
{
	if (strcmp(symbol->name, "outer") == 0)
		*(uint64_t *)data = symbol->address;
}

static bool find_outer(const char *file)
{
	struct elf_file elf;

	outer = 0;
	if (elf_file_open(&elf, NULL, file, NULL) == 0) {
		elf_file_symbols(&elf, SHT_SYMTAB, look_for_outer, &outer);
		elf_file_close(&elf);
	}
	return outer != 0;
}

static bool compile(void)
{
	FILE *out = fopen("prog.c", "w");
	bool good = out && fputs(source, out) >= 0;

	good = out && fclose(out) == 0 && good;
	return good &&
	       shell("${CC:-cc} -g -O1 -no-pie -Wl,--build-id=sha1 -o prog prog.c 2>/dev/null") &&
	       find_outer("prog");
}

/* Beyond the time within which a second change of a file could not be told from the first. */
static void let_files_settle(void)
{
	usleep(300000);
}

/* ---- the directory ------------------------------------------------------------------------- */

static void begin_directory(const char *name)
{
	if (cache.directory >= 0)
		close(cache.directory);
	mkdir(name, 0700);
	cache.directory = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Counts the files whose names have a PART, and keeps the path of one. */
static char found[PATH_MAX];
static unsigned int files(const char *part)
{
	DIR *dir = fdopendir(openat(cache.directory, ".", O_RDONLY | O_DIRECTORY));
	const struct dirent *entry;
	unsigned int count = 0;

	while (dir && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.' && entry->d_name[1] != 't')
			continue;
		if (strstr(entry->d_name, part)) {
			count++;
			snprintf(found, sizeof(found), "%s", entry->d_name);
		}
	}
	closedir(dir);
	return count;
}

/* Changes the name "outer" in the file found by files() to "OUTER". With_sum: as an attacker would
 * who can write there. */
static bool change_name(bool with_sum)
{
	static char data[1 << 20];
	int fd = openat(cache.directory, found, O_RDWR);
	ssize_t size = pread(fd, data, sizeof(data), 0);
	bool is_changed = false;
	uint32_t crc;

	for (ssize_t i = CRC_FROM; i + 6 <= size; i++) {
		if (memcmp(data + i, "\0outer", 7) == 0) {
			memcpy(data + i, "\0OUTER", 6);
			is_changed = true;
		}
	}
	crc = crc32_add(0, data + CRC_FROM, (size_t)size - CRC_FROM);
	if (with_sum)
		memcpy(data + CRC_AT, &crc, sizeof(crc));
	is_changed = is_changed && pwrite(fd, data, (size_t)size, 0) == size;
	close(fd);
	return is_changed;
}

/* ---- asking -------------------------------------------------------------------------------- */

static const char *program = "prog";

/* The names of COUNT addresses from FIRST on, as one text to be freed. */
static char *ask(uint64_t first, size_t count, const struct symbols_options *o,
		 enum symbols_state *state)
{
	const struct symbols_module module = { .path = program };
	struct symbols_request *request = calloc(count, sizeof(*request));
	struct symbols s;
	size_t size;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; i < count; i++)
		request[i].address = first + i;
	if (symbols_resolve(&s, &module, 1, request, count, o, NULL) < 0)
		fputs("failed", out);
	for (size_t i = 0; i < s.count; i++) {
		for (uint32_t k = 0; k < s.symbol[i].count; k++) {
			const struct symbols_level *l = &s.level[s.symbol[i].first + k];

			fprintf(out, "%s/%s (%s:%u) ", symbols_text(&s, l->name),
				symbols_text(&s, l->full), symbols_text(&s, l->file), l->line);
		}
		fputc('\n', out);
	}
	*state = s.state[0];
	fclose(out);
	symbols_free(&s);
	free(request);
	return text;
}

static char *truth;	/* without a cache */

/* Asks for all addresses. Returns whether the names are right, and sets whether one is changed. */
static bool is_right(bool *is_changed)
{
	const struct symbols_options o = { .cache = &cache };
	enum symbols_state state;
	char *text = ask(outer - 64, ADDRESSES, &o, &state);
	bool result = state == SYMBOLS_READ && strcmp(text, truth) == 0;

	*is_changed = strstr(text, "OUTER") != NULL;
	free(text);
	return result;
}

static bool is_right_anew(void)
{
	bool is_changed;

	return is_right(&is_changed);
}

static bool is_from_cache(void)
{
	bool is_changed;

	is_right(&is_changed);
	return is_changed;
}

/* ---- tests --------------------------------------------------------------------------------- */

static void second_time(void)
{
	begin_directory("second");
	OK(is_right_anew(), "the first time");
	EQ_U(files(".names"), 1);
	EQ_U(files(".tmp"), 0);
	OK(is_right_anew(), "the second time");
	files(".names");
	IS_TRUE(change_name(true));
	OK(is_from_cache(), "... all names come from the cache, and no file is read");
}

/* Each asks for other addresses; what others have found stays. */
static void some_addresses(void)
{
	const struct symbols_options o = { .cache = &cache };
	enum symbols_state state;

	begin_directory("some");
	for (size_t i = 0; i < ADDRESSES; i += 40)
		free(ask(outer - 64 + i, 13, &o, &state));
	EQ_U(files(".names"), 1);
	OK(is_right_anew(), "some names from the cache, others from the file");
	OK(is_right_anew(), "... and all of them from the cache");
}

static void damaged(void)
{
	begin_directory("damaged");
	is_right_anew();
	files(".names");
	IS_TRUE(change_name(false));
	OK(is_right_anew(), "a file with a wrong checksum is not used");
	files(".names");
	IS_TRUE(change_name(true));
	OK(is_from_cache(), "... and is replaced");
	OK(shell("for f in damaged/*; do : >$f; done") && is_right_anew(), "an empty file");
	OK(shell("for f in damaged/*; do truncate -s 40M $f; done") && is_right_anew(),
	   "a large file");
	OK(shell("for f in damaged/*; do rm $f; mkfifo $f; done") && is_right_anew(), "a fifo");
	OK(shell("for f in damaged/*; do rm -r $f; mkdir $f; done") && is_right_anew(),
	   "a directory");
}

/* A link is neither followed when it is read nor written through. */
static void link_attack(void)
{
	begin_directory("link");
	is_right_anew();
	files(".names");
	IS_TRUE(change_name(true));
	OK(shell("cp link/*.names victim; cp victim before; for f in link/*; do ln -sf ../victim"
		 " $f; done") && is_right_anew(), "a link is not read");
	OK(shell("cmp victim before && test ! -L link/*.names"), "... nor written through");
	OK(shell("chmod 666 link/*.names"), "a file that others can write to");
	files(".names");
	IS_TRUE(change_name(true));
	OK(is_right_anew(), "... is not read");
}

static void options(void)
{
	const struct symbols_options short_levels = { .no_inlines = true, .cache = &cache };
	enum symbols_state state;
	char *text;

	begin_directory("options");
	is_right_anew();
	text = ask(outer - 64, ADDRESSES, &short_levels, &state);
	OK(strcmp(text, truth) != 0, "an option that changes the answer");
	free(text);
	EQ_U(files(".names"), 2);
	cache.version = "later";
	OK(is_right_anew(), "another version");
	EQ_U(files(".names"), 3);
	cache.version = "test";
}

/* strip keeps the build-id, and the lines are gone. */
static void changed_module(void)
{
	begin_directory("changed");
	is_right_anew();
	files(".names");
	IS_TRUE(change_name(true));
	OK(shell("cp -p prog prog.copy && mv prog.copy prog") && !is_from_cache(),
	   "another file with the same build-id, size and time");
	let_files_settle();
	is_right_anew();
	EQ_U(files(".names"), 2);
	OK(shell("touch -d '1 hour' prog") && is_right_anew(), "a file that is being written");
	EQ_U(files(".names"), 2);
	OK(shell("touch -d '1 hour ago' prog"), "it is finished");
	let_files_settle();
}

static void not_there(void)
{
	const struct symbols_module module[2] = { { .path = "none" },
						  { .path = "prog", .id = { { 1 }, 20 } } };
	const struct symbols_request request[2] = { { outer, 0 }, { outer, 1 } };
	const struct symbols_options o = { .cache = &cache };
	struct symbols s;

	begin_directory("none");
	EQ_I(symbols_resolve(&s, module, 2, request, 2, &o, NULL), 0);
	EQ_U(s.state[0], SYMBOLS_MISSING);
	EQ_U(s.state[1], SYMBOLS_OTHER_BUILD);
	symbols_free(&s);
	EQ_U(files(""), 0);
}

/* Whether the inlined call is found, which is in the file of a split unit. */
static bool has_inlined_call(void)
{
	const struct symbols_options o = { .cache = &cache };
	enum symbols_state state;
	char *text = ask(outer, ADDRESSES, &o, &state);
	bool result = strstr(text, "in/in (") != NULL;

	free(text);
	return result;
}

/* What lacks a file is not kept: it may be there the next time. */
static void split_units(void)
{
	const uint64_t before = outer;

	if (!strstr(truth, "in/in (") ||
	    !shell("${CC:-cc} -g -gsplit-dwarf -O1 -c -o split.o prog.c 2>/dev/null &&"
		   " ${CC:-cc} -no-pie -o split split.o 2>/dev/null && mv split.dwo away") ||
	    !find_outer("split")) {
		skip("no libdw, or no compiler that splits debug information");
		outer = before;
		return;
	}
	begin_directory("split.cache");
	let_files_settle();
	program = "split";
	OK(!has_inlined_call(), "a split unit whose file is missing");
	EQ_U(files(".names"), 0);
	OK(shell("mv away split.dwo") && has_inlined_call(), "it is there again");
	EQ_U(files(".names"), 1);
	OK(shell("rm split.dwo") && has_inlined_call(), "names that are known need no file");
	program = "prog";
	outer = before;
}

/* A program that dwz has treated has texts in a common file, which is missing here. */
static void common_file(void)
{
	if (!strstr(truth, "in/in (") ||
	    !shell("printf 'none.debug\\0abcdefghijklmnopqrst' >alt && objcopy --add-section"
		   " .gnu_debugaltlink=alt prog common 2>/dev/null")) {
		skip("no libdw, or no objcopy");
		return;
	}
	begin_directory("common.cache");
	let_files_settle();
	program = "common";
	OK(is_right_anew(), "a program whose common file is missing");
	EQ_U(files(".names"), 0);
	program = "prog";
}

static void limited_size(void)
{
	const struct rlimit none = { 0, RLIM_INFINITY };
	struct rlimit before;
	bool right;

	begin_directory("limited");
	getrlimit(RLIMIT_FSIZE, &before);
	setrlimit(RLIMIT_FSIZE, &none);
	right = is_right_anew();
	setrlimit(RLIMIT_FSIZE, &before);
	OK(right, "files may not grow: nothing is kept, and no signal ends the process");
	EQ_U(files(""), 0);
}

/* Only files of the cache are counted and removed, the oldest first. */
static void bounded(void)
{
	struct stat st;

	begin_directory("bounded");
	is_right_anew();
	OK(shell("cd bounded && f=$(echo *.names) && for i in 1 2 3; do"
		 " cp $f 000000000000000$i.names && touch -d \"$i days ago\" 000000000000000$i.names;"
		 " done && cp $f precious && touch -d '9 days ago' precious"
		 " && cp $f .tmp-1-1 && touch -d '9 days ago' .tmp-1-1"), "older files");
	cache.version = "later";
	cache.bytes = UINT64_C(1) << 30;
	is_right_anew();
	EQ_U(files(".names"), 5);
	cache.version = "latest";
	IS_TRUE(stat("bounded/precious", &st) == 0);
	cache.bytes = 4 * (uint64_t)st.st_blocks * 512;
	is_right_anew();
	EQ_U(files(".names"), 3);
	EQ_U(files("0000000000000003.names"), 0);
	EQ_U(files("precious"), 1);
	EQ_U(files(".tmp"), 0);
	cache.bytes = 0;
	cache.version = "test";
}

/* All of them write, and each reads nothing but whole files. */
static void writers_at_once(void)
{
	int status, bad = 0;

	begin_directory("writers");
	for (size_t i = 0; i < WRITERS; i++) {
		if (fork() == 0) {
			const struct symbols_options o = { .cache = &cache };
			enum symbols_state state;

			for (size_t k = 0; k < 5; k++)
				free(ask(outer - 64 + (i * 12 + k * 50) % ADDRESSES, 12, &o,
					 &state));
			_exit(!is_right_anew());
		}
	}
	while (wait(&status) > 0)
		bad += status != 0;
	EQ_I(bad, 0);
	EQ_U(files(".names"), 1);
	EQ_U(files(".tmp"), 0);
	IS_TRUE(change_name(true));
	OK(is_from_cache(), "the file is whole");
}

int main(void)
{
	const struct symbols_options none = { .debuginfod = false };
	enum symbols_state state;

	scratch();
	if (!compile()) {
		skip("no compiler");
		return done_testing();
	}
	let_files_settle();
	truth = ask(outer - 64, ADDRESSES, &none, &state);
	OK(strstr(truth, "outer/outer"), "the function is found");
	second_time();
	some_addresses();
	damaged();
	link_attack();
	options();
	not_there();
	split_units();
	common_file();
	limited_size();
	bounded();
	writers_at_once();
	changed_module();
	free(truth);
	close(cache.directory);
	return done_testing();
}
