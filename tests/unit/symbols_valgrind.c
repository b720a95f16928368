/* symbols_valgrind.c -- addresses get the names, files, lines and inlined calls that Massif
 * gives them: C++ by several compilers and options, libraries, scripts' interpreters.
 *
 * A program runs under the real Massif, which prints how it names each address of its tree; we
 * are asked for the same addresses.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/symbols/symbols.h"

#include <sys/stat.h>
#include <unistd.h>

#include "profile/symbols/elf_file.h"
#include "tests/lib/scratch.h"
#include "tests/lib/shell.h"
#include "tests/lib/tap.h"

enum { ADDRESSES = 4096, MAPPINGS = 512, TEXT = 1 << 16 };

/* How Massif names an address: its lines, each with its end. */
struct seen {
	uint64_t address;
	char *lines;
};

struct mapping {
	uint64_t start, end, offset;
	char path[512];
};

static struct seen seen[ADDRESSES];
static size_t seen_count;
static struct mapping mapping[MAPPINGS];
static size_t mapping_count;

/* Another line for an address, unless it has it already. */
static void see(uint64_t address, const char *line)
{
	char *lines;
	size_t i;

	for (i = 0; i < seen_count && seen[i].address != address; i++)
		;
	if (i == ADDRESSES)
		return;
	if (i == seen_count)
		seen[seen_count++] = (struct seen){ address, strdup("") };
	if (strstr(seen[i].lines, line))
		return;
	lines = malloc(strlen(seen[i].lines) + strlen(line) + 1);
	sprintf(lines, "%s%s", seen[i].lines, line);
	free(seen[i].lines);
	seen[i].lines = lines;
}

static bool read_tree(const char *file)
{
	static char line[TEXT];
	FILE *in = fopen(file, "r");
	char *at;

	for (size_t i = 0; i < seen_count; i++)
		free(seen[i].lines);
	seen_count = 0;
	while (in && fgets(line, sizeof(line), in)) {
		at = line + strspn(line, " ");
		if (*at == 'n' && (at = strstr(line, " 0x")))
			see(strtoull(at + 1, NULL, 16), at + 1);
	}
	if (in)
		fclose(in);
	return in && seen_count > 0;
}

static bool read_maps(const char *file)
{
	char line[1024];
	FILE *in = fopen(file, "r");

	mapping_count = 0;
	while (in && fgets(line, sizeof(line), in)) {
		struct mapping *m = &mapping[mapping_count];

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %511[^\n]",
			   &m->start, &m->end, &m->offset, m->path) == 4 &&
		    m->path[0] == '/' && mapping_count < MAPPINGS - 1)
			mapping_count++;
	}
	if (in)
		fclose(in);
	return in && mapping_count > 0;
}

static const struct mapping *mapping_of(uint64_t address)
{
	for (size_t i = 0; i < mapping_count; i++)
		if (address >= mapping[i].start && address < mapping[i].end)
			return &mapping[i];
	return NULL;
}

/* Address in the process minus address in the file. */
static bool bias_of(const struct mapping *m, uint64_t *bias)
{
	struct elf_file file;
	uint64_t low = 0;
	bool is_fixed;

	if (elf_file_open(&file, NULL, m->path, NULL) < 0)
		return false;
	/* e_type: a program that is not relocated has its addresses. */
	is_fixed = file.data[16] == 2;
	elf_file_close(&file);
	for (size_t i = 0; i < mapping_count; i++)
		if (strcmp(mapping[i].path, m->path) == 0 && mapping[i].offset == 0) {
			low = mapping[i].start;
			break;
		}
	*bias = is_fixed ? 0 : low;
	return true;
}

static char *our_lines(uint64_t address, const struct mapping *m, uint64_t bias)
{
	const struct symbols_module module = { .path = m->path };
	const struct symbols_request request = { .address = address - bias };
	const struct symbols_options o = { .in_process = true };
	struct symbols_place place = { .address = address, .object = m->path, .name = "",
				       .file = "" };
	struct symbols s;
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	struct symbol symbol;

	if (symbols_resolve(&s, &module, 1, &request, 1, &o, NULL) < 0)
		abort();
	symbol = s.symbol[0];
	if (symbol.count == 0) {
		symbols_put_massif(out, &place, NULL, 0);
		putc('\n', out);
	}
	for (uint32_t i = symbol.first; i < symbol.first + symbol.count; i++) {
		place.name = symbols_text(&s, s.level[i].name);
		place.file = symbols_text(&s, s.level[i].file);
		place.base = s.level[i].base;
		place.line = s.level[i].line;
		symbols_put_massif(out, &place, NULL, 0);
		putc('\n', out);
	}
	fclose(out);
	symbols_free(&s);
	return text;
}

