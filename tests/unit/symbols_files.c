/* symbols_files.c -- where names come from: the file, its separate debug file, a root of its
 * own, a perf map; and what is said when they cannot be had.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/symbols/symbols.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "profile/base/file.h"
#include "profile/symbols/elf_file.h"
#include "tests/lib/scratch.h"
#include "tests/lib/shell.h"
#include "tests/lib/tap.h"

static const char source[] =
	"#include <stdlib.h>\n"
	"static inline __attribute__((always_inline)) void *in2(int n)\n"
	"{\n"
	"	return malloc(n);\n"		/* line 4 */
	"}\n"
	"static inline __attribute__((always_inline)) void *in1(int n)\n"
	"{\n"
	"	return in2(n + 1);\n"		/* line 8 */
	"}\n"
	"static __attribute__((noinline)) void *local(int n)\n"
	"{\n"
	"	void *p = in1(n);\n"		/* line 12 */
	"	return n ? p : 0;\n"
	"}\n"
	"int longer_name(int n) { return local(n) != 0; }\n"
	"int shrt_name(int n) __attribute__((alias(\"longer_name\")));\n"
	"int main(int c, char **v) { return longer_name(c); }\n";

static bool has_dw;

/* ---- addresses of functions --------------------------------------------------------------- */

struct function {
	const char *name;
	uint64_t start, size;
};

static void look_for(const struct elf_symbol *symbol, void *data)
{
	struct function *f = data;

	if (strcmp(symbol->name, f->name) == 0) {
		f->start = symbol->address;
		f->size = symbol->size;
	}
}

static struct function function_of(const char *file, const char *name)
{
	struct function f = { .name = name };
	struct elf_file elf;

	if (elf_file_open(&elf, NULL, file, NULL) == 0) {
		elf_file_symbols(&elf, SHT_SYMTAB, look_for, &f);
		elf_file_close(&elf);
	}
	return f;
}

/* ---- asking ------------------------------------------------------------------------------- */

static struct symbols s;

static enum symbols_state ask(const struct symbols_module *m, uint64_t first, uint64_t count,
			      const struct symbols_options *o)
{
	struct symbols_request *request = calloc(count + 1, sizeof(*request));
	struct mu_error err;

	for (uint64_t i = 0; i < count; i++)
		request[i].address = first + i;
	EQ_I(symbols_resolve(&s, m, 1, request, count, o, &err), 0);
	free(request);
	return s.state[0];
}

/* The levels of request I: "in2:4 in1:8 local:12". */
static const char *levels(size_t i)
{
	static char text[4096];
	size_t used = 0;

	text[0] = '\0';
	for (uint32_t k = 0; k < s.symbol[i].count; k++) {
		const struct symbols_level *level = &s.level[s.symbol[i].first + k];

		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s:%u",
					 k ? " " : "", symbols_text(&s, level->name),
					 level->line);
	}
	return text;
}

static bool some_has(size_t count, const char *want)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(levels(i), want) == 0)
			return true;
	return false;
}

/* Whether the static function is named, with its line and what was inlined into it if that is
 * known. */
static void check_local(const char *file, const struct symbols_options *o, bool has_lines,
			const char *what)
{
	static struct function f;
	struct symbols_module m = { .path = file };

	/* From the first file asked for: the others are stripped. */
	if (!f.size)
		f = function_of("prog", "local");
	EQ_U(ask(&m, f.start, f.size, o), SYMBOLS_READ);
	if (has_lines && has_dw)
		OK(some_has(f.size, "in2:4 in1:8 local:12"), "%s: lines and inlined calls", what);
	else
		OK(some_has(f.size, "local:0"), "%s: the name", what);
	symbols_free(&s);
}

static bool compile(void)
{
	FILE *out = fopen("prog.c", "w");
	bool good = out && fputs(source, out) >= 0;

	good = out && fclose(out) == 0 && good;
	return good && shell("${CC:-cc} -g -O1 -no-pie -Wl,--build-id=sha1 -o prog prog.c");
}

/* ---- tests -------------------------------------------------------------------------------- */

