/* module_code.c -- Tells the collector which code a module has.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/module_code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "cli/xmalloc.h"
#include "profile/base/limits.h"
#include "profile/model/code.h"
#include "profile/symbols/allocsyms.h"

#define CPU_SECONDS 60u
#define MEMORY (UINT64_C(6) << 30)

static bool parse_build_id(const char *text, struct build_id *id)
{
	size_t length = text ? strlen(text) : 0;

	*id = (struct build_id){ .length = 0 };
	if (length % 2 != 0 || length > (size_t)2 * BUILD_ID_MAX)
		return false;
	for (; id->length < length / 2; id->length++) {
		char pair[3] = { text[2 * id->length], text[2 * id->length + 1], '\0' };
		char *end;

		id->byte[id->length] = (uint8_t)strtoul(pair, &end, 16);
		if (*end)
			return false;
	}
	return true;
}

static int write_symbol_addresses(const struct settings *settings,
				  const struct symbols_module *module,
				  const struct symbols_options *options)
{
	size_t count = settings->symbol_rules.count;
	struct allocrule *rule = xcalloc(count, sizeof(*rule));
	struct allocsyms found = { .length = 0 };
	bool ok = true;

	for (size_t i = 0; ok && i < count; i++) {
		const char *text = settings->symbol_rules.item[i];

		ok = text[0] && !allocrule_parse(&rule[i], text + 1, text[0] == 'f');
	}
	ok = ok && allocsyms_find(&found, module, options, rule, count, NULL) == 0 &&
	     fwrite(found.answer, 1, found.length, stdout) == found.length && fflush(stdout) == 0;
	allocsyms_free(&found);
	free(rule);
	return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int write_code_ranges(const struct settings *settings, const struct symbols_module *module,
			     const struct symbols_options *options)
{
	const struct filter_options names = {
		.alloc_fn = settings->alloc_fn.item,
		.alloc_fns = settings->alloc_fn.count,
		.ignore_fn = settings->ignore_fn.item,
		.ignore_fns = settings->ignore_fn.count,
	};
	struct code_ranges ranges;
	bool ok = code_ranges(&ranges, module, options, &names, NULL) == 0;

	if (ok) {
		ok = fwrite(ranges.word, sizeof(*ranges.word), ranges.count, stdout) ==
			     ranges.count && fflush(stdout) == 0;
		code_ranges_free(&ranges);
	}
	return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}

int module_code_write(const struct settings *settings)
{
	const struct symbols_options options = {
		.root = settings->code_root,
		.debuginfod = settings->debuginfod,
		.no_inlines = settings->read_inlines == NO,
		.no_demangle = settings->demangle == NO,
		.in_process = true,
	};
	struct symbols_module module = { .path = settings->files[0] };

	limits_lower(RLIMIT_CPU, CPU_SECONDS);
	limits_memory(MEMORY);
	if (!parse_build_id(settings->build_id, &module.id))
		return EXIT_FAILURE;
	if (settings->symbol_rules.count)
		return write_symbol_addresses(settings, &module, &options);
	return write_code_ranges(settings, &module, &options);
}
