/* not_recorded.c -- Why a program or a process is not recorded, and what the kernel knows of it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/report/not_recorded.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/units.h"
#include "cli/xmalloc.h"
#include "memusage/common/elfkind.h"
#include "memusage/common/escape.h"
#include "memusage/common/process.h"
#include "memusage/common/procmem.h"
#include "profile/base/file.h"

/* ---- a program that was run -------------------------------------------------------------- */

enum { PATH_BYTES = 512 };

static const char *elf_kind_reason(enum elf_kind kind)
{
	switch (kind) {
	case ELF_UNREADABLE:
		return "its file cannot be read, so the reason is unknown";
	case ELF_OTHER_CLASS:
		return "it is a 32-bit program, and the recorder is a 64-bit library";
	case ELF_OTHER_MACHINE:
		return "it was built for another processor than the recorder";
	case ELF_STATIC:
		return "it is statically linked: no library can replace its malloc";
	case ELF_PRIVILEGED:
		return "it is setuid, setgid or has capabilities: the dynamic loader ignores "
		       "LD_PRELOAD";
	default:
		return "it ended, or executed another program, before the recorder could start, or "
		       "it was started without the environment of memusage";
	}
}

/* A script is recorded as its interpreter is. Interpreters of interpreters are rare. */
static void describe_kind(const char *file, int depth, char text[NOT_RECORDED_TEXT])
{
	char interpreter[PATH_BYTES];
	enum elf_kind kind = elfkind_of(file, interpreter, sizeof(interpreter));

	if (kind == ELF_SCRIPT && depth < 3)
		describe_kind(interpreter, depth + 1, text);
	else if (kind == ELF_OTHER_LIBC)
		snprintf(text, NOT_RECORDED_TEXT,
			 "%s was not recorded: its C library is not glibc (loader %s)", file,
			 interpreter);
	else
		snprintf(text, NOT_RECORDED_TEXT, "%s was not recorded: %s", file,
			 elf_kind_reason(kind));
}

const char *not_recorded_reason(const struct not_recorded *n, char text[NOT_RECORDED_TEXT])
{
	if (n->refused > 0)
		snprintf(text, NOT_RECORDED_TEXT,
			 "%s was not recorded: no memory was left for its "
			 "recording",
			 n->program);
	else if (n->filter)
		snprintf(text, NOT_RECORDED_TEXT,
			 "nothing was recorded: %" PRIu64
			 " program%s ran, none of them called '%s' (-n, --progname)",
			 n->ignored, n->ignored == 1 ? "" : "s", n->filter);
	else
		describe_kind(n->program, 0, text);
	return text;
}

/* ---- a process that runs without memusage ------------------------------------------------ */

enum { SECONDS = 3, COMMAND_BYTES = 65536 };

/* The use of a process's mappings, in resident bytes. */
enum kind { KIND_HEAP, KIND_ANON, KIND_STACK, KIND_FILE, KIND_SHARED, KINDS };

static const char *const names[KINDS] = {
	[KIND_HEAP] = "heap ([heap], grown by brk)",
	[KIND_ANON] = "other private memory (large blocks, further arenas, stacks of threads)",
	[KIND_STACK] = "stack of the main thread",
	[KIND_FILE] = "files: the program, its libraries, what it mapped",
	[KIND_SHARED] = "shared memory",
};

/* 7ffd1000-7ffd2000 rw-p 00000000 00:00 0       [stack] */
static enum kind mapping_kind(const char *line)
{
	char permissions[8] = "", path[256] = "";
	unsigned long long inode = 0;

	sscanf(line, "%*s %7s %*s %*s %llu %255s", permissions, &inode, path);
	if (strcmp(path, "[heap]") == 0)
		return KIND_HEAP;
	if (strcmp(path, "[stack]") == 0)
		return KIND_STACK;
	if (strlen(permissions) >= 4 && permissions[3] == 's')
		return KIND_SHARED;
	return inode ? KIND_FILE : KIND_ANON;
}

/* Returns false if we have no permission. */
static bool read_smaps(pid_t pid, uint64_t rss[KINDS])
{
	char path[32], *line = NULL;
	enum kind kind = KIND_ANON;
	size_t size = 0;
	bool any = false;
	FILE *smaps;

	snprintf(path, sizeof(path), "/proc/%d/smaps", (int)process_view(pid));
	smaps = fopen(path, "re");
	while (smaps && getline(&line, &size, smaps) > 0) {
		if (strncmp(line, "Rss:", 4) == 0)
			rss[kind] += strtoull(line + 4, NULL, 10) * 1024;
		else if (strchr(line, '-') &&
			 strspn(line, "0123456789abcdef") == (size_t)(strchr(line, '-') - line))
			kind = mapping_kind(line);
		any = true;
	}
	free(line);
	if (smaps)
		fclose(smaps);
	return any;
}