static void in_the_file(void)
{
	static const struct symbols_options no_inlines = { .no_inlines = true };
	static const struct symbols_options here = { .in_process = true };
	struct symbols_module m = { .path = "prog" };
	struct function f = function_of("prog", "local");

	check_local("prog", NULL, true, "the file itself");
	check_local("prog", &here, true, "without a child");
	EQ_U(ask(&m, f.start, f.size, &no_inlines), SYMBOLS_READ);
	OK(some_has(f.size, has_dw ? "local:4" : "local:0"), "no inlined calls: their line");
	symbols_free(&s);
	f = function_of("prog", "longer_name");
	EQ_U(ask(&m, f.start, 1, NULL), SYMBOLS_READ);
	EQ_S(levels(0), has_dw ? "shrt_name:15" : "shrt_name:0");
	symbols_free(&s);
	EQ_U(ask(&m, 0, 3, NULL), SYMBOLS_READ);
	EQ_U(s.symbol[0].count, 0);
	EQ_S(levels(2), "");
	symbols_free(&s);
}

/* Forms of DWARF: every one tells the same. */
static void forms(void)
{
	static const char *const flags[] = {
		"gcc -gdwarf-3", "gcc -gdwarf-4", "gcc -gdwarf-5", "gcc -gdwarf-5 -gz",
		"gcc -gdwarf-4 -gsplit-dwarf", "gcc -gdwarf-5 -gsplit-dwarf",
		"gcc -gdwarf-5 -fdebug-types-section", "gcc -g -flto", "gcc -g -gno-column-info",
		"gcc -g -ffunction-sections -Wl,--gc-sections", "gcc -g -pie", "gcc -g -m64 -O3",
		"clang -gdwarf-4", "clang -gdwarf-5", "clang -gdwarf-5 -gz",
		"clang -gdwarf-5 -gsplit-dwarf",
	};

	for (size_t i = 0; has_dw && i < sizeof(flags) / sizeof(*flags); i++) {
		struct symbols_module m = { .path = "form" };
		struct function f;

		if (!shell("%s -O1 -o form prog.c >/dev/null 2>&1", flags[i])) {
			skip(flags[i]);
			continue;
		}
		f = function_of("form", "local");
		EQ_U(ask(&m, f.start, f.size, NULL), SYMBOLS_READ);
		OK(some_has(f.size, "in2:4 in1:8 local:12"), "%s", flags[i]);
		symbols_free(&s);
	}
}

static void not_there(void)
{
	struct symbols_module m = { .path = "nothing" };

	EQ_U(ask(&m, 1, 1, NULL), SYMBOLS_MISSING);
	OK(symbols_state_text(s.state[0]), "there is a text for it");
	symbols_free(&s);
	m.path = "/dev/zero";
	EQ_U(ask(&m, 1, 1, NULL), SYMBOLS_MISSING);
	symbols_free(&s);
	mkfifo("device", 0600);
	m.path = "fifo";
	EQ_U(ask(&m, 1, 1, NULL), SYMBOLS_MISSING);
	symbols_free(&s);
	m.path = "prog.c";
	EQ_U(ask(&m, 1, 1, NULL), SYMBOLS_MISSING);
	symbols_free(&s);
}

static void other_build(void)
{
	struct symbols_module m = { .path = "prog" };
	struct elf_file elf;

	EQ_I(elf_file_open(&elf, NULL, "prog", NULL), 0);
	IS_TRUE(elf_file_build_id(&elf, &m.id));
	elf_file_close(&elf);
	EQ_U(m.id.length, 20);
	EQ_U(ask(&m, 1, 1, NULL), SYMBOLS_READ);
	symbols_free(&s);
	m.id.byte[19] ^= 1;
	EQ_U(ask(&m, function_of("prog", "local").start, 1, NULL), SYMBOLS_OTHER_BUILD);
	EQ_U(s.symbol[0].count, 0);
	symbols_free(&s);
}

