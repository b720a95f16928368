/* accesses.c -- Options that count reads and writes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/options/accesses.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "memusage/common/library.h"
#include "memusage/common/program.h"

/* The hooks of one sanitizer see all accesses, those of the other the atomic operations, since the
 * first takes an atomic addition for a write alone. The run-time library of neither is linked. The
 * code generator would expand comparisons inline, where no hook sees them. */
#define CLANG_FLAGS \
	"-fsanitize=kernel-address -mllvm -asan-instrumentation-with-call-threshold=0 " \
	"-mllvm -asan-stack=0 -mllvm -asan-globals=0 -mllvm -asan-opt=0 " \
	"-mllvm -asan-instrument-atomics=0 -Xclang -fsanitize=thread " \
	"-mllvm -tsan-instrument-memory-accesses=0 -mllvm -tsan-instrument-func-entry-exit=0 " \
	"-mllvm -tsan-instrument-memintrinsics=0 " \
	"-fno-builtin-memcmp -fno-builtin-bcmp -fno-builtin-strlen -fno-builtin-strcmp"

enum compiler { GCC, CLANG, OTHER };

static enum compiler compiler_of(const char *arg)
{
	if (strcmp(arg, "gcc") == 0)
		return GCC;
	return strcmp(arg, "clang") == 0 ? CLANG : OTHER;
}

/* Shells and build systems split the output at blanks. */
static char *compiler_safe_directory(void)
{
	char *dir = library_directory();

	if (strpbrk(dir, " \t\n\"'\\$"))
		die("%s: the path has blanks or quotes, which compiler options cannot hold; "
		    "install memusage elsewhere",
		    dir);
	return dir;
}

static void print_and_exit(const char *text)
{
	if (puts(text) < 0 || fflush(stdout) != 0)
		die("cannot write standard output: %m");
	exit(0);
}

/* gcc reads these flags from a file, so that only the compiler gets them: on the command line they
 * would also link the run-time library of the thread sanitizer. */
const char *accesses_print_cflags(const struct opt *option, const char *arg, void *data)
{
	enum compiler compiler = compiler_of(arg);

	if (compiler == OTHER)
		return "must be one of gcc|clang";
	if (compiler == CLANG)
		print_and_exit(CLANG_FLAGS);
	printf("-specs=%s/gcc-hooks.specs", compiler_safe_directory());
	print_and_exit("");
	return NULL;
}

/* Some build systems place libraries before the objects that need them. */
const char *accesses_print_libs(const struct opt *option, const char *arg, void *data)
{
	char *dir;

	if (compiler_of(arg) == OTHER)
		return "must be one of gcc|clang";
	dir = compiler_safe_directory();
	printf("-L%s -Wl,-rpath,%s -Wl,--push-state,--no-as-needed -lmemusage_hooks", dir, dir);
	print_and_exit(" -Wl,--pop-state");
	return NULL;
}

void accesses_configure(struct mu_config *config, const struct access_settings *a)
{
	if (a->copies)
		config->flags |= MU_CFG_COPIES;
	else if (a->engine != ACCESSES_NONE)
		config->flags |= MU_CFG_ACCESSES;
	config->access_engine = (uint32_t)a->engine;
}

/* A program that was linked for them names that library. */
static bool is_built_with_hooks(const char *program)
{
	return program_names(program, "libmemusage_hooks.so") > 0;
}

const char *accesses_library(const struct access_settings *a, const char *program)
{
	if (a->copies && a->engine != ACCESSES_HOOKS && !is_built_with_hooks(program))
		return "libmemusage_copies.so";
	return a->copies || a->engine == ACCESSES_HOOKS ? "libmemusage_accesses.so" :
							  "libmemusage.so";
}
