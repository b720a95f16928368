/* symbols_hostile.c -- damaged ELF and DWARF cost their own names, never the caller.
 *
 * A program with debug information is damaged in a thousand ways; each time it is looked up in
 * a child with tight limits, next to a good one, which must keep its names.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/symbols/symbols.h"

#include <elf.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "profile/symbols/elf_file.h"
#include "tests/lib/random.h"
#include "tests/lib/scratch.h"
#include "tests/lib/tap.h"

enum { ROUNDS = 600, SPOTS = 64, SYMBOLS = 40000, SECTIONS = 20000 };

static unsigned char *good;
static size_t good_size;

static bool compile(void)
{
	FILE *out = fopen("prog.cc", "w");

	if (!out)
		return false;
	fputs("#include <stdlib.h>\n"
	      "template <int N> struct T { static inline __attribute__((always_inline)) void *a() {"
	      " return malloc(N); } };\n"
	      "extern \"C\" __attribute__((noinline)) void *work() { return T<3>::a(); }\n"
	      "int main() { return work() != nullptr; }\n", out);
	return fclose(out) == 0 &&
	       system("${CXX:-c++} -g -O1 -no-pie -o prog prog.cc 2>/dev/null") == 0;
}

static void slurp(const char *file)
{
	FILE *in = fopen(file, "rb");
	struct stat st;

	if (!in || fstat(fileno(in), &st) < 0)
		abort();
	good_size = (size_t)st.st_size;
	good = malloc(good_size);
	if (fread(good, 1, good_size, in) != good_size)
		abort();
	fclose(in);
}

static void look(const struct elf_symbol *symbol, void *data)
{
	if (strcmp(symbol->name, "work") == 0)
		*(uint64_t *)data = symbol->address;
}

static uint64_t address_of_work(void)
{
	struct elf_file elf;
	uint64_t address = 0;

	if (elf_file_open(&elf, NULL, "prog", NULL) == 0) {
		elf_file_symbols(&elf, SHT_SYMTAB, look, &address);
		elf_file_close(&elf);
	}
	return address;
}

static void write_bad(const unsigned char *bytes, size_t size)
{
	FILE *out = fopen("bad", "wb");

	if (!out || fwrite(bytes, 1, size, out) != size || fclose(out) != 0)
		abort();
}

/* Bytes changed anywhere, a run of them zeroed or filled, or the end cut off. */
static size_t damage(unsigned char *bytes, unsigned int round)
{
	size_t at = next_random() % good_size, run = next_random() % 4096;

	memcpy(bytes, good, good_size);
	run = run < good_size - at ? run : good_size - at;
	switch (round % 5) {
	case 0:
		return at;
	case 1:
		memset(bytes + at, round & 1 ? 0 : 0xff, run);
		break;
	case 2:
		/* The headers of sections stand at the end. */
		for (int i = 0; i < 8; i++)
			bytes[good_size - 1 - next_random() % 2600] = (unsigned char)next_random();
		break;
	default:
		for (int i = 0; i < SPOTS; i++)
			bytes[next_random() % good_size] = (unsigned char)next_random();
	}
	return good_size;
}

/* Twenty thousand symbol tables in one place: 800 million symbols in two megabytes. */
static void write_endless(void)
{
	const size_t names = sizeof(Elf64_Ehdr), symbols = names + 8;
	const size_t headers = symbols + SYMBOLS * sizeof(Elf64_Sym);
	const size_t size = headers + SECTIONS * sizeof(Elf64_Shdr);
	unsigned char *bytes = calloc(1, size);
	Elf64_Ehdr head = { .e_type = ET_EXEC, .e_shoff = headers,
			    .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = SECTIONS,
			    .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB } };

	memcpy(bytes, &head, sizeof(head));
	memcpy(bytes + names, "\0ab", 4);
	for (size_t i = 0; i < SYMBOLS; i++)
		memcpy(bytes + symbols + i * sizeof(Elf64_Sym),
		       &(Elf64_Sym){ .st_name = 1, .st_info = STT_FUNC, .st_shndx = 1,
				     .st_value = i, .st_size = 1 }, sizeof(Elf64_Sym));
	for (size_t i = 0; i < SECTIONS; i++)
		memcpy(bytes + headers + i * sizeof(Elf64_Shdr),
		       i == 1 ? &(Elf64_Shdr){ .sh_type = SHT_STRTAB, .sh_offset = names,
					       .sh_size = 4 } :
				&(Elf64_Shdr){ .sh_type = SHT_SYMTAB, .sh_offset = symbols,
					       .sh_size = SYMBOLS * sizeof(Elf64_Sym),
					       .sh_entsize = sizeof(Elf64_Sym), .sh_link = 1 },
		       sizeof(Elf64_Shdr));
	write_bad(bytes, size);
	free(bytes);
}