/* A stripped file and its debug file, next to it and in a root by build-id. */
static void separate(void)
{
	const struct symbols_options rooted = { .root = "root" };
	struct build_id id;
	struct elf_file elf;
	char path[256];
	int length;

	if (!shell("command -v objcopy >/dev/null")) {
		skip("no objcopy here");
		return;
	}
	OK(shell("objcopy --only-keep-debug prog prog.debug && "
		 "objcopy --strip-all --add-gnu-debuglink=prog.debug prog stripped"),
	   "prog is stripped");
	check_local("./stripped", NULL, true, "a debug link");
	OK(shell("mkdir .debug && mv prog.debug .debug"), "it moves to .debug");
	check_local("./stripped", NULL, true, "a debug link to .debug");
	OK(shell("${CC:-cc} -g -O0 -o another prog.c && "
		 "objcopy --only-keep-debug another .debug/prog.debug"),
	   "the link leads to another build");
	{
		struct symbols_module m = { .path = "./stripped" };
		struct function f = function_of("prog", "local");

		EQ_U(ask(&m, f.start, f.size, NULL), SYMBOLS_READ);
		OK(!some_has(f.size, "in2:4 in1:8 local:12"), "another build's lines are not ours");
		symbols_free(&s);
	}
	EQ_I(elf_file_open(&elf, NULL, "prog", NULL), 0);
	elf_file_build_id(&elf, &id);
	elf_file_close(&elf);
	length = snprintf(path, sizeof(path), "root/usr/lib/debug/.build-id/%02x/", id.byte[0]);
	OK(shell("mkdir -p root/srv %s && objcopy --strip-all prog root/srv/real && "
		 "ln -s /srv/real root/srv/link", path), "a root of its own");
	for (uint32_t i = 1; i < id.length; i++)
		length += snprintf(path + length, sizeof(path) - (size_t)length, "%02x",
				   id.byte[i]);
	OK(shell("objcopy --only-keep-debug prog %s.debug", path), "a debug file by build-id");
	check_local("/srv/real", &rooted, true, "by build-id, in a root");
	if (syscall(__NR_openat2, -1, "", NULL, 0) < 0 && (errno == ENOSYS || errno == EPERM))
		skip("no openat2 here: links lead out of a root");
	else
		check_local("/srv/link", &rooted, true, "by build-id, through a link, in a root");
}

/* A server, as far as libdebuginfod is concerned. Without being asked we do not ask it. */
static void debuginfod(void)
{
	const struct symbols_options asked = { .debuginfod = true };
	struct build_id id;
	struct elf_file elf;
	struct symbols_module m = { .path = "./served" };
	char name[2 * BUILD_ID_MAX + 1] = "", here[3000], url[9100];

	if (!has_dw || !shell("command -v objcopy >/dev/null && "
			      "/sbin/ldconfig -p | grep -q libdebuginfod.so.1")) {
		skip("no objcopy, libdebuginfod or libdw");
		return;
	}
	EQ_I(elf_file_open(&elf, NULL, "prog", NULL), 0);
	elf_file_build_id(&elf, &id);
	elf_file_close(&elf);
	for (uint32_t i = 0; i < id.length; i++)
		sprintf(name + 2 * i, "%02x", id.byte[i]);
	OK(shell("mkdir -p server/buildid/%s && objcopy --only-keep-debug prog "
		 "server/buildid/%s/debuginfo && objcopy --strip-all prog served", name, name),
	   "a server");
	setenv("DEBUGINFOD_CACHE_PATH", "cache", 1);
	/* A blank would begin the next URL. */
	size_t length = (size_t)sprintf(url, "file://");
	for (const char *c = getcwd(here, sizeof(here)); *c; c++)
		length += (size_t)sprintf(url + length, *c == ' ' ? "%%20" : "%c", *c);
	strcpy(url + length, "/server/");
	setenv("DEBUGINFOD_URLS", url, 1);
	EQ_U(ask(&m, function_of("prog", "local").start, 1, NULL), SYMBOLS_READ);
	EQ_U(s.symbol[0].count, 0);
	symbols_free(&s);
	check_local("./served", &asked, true, "a server");
}

/* Two debug files of files without build-ids: the checksum decides. */
static void by_checksum(void)
{
	if (!shell("command -v objcopy >/dev/null"))
		return;
	OK(shell("objcopy --remove-section=.note.gnu.build-id prog noid && "
		 "objcopy --only-keep-debug noid noid.debug && "
		 "objcopy --strip-all --add-gnu-debuglink=noid.debug noid noid-stripped"),
	   "files without build-ids");
	check_local("./noid-stripped", NULL, true, "a link with a checksum");
}

static void mini(void)
{
	if (!has_dw || !shell("command -v objcopy >/dev/null && command -v xz >/dev/null")) {
		skip("no objcopy, xz or libdw");
		return;
	}
	OK(shell("objcopy -S --remove-section .gnu_debuglink --remove-section .comment "
		 "--keep-symbol=local prog mini && xz -k mini && "
		 "objcopy --strip-all prog mini-stripped && "
		 "objcopy --remove-section=.note.gnu.build-id "
		 "--add-section .gnu_debugdata=mini.xz mini-stripped"),
	   "a compressed symbol table");
	check_local("./mini-stripped", NULL, false, ".gnu_debugdata");
}