/* Valgrind cannot name a call that was inlined from another unit. */
static bool is_equal(const char *theirs, const char *ours)
{
	static const char unknown[] = "UnknownInlinedFun";

	while (*theirs) {
		const char *end = strchr(theirs, '\n'), *our_end = strchr(ours, '\n');
		const char *mark = strstr(theirs, unknown);
		size_t head = mark && mark < end ? (size_t)(mark - theirs) : 0;

		if (!our_end)
			return false;
		if (head) {
			size_t tail = (size_t)(end - mark) - strlen(unknown);

			if (strncmp(theirs, ours, head) != 0 || our_end - ours < (ptrdiff_t)tail ||
			    strncmp(end - tail, our_end - tail, tail) != 0)
				return false;
		} else if (end - theirs != our_end - ours ||
			   strncmp(theirs, ours, (size_t)(end - theirs)) != 0) {
			return false;
		}
		theirs = end + 1;
		ours = our_end + 1;
	}
	return !*ours;
}

static void compare(const char *what, size_t least)
{
	size_t same = 0, different = 0;

	for (size_t i = 0; i < seen_count; i++) {
		const struct mapping *m = mapping_of(seen[i].address);
		uint64_t bias;
		char *ours;

		/* Not code of a file: junk at the end of a stack. */
		if (!m || !bias_of(m, &bias))
			continue;
		ours = our_lines(seen[i].address, m, bias);
		if (is_equal(seen[i].lines, ours)) {
			same++;
		} else if (different++ < 5) {
			diag("Massif: %s", seen[i].lines);
			diag("ours:   %s", ours);
		}
		free(ours);
	}
	EQ_U(different, 0);
	OK(same >= least, "%s: %zu addresses have the same names, at least %zu expected", what,
	   same, least);
}

static bool run_massif(const char *command)
{
	return shell("rm -f massif.out maps; valgrind -q --tool=massif "
		     "--massif-out-file=massif.out --depth=200 --threshold=0 --detailed-freq=1 "
		     "--max-snapshots=10 --time-unit=B --show-below-main=yes "
		     "--run-libc-freeres=no --run-cxx-freeres=no %s >massif.log 2>&1", command) &&
	       read_tree("massif.out") && read_maps("maps");
}

static void program(const char *compiler, const char *options)
{
	char what[256];

	snprintf(what, sizeof(what), "%s %s", compiler, options);
	if (!shell("command -v %s >/dev/null", compiler)) {
		skip(what);
		return;
	}
	if (!OK(shell("%s %s -w -o names \"$MU_SRC/tests/workloads/names.cc\"", compiler, options),
		"%s compiles", what) ||
	    !OK(run_massif("./names"), "%s runs under Massif", what))
		return;
	compare(what, 30);
}

static void script(const char *interpreter, const char *command)
{
	if (!shell("command -v %s >/dev/null", interpreter))
		skip(interpreter);
	else if (OK(run_massif(command), "%s runs under Massif", interpreter))
		compare(interpreter, 100);
}

int main(void)
{
	const char *libdw = getenv("LIBDW");

	scratch();
	if (!shell("command -v valgrind >/dev/null"))
		skip_all("no valgrind here");
	if (!shell("{ echo valgrind-3.19; valgrind --version; } | sort -V -C"))
		skip_all("Valgrind is older than 3.19");
	if (libdw && strcmp(libdw, "yes") != 0)
		skip_all("built without libdw");
	program("g++", "-g -O0");
	program("g++", "-g -O2 -no-pie");
	program("g++", "-g -O3 -flto");
	program("g++", "-O2");
	/* Valgrind 3.19 does not read all of clang's DWARF 5. */
	program("clang++", "-g -O2 -gdwarf-4");
	script("perl", "perl -e 'my %h; $h{$_} = [1 .. $_] for 1 .. 50; "
	       "open F, \"/proc/self/maps\"; my @l = <F>; open O, \">maps\"; print O @l;'");
	return done_testing();
}
