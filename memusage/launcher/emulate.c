/* emulate.c -- Run a program in qemu-user, whose plugin counts its accesses.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/launcher/emulate.h"

#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/options.h"
#include "cli/xmalloc.h"
#include "memusage/common/library.h"
#include "memusage/common/program.h"
#include "memusage/launcher/start.h"

enum { SCRIPTS = 4 }; /* the kernel's limit of interpreters that are scripts */

/* A statically linked emulator loads nothing, so it lacks the name of the plugin interface. A file
 * that is not ELF, such as a script that runs the emulator, is not checked. */
static bool takes_plugins(const char *path)
{
	return program_names(path, "qemu_plugin_install") != 0;
}

static char *find_emulator(void)
{
	char *path;

	if (program_find("qemu-x86_64", &path) != 0)
		die("--accesses=emulate needs qemu-x86_64: install the package qemu-user");
	if (!takes_plugins(path))
		die("%s was built without plugins, as in Debian 13 and in backports: "
		    "--accesses=emulate needs a build with plugins, as in Debian 12; or count with "
		    "--accesses=hooks",
		    path);
	return path;
}

static char *find_plugin(void)
{
	char *dir = library_directory();
	char *path = xasprintf("%s/libmemusage_qemu.so", dir);

	if (access(path, R_OK) < 0)
		die("the emulator's plugin is missing: %s: %m; reinstall memusage", path);
	if (strchr(path, ','))
		die("%s: the emulator accepts no path with a comma; use another path", path);
	free(dir);
	return path;
}

/* ---- the program ------------------------------------------------------------------------- */

/* Copies the first line of a script, "#!INTERPRETER [ARGUMENT]", or "" for an ELF program. */
static void read_script_line(const char *file, char line[256])
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd >= 0 ? read(fd, line, 255) : -1;

	if (length < 0)
		die("cannot read %s: %m", file);
	close(fd);
	line[length] = '\0';
	if (strncmp(line, ELFMAG, SELFMAG) == 0 &&
	    (line[EI_CLASS] != ELFCLASS64 || line[18] != EM_X86_64))
		die("%s is not an x86-64 program: it cannot be emulated", file);
	if (strncmp(line, "#!", 2) != 0) {
		if (strncmp(line, ELFMAG, SELFMAG) != 0)
			die("%s is neither an ELF program nor a script with an interpreter (#!): "
			    "it cannot be emulated",
			    file);
		line[0] = '\0';
	}
	line[strcspn(line, "\n")] = '\0';
}

/* As in the kernel, a script's interpreter comes before the script. */
static void add_program(struct opt_list *w, const char *program, char *const *command)
{
	char *before[2 * SCRIPTS];
	const char *name = command[0];
	size_t n = 0;
	char line[256];

	for (int i = 0; ; i++) {
		char *interpreter, *argument;

		read_script_line(program, line);
		if (line[0] == '\0')
			break;
		interpreter = line + 2 + strspn(line + 2, " \t");
		argument = interpreter + strcspn(interpreter, " \t");
		if (*argument)
			*argument++ = '\0';
		argument += strspn(argument, " \t");
		if (i == SCRIPTS || *interpreter == '\0')
			die("%s: cannot find its interpreter", program);
		before[n++] = xstrdup(program);
		if (*argument)
			before[n++] = xstrdup(argument);
		name = program = xstrdup(interpreter);
	}
	opt_list_append(w, "-0");
	opt_list_append(w, name);
	opt_list_append(w, program);
	while (n > 0)
		opt_list_append(w, before[--n]);
}

void emulate_prepare(struct emulation *e, const char *program, char *const *command,
		     const char *library, const char *collector)
{
	const char *preload = getenv("LD_PRELOAD");
	char *plugin = find_plugin();
	struct opt_list w = { .count = 0 };

	e->emulator = find_emulator();
	opt_list_append(&w, e->emulator);
	opt_list_append(&w, "-cpu");
	opt_list_append(&w, "max");
	opt_list_append(&w, "-plugin");
	if (e->counts_instructions)
		plugin = xasprintf("%s,instructions=on", plugin);
	opt_list_append(&w, plugin);
	e->envp = start_environment(NULL, collector,
				    xasprintf("%s\n-cpu\nmax\n-plugin\n%s", e->emulator, plugin));
	if (strchr(library, ',') || (preload && strchr(preload, ',')))
		die("%s: the emulator accepts no path with a comma; use another path", library);
	opt_list_append(&w, "-E");
	opt_list_append(&w, start_preload(library));
	add_program(&w, program, command);
	for (size_t i = 1; command[i]; i++)
		opt_list_append(&w, command[i]);
	e->argv = (char **)(uintptr_t)w.item;
}

void emulate_explain(int signal)
{
	if (signal == SIGILL)
		warn("the program executed an instruction that the emulator does not support, most "
		     "likely AVX-512; build it with -mno-avx512f, or count with --accesses=hooks");
}