static void perf_maps(void)
{
	const struct symbols_options o = { .perf_map = "map" };
	struct symbols_module m = { .path = NULL };
	FILE *out = fopen("map", "w");

	fputs("1000 10 first\nnonsense\n\n1008 8 later wins /x.js:3\nffffffffffffffff 10 wrap\n"
	      "2000 10\n3000 zz bad\n1020 1  spaced\n", out);
	fclose(out);
	EQ_U(ask(&m, 0x1007, 0x1a, &o), SYMBOLS_READ);
	EQ_S(levels(0), "first:0");
	EQ_S(levels(1), "later wins:3");
	EQ_S(levels(8), "later wins:3");
	EQ_S(levels(9), "");
	EQ_S(levels(0x19), "spaced:0");
	symbols_free(&s);
	EQ_U(ask(&m, 0x1000, 1, NULL), SYMBOLS_MISSING);
	symbols_free(&s);
}

/* Where an interpreter has put the source behind the name. */
static void sources_in_perf_maps(void)
{
	static const struct {
		const char *name, *want, *file;
		uint32_t line;
	} cases[] = {
		{ "py::Index.add:/srv/my app.py", "py::Index.add", "/srv/my app.py", 0 },
		{ "py::<module>:<frozen abc>", "py::<module>", "<frozen abc>", 0 },
		{ "py::f:", "py::f:", "", 0 },
		{ "py::f", "py::f", "", 0 },
		{ "JS:~fill /srv/app.js:3:14", "JS:fill", "/srv/app.js", 3 },
		{ "JS:*join node:path:66:25", "JS:join", "node:path", 66 },
		{ "LazyCompile:~parse /srv/app/index.js:12", "LazyCompile:parse",
		  "/srv/app/index.js", 12 },
		{ "JS:~f file:///srv/a.mjs:1:2", "JS:f", "file:///srv/a.mjs", 1 },
		{ "JS:~ /srv/app.js:1:1", "JS:(anonymous)", "/srv/app.js", 1 },
		{ "JS:~f /srv/app.js", "JS:~f /srv/app.js", "", 0 },
		{ "JS:~f /srv/app.js:x", "JS:~f /srv/app.js:x", "", 0 },
		{ " /a:1", "/a:1", "", 0 },
		{ "void T2.fill(int)", "void T2.fill(int)", "", 0 },
	};
	const size_t count = sizeof(cases) / sizeof(*cases);
	const struct symbols_options o = { .perf_map = "sources" };
	struct symbols_module m = { .path = NULL };
	FILE *out = fopen("sources", "w");

	for (size_t i = 0; i < count; i++)
		fprintf(out, "%zx 1 %s\n", 0x1000 + i, cases[i].name);
	fclose(out);
	EQ_U(ask(&m, 0x1000, count, &o), SYMBOLS_READ);
	for (size_t i = 0; i < count; i++) {
		const struct symbols_level *level = &s.level[s.symbol[i].first];

		EQ_S(symbols_text(&s, level->name), cases[i].want);
		EQ_S(symbols_text(&s, level->file), cases[i].file);
		EQ_U(level->line, cases[i].line);
	}
	symbols_free(&s);
}

/* Of a folder in which anybody may put a file with the name of somebody's process. */
static void perf_maps_of_others(void)
{
	struct symbols_options o = { .perf_map = "theirs" };
	struct symbols_module m = { .path = NULL };
	FILE *out = fopen("theirs", "w");

	fputs("1000 10 ", out);
	for (int i = 0; i < 10000; i++)
		putc('x', out);
	fputs("\n1000 10 forged\n", out);
	fclose(out);
	EQ_U(ask(&m, 0x1000, 1, &o), SYMBOLS_READ);
	EQ_S(levels(0), "forged:0");
	symbols_free(&s);
	if (chown("theirs", 65534, 65534) < 0) {
		skip("a file of another user cannot be made here");
		return;
	}
	EQ_U(ask(&m, 0x1000, 1, &o), SYMBOLS_MISSING);
	symbols_free(&s);
	o.owner = 65534;
	EQ_U(ask(&m, 0x1000, 1, &o), SYMBOLS_READ);
	symbols_free(&s);
}

