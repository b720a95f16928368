/* collector_elfkind.c -- why a program cannot be recorded is told from its file.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/common/elfkind.h"

#include <elf.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memusage/common/program.h"
#include "memusage/report/not_recorded.h"
#include "tests/lib/tap.h"

static char interpreter[64];

static enum elf_kind kind_of(const void *bytes, size_t size)
{
	int fd = open("file", O_WRONLY | O_CREAT | O_TRUNC, 0755);

	if (write(fd, bytes, size) != (ssize_t)size)
		abort();
	close(fd);
	return elfkind_of("file", interpreter, sizeof(interpreter));
}

struct program {
	Elf64_Ehdr header;
	Elf64_Phdr segment[2];
	char loader[32];
};

static struct program make(const char *loader)
{
	struct program p = {
		.header = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1 },
			    .e_type = ET_EXEC, .e_version = 1,
#ifdef __aarch64__
			    .e_machine = EM_AARCH64,
#else
			    .e_machine = EM_X86_64,
#endif
			    .e_phoff = sizeof(Elf64_Ehdr), .e_phentsize = sizeof(Elf64_Phdr),
			    .e_phnum = 2 },
		.segment = { { .p_type = PT_LOAD } },
	};

	if (loader) {
		p.segment[1].p_type = PT_INTERP;
		p.segment[1].p_offset = offsetof(struct program, loader);
		p.segment[1].p_filesz = strlen(loader) + 1;
		strcpy(p.loader, loader);
	}
	return p;
}

static void binaries(void)
{
	struct program p = make("/lib64/ld-linux-x86-64.so.2");

	EQ_I(kind_of(&p, sizeof(p)), ELF_LOADABLE);
	EQ_S(interpreter, "/lib64/ld-linux-x86-64.so.2");
	p = make("/lib/ld-musl-x86_64.so.1");
	EQ_I(kind_of(&p, sizeof(p)), ELF_OTHER_LIBC);
	p = make(NULL);
	EQ_I(kind_of(&p, sizeof(p)), ELF_STATIC);
	p.header.e_ident[EI_CLASS] = ELFCLASS32;
	EQ_I(kind_of(&p, sizeof(p)), ELF_OTHER_CLASS);
	p = make(NULL);
	p.header.e_machine = EM_RISCV;
	EQ_I(kind_of(&p, sizeof(p)), ELF_OTHER_MACHINE);
	p = make(NULL);
	p.header.e_ident[EI_DATA] = ELFDATA2MSB;
	EQ_I(kind_of(&p, sizeof(p)), ELF_OTHER_MACHINE);
}

static void hostile(void)
{
	struct program p = make("/lib64/ld-linux-x86-64.so.2");
	bool lived = true;

	p.header.e_phoff = UINT64_MAX - 10;
	EQ_I(kind_of(&p, sizeof(p)), ELF_LOADABLE);
	p = make("/lib64/ld-linux-x86-64.so.2");
	p.header.e_phnum = 0xffff;
	p.segment[1].p_filesz = UINT64_MAX;
	EQ_I(kind_of(&p, sizeof(p)), ELF_LOADABLE);
	EQ_S(interpreter, "");
	p = make("/lib64/ld-linux-x86-64.so.2");
	for (size_t size = 0; size <= sizeof(p); size++)
		lived = lived && kind_of(&p, size) <= ELF_PRIVILEGED;
	OK(lived, "every truncation has some kind");
}

static void scripts(void)
{
	static const struct {
		const char *text, *want;
	} cases[] = { { "#!/bin/sh\n", "/bin/sh" }, { "#! \t/bin/env perl -w\nx", "/bin/env" },
		      { "#!/no/newline", "/no/newline" }, { "#!\n", "" }, { "#!", "" },
		      { "#!/a/path/that/is/longer/than/the/sixty-four/bytes/that/we/have/for/it\n",
			"/a/path/that/is/longer/than/the/sixty-four/bytes/that/we/have/f" } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		EQ_I(kind_of(cases[i].text, strlen(cases[i].text)), ELF_SCRIPT);
		EQ_S(interpreter, cases[i].want);
	}
	EQ_I(kind_of("echo hi\n", 8), ELF_NO_PROGRAM);
	EQ_I(elfkind_of("nowhere", interpreter, sizeof(interpreter)), ELF_UNREADABLE);
}

static void reasons(void)
{
	struct not_recorded n = { .program = "file" };
	struct program p = make(NULL);
	char text[NOT_RECORDED_TEXT];

	kind_of(&p, sizeof(p));
	HAS_S(not_recorded_reason(&n, text), "file was not recorded: it is statically linked");
	kind_of("#!./loop\n", 9);
	EQ_I(symlink("file", "loop"), 0);
	HAS_S(not_recorded_reason(&n, text), "was not recorded");
	n.filter = "x";
	n.ignored = 3;
	HAS_S(not_recorded_reason(&n, text), "3 programs ran, none of them called 'x'");
	n.ignored = 1;
	HAS_S(not_recorded_reason(&n, text), "1 program ran, none of them called 'x'");
	n.refused = 1;
	HAS_S(not_recorded_reason(&n, text), "no memory");
}

static int find(const char *name)
{
	char *path;
	int status = program_find(name, &path);

	free(path);
	return status;
}

static void search(void)
{
	char *path;

	mkdir("one", 0755);
	mkdir("two", 0755);
	mkdir("one/dir", 0755);
	close(open("one/plain", O_CREAT, 0644));
	close(open("two/plain", O_CREAT, 0755));
	close(open("two/prog", O_CREAT, 0755));
	close(open("here", O_CREAT, 0755));
	close(open("one/only", O_CREAT, 0644));
	setenv("PATH", "nowhere:one:two", 1);
	EQ_I(program_find("prog", &path), 0);
	EQ_S(path, "two/prog");
	free(path);
	EQ_I(program_find("plain", &path), 0);
	EQ_S(path, "two/plain");
	free(path);
	EQ_I(find("only"), 126);
	EQ_I(find("dir"), 127);
	EQ_I(find("absent"), 127);
	EQ_I(find(""), 127);
	EQ_I(find("one/dir"), 126);
	EQ_I(find("one/absent"), 127);
	EQ_I(find("one/plain"), 126);
	EQ_I(find("two/prog"), 0);
	EQ_I(find("here"), 127);
	setenv("PATH", "one::two", 1);
	EQ_I(program_find("here", &path), 0);
	EQ_S(path, "here");
	free(path);
}

int main(void)
{
	binaries();
	hostile();
	scripts();
	reasons();
	search();
	return done_testing();
}