static void print_part(uint64_t bytes, const char *what)
{
	char text[UNITS_LENGTH];

	if (bytes > 0)
		printf("%12s  %s\n", units_bytes(text, bytes), what);
}

static void print_memory_split(pid_t pid, const struct procmem *m)
{
	uint64_t rss[KINDS] = { 0 };
	char a[UNITS_LENGTH], b[UNITS_LENGTH];

	printf("%s of memory now, %s at most, %" PRIu64 " thread%s:\n",
	       units_bytes(a, m->rss_anon + m->rss_file + m->rss_shmem),
	       units_bytes(b, m->rss_peak), m->threads, m->threads == 1 ? "" : "s");
	if (read_smaps(pid, rss)) {
		for (int kind = 0; kind < KINDS; kind++)
			print_part(rss[kind], names[kind]);
	} else {
		print_part(m->rss_anon, "private memory: heap, stacks, variables");
		print_part(m->rss_file, names[KIND_FILE]);
		print_part(m->rss_shmem, names[KIND_SHARED]);
	}
	print_part(m->swap, "swapped out");
}

static void print_growth(const struct procmem *first, const struct procmem *last)
{
	char text[UNITS_LENGTH];
	uint64_t before = first->rss_anon + first->swap, after = last->rss_anon + last->swap;

	if (after == before)
		printf("Its private memory has not changed in %d seconds.\n", SECONDS);
	else
		printf("Its private memory has %s by %s in %d seconds.\n",
		       after > before ? "grown" : "shrunk",
		       units_bytes(text, after > before ? after - before : before - after),
		       SECONDS);
}

/* Prints one line of a quoted word; a script has many. */
static void print_quoted(const char *line, size_t length)
{
	char *text = xstrndup(line, length);
	char safe[4096];

	escape_text(safe, sizeof(safe), text);
	for (const char *c = safe; *c; c++)
		fputs(*c == '\'' ? "'\\''" : (char[]){ *c, '\0' }, stdout);
	free(text);
}

/* Prints a word with the quotes that a shell needs. */
static void print_shell_word(const char *word)
{
	if (*word && word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				       "0123456789_-+=./,:@%")] == '\0') {
		fputs(word, stdout);
		return;
	}
	putchar('\'');
	for (;;) {
		size_t length = strcspn(word, "\n");

		print_quoted(word, length);
		word += length;
		if (*word++ == '\0')
			break;
		putchar('\n');
	}
	putchar('\'');
}

/* Names in the arguments may be relative to this directory. */
static void print_cd_command(pid_t pid)
{
	char path[32], directory[4096], own[4096];
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/%d/cwd", (int)process_view(pid));
	length = readlink(path, directory, sizeof(directory) - 1);
	if (length <= 0)
		return;
	directory[length] = '\0';
	if (getcwd(own, sizeof(own)) && strcmp(own, directory) == 0)
		return;
	fputs("cd ", stdout);
	print_shell_word(directory);
	fputs(" && ", stdout);
}

static void print_rerun_command(pid_t pid)
{
	static char text[COMMAND_BYTES];
	char path[32];
	size_t length;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)process_view(pid));
	length = file_read_text(path, text, sizeof(text));
	if (length == 0)
		return;
	printf("To see how many blocks it has, of which sizes and classes:\n"
	       "  memusage --pid=%d census\n"
	       "To see who allocates from now on, record it as it runs:\n"
	       "  memusage --attach=%d --top\n"
	       "or start it again under memusage:\n  ", (int)pid, (int)pid);
	print_cd_command(pid);
	/* The process chose the words that follow: none of them may become an option. */
	fputs("memusage --record --", stdout);
	for (const char *word = text; word < text + length; word += strlen(word) + 1) {
		putchar(' ');
		print_shell_word(word);
	}
	puts("\nand then ask with memusage --pid=PID detailed_snapshot at any time.");
}

int not_recorded_explain(pid_t pid)
{
	const struct timespec second = { 1, 0 };
	struct procmem first, last;
	int fd = procmem_open(pid);

	if (fd < 0) {
		warn("there is no process %d", (int)pid);
		return -1;
	}
	if (!procmem_read(fd, &first)) {
		warn("process %d has no memory: it has ended or is a kernel thread", (int)pid);
		close(fd);
		return -1;
	}
	warn("process %d does not run under memusage: its blocks are unknown", (int)pid);
	last = first;
	for (int i = 0; i < SECONDS && procmem_read(fd, &last); i++)
		nanosleep(&second, NULL);
	if (procmem_read(fd, &last)) {
		print_memory_split(pid, &last);
		print_growth(&first, &last);
		print_rerun_command(pid);
	} else {
		warn("process %d has ended meanwhile", (int)pid);
	}
	close(fd);
	fflush(stdout);
	return -1;
}