/* What is no regular file is not even opened: that has effects. */
static void devices(void)
{
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC), fd;
	char events[512];

	EQ_I(mkfifo("a-pipe", 0600), 0);
	EQ_I(inotify_add_watch(watch, "a-pipe", IN_OPEN), 1);
	EQ_I(file_open_below(NULL, "a-pipe"), -1);
	EQ_I(errno, EINVAL);
	EQ_I(file_open_below(NULL, "/dev/null"), -1);
	EQ_I(errno, EINVAL);
	EQ_I(file_open_below(".", "a-pipe"), -1);
	EQ_I(read(watch, events, sizeof(events)), -1);
	EQ_I(errno, EAGAIN);
	close(watch);
	EQ_I(file_open_below(NULL, "missing"), -1);
	EQ_I(errno, ENOENT);
	fd = file_open_below(NULL, "map");
	OK(fd >= 0, "a file is opened");
	EQ_I(fcntl(fd, F_GETFL) & (O_PATH | O_ACCMODE), O_RDONLY);
	close(fd);
}

/* A process that began after the file was made, and one that began before. */
static void times_of_change(void)
{
	struct symbols_options o = { .perf_map = "map", .start_ns = UINT64_MAX };
	struct symbols_module jit = { .path = NULL }, plain = { .path = "prog" }, built = plain;
	struct elf_file elf;

	EQ_U(ask(&jit, 0x1000, 1, &o), SYMBOLS_MISSING);
	symbols_free(&s);
	EQ_U(ask(&plain, 1, 1, &o), SYMBOLS_READ);
	symbols_free(&s);
	o.start_ns = 1;
	EQ_U(ask(&jit, 0x1000, 1, &o), SYMBOLS_READ);
	symbols_free(&s);
	EQ_U(ask(&plain, function_of("prog", "local").start, 1, &o), SYMBOLS_DOUBTFUL);
	EQ_U(s.symbol[0].count > 0, 1);
	symbols_free(&s);
	EQ_I(elf_file_open(&elf, NULL, "prog", NULL), 0);
	IS_TRUE(elf_file_build_id(&elf, &built.id));
	elf_file_close(&elf);
	EQ_U(ask(&built, 1, 1, &o), SYMBOLS_READ);
	symbols_free(&s);
}

static char *massif(const struct symbols_place *place, const char *const *strip, size_t count)
{
	static char text[256];
	FILE *out = fmemopen(text, sizeof(text), "w");

	symbols_put_massif(out, place, strip, count);
	fclose(out);
	return text;
}

static void massif_forms(void)
{
	static const char *const strip[] = { "none", "src/" };
	static const char *const whole[] = { "" };
	struct symbols_place p = { .address = 0xabcd, .name = "f(int)", .file = "/src/a/b.c",
				   .base = 5, .line = 3, .object = "/lib/o.so" };

	EQ_S(massif(&p, NULL, 0), "0xABCD: f(int) (a/b.c:3)");
	EQ_S(massif(&p, strip, 2), "0xABCD: f(int) (a/b.c:3)");
	EQ_S(massif(&p, strip, 1), "0xABCD: f(int) (/src/a/b.c:3)");
	EQ_S(massif(&p, whole, 1), "0xABCD: f(int) (/src/a/b.c:3)");
	p.name = "";
	EQ_S(massif(&p, NULL, 0), "0xABCD: ??" "? (a/b.c:3)");
	p.file = "";
	EQ_S(massif(&p, NULL, 0), "0xABCD: ??" "? (in /lib/o.so)");
	p.object = "";
	EQ_S(massif(&p, NULL, 0), "0xABCD: ??" "?");
	p.name = "g";
	EQ_S(massif(&p, NULL, 0), "0xABCD: g (in ??" "?)");
}

int main(void)
{
	const char *libdw = getenv("LIBDW");

	scratch();
	has_dw = !libdw || strcmp(libdw, "yes") == 0;
	if (!compile())
		skip_all("no compiler here");
	in_the_file();
	forms();
	not_there();
	other_build();
	separate();
	by_checksum();
	debuginfod();
	mini();
	perf_maps();
	sources_in_perf_maps();
	perf_maps_of_others();
	devices();
	times_of_change();
	massif_forms();
	return done_testing();
}