static const struct symbols_module module[] = { { .path = "bad" }, { .path = "prog" } };
static struct symbols_request request[17];

/* Look up; whether the good file has its names. STATE is that of the bad one. */
static bool is_good_kept(unsigned int seconds, enum symbols_state *state)
{
	const struct symbols_options o = { .seconds = seconds, .memory = 256 << 20 };
	const char *name = "";
	struct symbols s;

	if (symbols_resolve(&s, module, 2, request, 17, &o, NULL) < 0)
		return false;
	*state = s.state[0];
	if (s.symbol[16].count)
		name = symbols_text(&s, s.level[s.symbol[16].first + s.symbol[16].count - 1].name);
	name = strcmp(name, "work") == 0 ? "work" : "";
	symbols_free(&s);
	return *name;
}

static void damaged(void)
{
	unsigned int count[SYMBOLS_FAILED + 1] = { 0 }, kept = 0;
	unsigned char *bytes = malloc(good_size);

	for (unsigned int round = 0; round < ROUNDS; round++) {
		enum symbols_state state = SYMBOLS_UNREAD;

		write_bad(bytes, damage(bytes, round));
		kept += is_good_kept(2, &state);
		count[state]++;
	}
	EQ_U(kept, ROUNDS);
	diag("of %d damaged files %u were read, %u were refused, %u broke the child", ROUNDS,
	     count[SYMBOLS_READ], count[SYMBOLS_MISSING] + count[SYMBOLS_OTHER_BUILD],
	     count[SYMBOLS_FAILED]);
	free(bytes);
}

static void endless(void)
{
	enum symbols_state state = SYMBOLS_UNREAD;
	time_t start = time(NULL);

	write_endless();
	OK(is_good_kept(1, &state), "after a file that takes for ever the next one is read");
	EQ_U(state, SYMBOLS_FAILED);
	IN_U((uint64_t)(time(NULL) - start), 0, 20);
}

/* Ten of them take hardly more than two: there is a bound for all together. */
static void endless_all(void)
{
	enum { FILES = 10 };
	const struct symbols_options o = { .seconds = 1, .memory = 256 << 20 };
	struct symbols_module bad[FILES];
	struct symbols_request want[FILES];
	struct rusage before, after;
	struct symbols s;

	for (unsigned int i = 0; i < FILES; i++) {
		bad[i] = module[0];
		want[i] = (struct symbols_request){ .address = request[0].address, .module = i };
	}
	getrusage(RUSAGE_CHILDREN, &before);
	EQ_I(symbols_resolve(&s, bad, FILES, want, FILES, &o, NULL), 0);
	getrusage(RUSAGE_CHILDREN, &after);
	for (unsigned int i = 0; i < FILES; i++)
		EQ_U(s.state[i], SYMBOLS_FAILED);
	IN_U((uint64_t)(after.ru_utime.tv_sec - before.ru_utime.tv_sec), 1, 7);
	symbols_free(&s);
}

int main(void)
{
	uint64_t work;

	scratch();
	if (!compile())
		skip_all("no compiler here");
	slurp("prog");
	work = address_of_work();
	for (unsigned int i = 0; i < 16; i++)
		request[i] = (struct symbols_request){ .address = work + i, .module = 0 };
	request[16] = (struct symbols_request){ .address = work, .module = 1 };
	damaged();
	endless();
	endless_all();
	free(good);
	return done_testing();
}
