/* emulated_exec.c -- emulating the programs that an emulated process executes.
 *
 * system(), popen(), posix_spawn() and the exec family call the C library's execve in a way that
 * cannot be interposed. So its code is replaced by a jump to ours, which puts the emulator before
 * the program. The interpreter of a script is found here, as the kernel would find it, since the
 * emulator takes only programs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/emulated/emulated_exec.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "libmemusage/base/environment.h"
#include "libmemusage/base/lookup.h"
#include "libmemusage/base/memory.h"
#include "libmemusage/base/sys.h"
#include "libmemusage/patch/patch.h"
#include "recording/env.h"

#define WORDS 32u	 /* of the emulator's command, at most */
#define SCRIPTS 4	 /* interpreters that are scripts themselves, as the kernel allows */
#define JUMP_BYTES 12u

/* The emulator and its options. */
static struct {
	char text[4096]; /* each word is ended by a zero byte */
	char *word[WORDS];
	unsigned int words;
} command;

/* A file's first bytes, which tell its kind. */
struct file_head {
	char bytes[256];
	long length;
};

static bool read_file_head(const char *file, struct file_head *head)
{
	long fd = SYS4(SYS_openat, AT_FDCWD, file, O_RDONLY | O_CLOEXEC, 0);

	if (sys_failed(fd))
		return false;
	head->length = SYS3(SYS_read, fd, head->bytes, sizeof(head->bytes) - 1);
	SYS1(SYS_close, fd);
	if (sys_failed(head->length))
		return false;
	head->bytes[head->length] = '\0';
	return true;
}

static bool is_emulated_program(const struct file_head *head)
{
	const Elf64_Ehdr *elf = (const Elf64_Ehdr *)head->bytes;

	return head->length >= (long)sizeof(*elf) && !memcmp(elf->e_ident, ELFMAG, SELFMAG) &&
	       elf->e_ident[EI_CLASS] == ELFCLASS64 && elf->e_machine == EM_X86_64;
}

/* "#!INTERPRETER [ARGUMENT]": both are ended by a zero byte in place. */
static bool parse_script_line(struct file_head *head, char **interpreter, char **argument)
{
	char *at = head->bytes + 2;

	if (head->length < 3 || head->bytes[0] != '#' || head->bytes[1] != '!')
		return false;
	while (*at == ' ' || *at == '\t')
		at++;
	*interpreter = at;
	*argument = NULL;
	while (*at && *at != ' ' && *at != '\t' && *at != '\n')
		at++;
	if (*at == ' ' || *at == '\t') {
		*at++ = '\0';
		while (*at == ' ' || *at == '\t')
			at++;
		*argument = *at && *at != '\n' ? at : NULL;
	}
	while (*at && *at != '\n')
		at++;
	*at = '\0';
	return **interpreter != '\0';
}

struct emulator_call {
	char **argv;
	unsigned int argc;
	char **envp;
};

static void push_argument(struct emulator_call *call, char *text)
{
	call->argv[call->argc++] = text;
}

static unsigned int count_strings(char *const *list)
{
	unsigned int n = 0;

	while (list && list[n])
		n++;
	return n;
}

/* Gives the recorder to the emulated program, not to the emulator. Returns false if the program is
 * not to be recorded, as our variables were removed. */
static bool append_environment(struct emulator_call *call, char *const *envp)
{
	static const char preload[] = "LD_PRELOAD=";
	unsigned int n = 0;
	bool has_collector = false;
	char *library = NULL;

	for (; envp && *envp; envp++) {
		if (!strncmp(*envp, preload, sizeof(preload) - 1)) {
			library = *envp;
			continue;
		}
		has_collector |= !strncmp(*envp, MU_ENV_COLLECTOR "=", sizeof(MU_ENV_COLLECTOR));
		call->envp[n++] = *envp;
	}
	if (library) {
		push_argument(call, (char *)"-E");
		push_argument(call, library);
	}
	return has_collector && library;
}

/* Appends the program, its name and, for a script, its interpreters. Returns false if the emulator
 * cannot run it. */
static bool append_program(struct emulator_call *call, const char *file, char *const *argv,
			   struct file_head heads[SCRIPTS + 1])
{
	char *before[2 * SCRIPTS];
	unsigned int n = 0, script = 0;
	const char *program = file;

	for (;; script++) {
		char *interpreter, *argument;
		if (!read_file_head(program, &heads[script]))
			return false;
		if (is_emulated_program(&heads[script]))
			break;
		if (script == SCRIPTS ||
		    !parse_script_line(&heads[script], &interpreter, &argument))
			return false;
		/* Outer interpreters come first: collected backwards. */
		before[n++] = (char *)program;
		if (argument)
			before[n++] = argument;
		program = interpreter;
	}
	push_argument(call, (char *)"-0");
	push_argument(call, script ? (char *)program : argv && argv[0] ? argv[0] : (char *)file);
	push_argument(call, (char *)program);
	while (n)
		push_argument(call, before[--n]);
	for (unsigned int i = 1; argv && argv[0] && argv[i]; i++)
		push_argument(call, argv[i]);
	push_argument(call, NULL);
	return true;
}

static long execute_emulated(const char *file, char *const *argv, char *const *envp)
{
	unsigned int room = command.words + count_strings(argv) + 2 * SCRIPTS + 8;
	uint64_t bytes = (room + count_strings(envp) + 1) * sizeof(char *) +
			 (SCRIPTS + 1) * sizeof(struct file_head);
	struct file_head *heads = memory_map(bytes);
	struct emulator_call call = { .argv = (char **)(heads + SCRIPTS + 1) };
	long result;

	if (!heads)
		return -ENOMEM;
	call.envp = call.argv + room;
	for (unsigned int i = 0; i < command.words; i++)
		push_argument(&call, command.word[i]);
	if (append_environment(&call, envp) && append_program(&call, file, argv, heads) &&
	    !sys_failed(SYS3(SYS_faccessat, AT_FDCWD, file, X_OK)))
		result = SYS3(SYS_execve, call.argv[0], call.argv, call.envp);
	else
		result = SYS3(SYS_execve, file, argv, envp);
	memory_unmap(heads, bytes);
	return result;
}

/* In place of execve. */
static int execve_emulated(const char *file, char *const *argv, char *const *envp)
{
	errno = (int)-execute_emulated(file, argv, envp);
	return -1;
}

static void read_emulator_command(void)
{
	const char *value = environment_value(MU_ENV_EMULATOR);

	if (!value || strlen(value) >= sizeof(command.text))
		return;
	strcpy(command.text, value);
	for (char *at = command.text; *at && command.words < WORDS; command.words++) {
		command.word[command.words] = at;
		while (*at && *at != '\n')
			at++;
		if (*at)
			*at++ = '\0';
	}
}

void emulated_exec_start(void)
{
	const struct link_map *library = lookup_object("gnu_get_libc_version");
	uint64_t place = library ? (uint64_t)lookup_in(library, "execve") : 0;
	uint64_t target = (uint64_t)execve_emulated;
	uint8_t jump[JUMP_BYTES] = { 0x48, 0xb8, [10] = 0xff, [11] = 0xe0 }; /* mov rax; jmp rax */
	struct patch patch;

	read_emulator_command();
	if (!command.words || !place || !patch_begin(&patch))
		return;
	memcpy(jump + 2, &target, sizeof(target));
	patch_write(&patch, place, jump, sizeof(jump));
	patch_end(&patch);
}
