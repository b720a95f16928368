/* code.c -- what the collector tells recorders of a module's code is well formed, whatever the module.
 *
 * Input: a rule of --alloc-symbol up to the first zero byte, then an ELF file. Only our own readers:
 * libdw's run in a child for what they may do.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "memusage/common/elfkind.h"
#include "profile/model/code.h"
#include "profile/symbols/allocsyms.h"
#include "recording/recording.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { RULE_MAX = 256, WORDS_MAX = 1 << 24 };

static void read_ranges(const struct symbols_module *module)
{
	const struct symbols_options options = { .no_inlines = true, .in_process = true };
	static const char *const ignored[] = { "of no file" };
	const struct filter_options names = { .ignore_fn = ignored, .ignore_fns = 1 };
	struct code_ranges r;

	if (code_ranges(&r, module, &options, &names, NULL) == 0) {
		if (r.count > WORDS_MAX)
			abort();
		for (size_t i = 1; i < r.count; i++)
			if (MU_CODE_ADDRESS(r.word[i]) <= MU_CODE_ADDRESS(r.word[i - 1]))
				abort();
	}
	code_ranges_free(&r);
}

static void find_symbols(const struct symbols_module *module, const char *text)
{
	const struct symbols_options options = { .in_process = true };
	struct allocrule rule[2];
	struct allocsyms found;

	if (allocrule_parse(&rule[0], text, false) || allocrule_parse(&rule[1], "auto", false))
		return;
	if (allocsyms_find(&found, module, &options, rule, 2, NULL) == 0 &&
	    (found.length % 8 != 0 || (found.length && !found.answer)))
		abort();
	allocsyms_free(&found);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const size_t length = strnlen((const char *)data, size < RULE_MAX ? size : RULE_MAX - 1);
	struct symbols_module module = { .path = NULL };
	char rule[RULE_MAX], path[32], interpreter[64];
	int fd;

	if (length == size)
		return 0;
	memcpy(rule, data, length);
	rule[length] = '\0';
	fd = memfd_create("elf", MFD_CLOEXEC);
	if (fd >= 0 && write(fd, data + length + 1, size - length - 1) ==
			       (ssize_t)(size - length - 1)) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		module.path = path;
		elfkind_of(path, interpreter, sizeof(interpreter));
		read_ranges(&module);
		find_symbols(&module, rule);
	}
	close(fd);
	return 0;
}
