/* massif.c -- The options of Valgrind's Massif and of Valgrind's core.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/options/massif.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/output.h"
#include "cli/units.h"
#include "cli/xmalloc.h"
#include "formats/xtree.h"
#include "memusage/options/core_options.h"

void massif_reset(struct massif_settings *m)
{
	free(m->desc);
	free(m->report.item);
	*m = (struct massif_settings){
		.file = "massif.out.%p",
		.admin = 8,
		.depth = 30,
		.alignment = 16,
		.detailed_freq = 10,
		.max_snapshots = 100,
		.peak_inaccuracy = 1,
		.time = MASSIF_TIME_MS,
	};
}

bool massif_talks(const struct massif_settings *m)
{
	return m->is_wanted && (m->is_verbose || m->is_talkative);
}

/* ---- values ------------------------------------------------------------------------------ */

/* An option of Massif: the field of its value, and the valid values. */
struct massif_rule {
	const char *name;
	const char *(*parse)(const struct massif_rule *rule, const char *arg,
			     struct massif_settings *m);
	size_t offset;		/* of the field in struct massif_settings */
	unsigned int min, max;	/* valid range of a number */
	bool is_shared;		/* suits other reports too, so it does not ask for Massif's */
	bool is_passed;		/* goes to memusageprint */
};

static void *settings_field(const struct massif_rule *rule, struct massif_settings *m)
{
	return (char *)m + rule->offset;
}

static const char *range_message(const struct massif_rule *rule)
{
	static char why[64];
	snprintf(why, sizeof(why), "is out of range (%u to %u)", rule->min, rule->max);
	return why;
}

static const char *parse_number(const struct massif_rule *rule, const char *arg,
				struct massif_settings *m)
{
	uint64_t number;

	if (!units_parse_count(arg, &number))
		return "is not a whole number";
	if (number < rule->min || number > rule->max)
		return range_message(rule);
	*(unsigned int *)settings_field(rule, m) = (unsigned int)number;
	return NULL;
}

static const char *parse_alignment(const struct massif_rule *rule, const char *arg,
				   struct massif_settings *m)
{
	const char *why = parse_number(rule, arg, m);

	if (why || (m->alignment & (m->alignment - 1)) != 0)
		return "must be a power of 2 from 16 to 4096";
	return NULL;
}

static const char *parse_percent(const struct massif_rule *rule, const char *arg,
				 struct massif_settings *m)
{
	char *end;
	double number = strtod(arg, &end);

	if (end == arg || *end || !isfinite(number))
		return "is not a number";
	if (number < rule->min || number > rule->max)
		return range_message(rule);
	*(double *)settings_field(rule, m) = number;
	return NULL;
}

/* Only validates the value: memusageprint uses it. */
static const char *check_threshold(const struct massif_rule *rule, const char *arg,
				   struct massif_settings *m)
{
	struct massif_settings other = *m;

	return parse_percent(rule, arg, &other);
}

static const char *parse_bool(const char *arg, bool *value)
{
	if (strcmp(arg, "yes") != 0 && strcmp(arg, "no") != 0)
		return "must be 'yes' or 'no'";
	*value = strcmp(arg, "yes") == 0;
	return NULL;
}

static const char *check_yes_no(const struct massif_rule *rule, const char *arg,
				struct massif_settings *m)
{
	bool value;

	return parse_bool(arg, &value);
}

static const char *parse_flag(const struct massif_rule *rule, const char *arg,
			      struct massif_settings *m)
{
	return parse_bool(arg, settings_field(rule, m));
}

static const char *parse_time_unit(const struct massif_rule *rule, const char *arg,
				   struct massif_settings *m)
{
	if (strcmp(arg, "ms") == 0)
		m->time = MASSIF_TIME_MS;
	else if (strcmp(arg, "B") == 0)
		m->time = MASSIF_TIME_B;
	else if (strcmp(arg, "i") == 0)
		m->time = MASSIF_TIME_I;
	else
		return "must be one of i|ms|B";
	return NULL;
}

static const char *parse_text(const struct massif_rule *rule, const char *arg,
			      struct massif_settings *m)
{
	if (*arg == '\0')
		return "is empty";
	*(const char **)settings_field(rule, m) = arg;
	return NULL;
}

/* Only validates the name: memusageprint uses it. */
static const char *parse_function_name(const struct massif_rule *rule, const char *arg,
				       struct massif_settings *m)
{
	m->has_ignored |= strcmp(rule->name, "ignore-fn") == 0;
	return *arg ? NULL : "is empty";
}

#define AT(name) offsetof(struct massif_settings, name)

static const struct massif_rule rules[] = {
	{ .name = "heap", .parse = check_yes_no, .is_passed = true },
	{ "heap-admin", parse_number, AT(admin), 0, 1024, false, false },
	{ .name = "stacks", .parse = parse_flag, .offset = AT(stacks) },
	{ .name = "pages-as-heap", .parse = parse_flag, .offset = AT(pages), .is_shared = true },
	{ "depth", parse_number, AT(depth), 1, 200, true, true },
	{ .name = "alloc-fn", .parse = parse_function_name, .is_shared = true, .is_passed = true },
	{ .name = "ignore-fn", .parse = parse_function_name, .is_shared = true, .is_passed = true },
	{ "threshold", check_threshold, AT(peak_inaccuracy), 0, 100, true, true },
	{ "peak-inaccuracy", parse_percent, AT(peak_inaccuracy), 0, 1000, false, false },
	{ .name = "time-unit", .parse = parse_time_unit },
	{ "detailed-freq", parse_number, AT(detailed_freq), 1, 1000000, false, false },
	{ "max-snapshots", parse_number, AT(max_snapshots), 10, 1000, false, false },
	{ "alignment", parse_alignment, AT(alignment), 16, 4096, false, false },
	{ .name = "massif-out-file", .parse = parse_text, .offset = AT(file) },
	{ .name = "show-below-main", .parse = check_yes_no, .is_shared = true, .is_passed = true },
};

/* Massif lists all of its own options in its file, but none of the core's. */
static void append_description(struct massif_settings *m, const char *text)
{
	char *longer;

	if (strncmp(text, "--show-below-main=", 18) == 0)
		return;
	longer = xasprintf("%s %s", m->desc ? m->desc : "", text);
	free(m->desc);
	m->desc = longer;
}

const char *massif_option(const struct opt *option, const char *arg, void *data)
{
	struct massif_settings *m = data;
	const struct massif_rule *rule = rules;
	const char *why;
	char *text;

	while (strcmp(rule->name, option->name) != 0)
		rule++;
	why = rule->parse(rule, arg, m);
	if (why)
		return why;
	text = xasprintf("--%s=%s", option->name, arg);
	append_description(m, text);
	if (rule->is_passed)
		opt_list_append(&m->report, text);
	m->is_given = true;
	m->is_meant |= !rule->is_shared;
	return NULL;
}

/* ---- the core ---------------------------------------------------------------------------- */

struct core_rule {
	const char *name;
	const char *only;	/* the only accepted value; NULL: any */
	const char *why_not;	/* the reason why others are refused */
	bool is_passed;
};

#define JUDGED(option, value, why) { .name = option, .only = value, .why_not = why },
#define PASSED(option) { .name = option, .is_passed = true },
#define IDLE(option) { .name = option },

static const struct core_rule core_rules[] = {
	CORE_OPTIONS_JUDGED(JUDGED) CORE_OPTIONS_PASSED(PASSED) CORE_OPTIONS_IDLE(IDLE)
};

static const char *parse_xtree(const struct opt *option, const char *arg, struct massif_settings *m)
{
	static const char *const kinds[] = { "none", "allocs", "full" };
	const char *why = NULL;
	int kind = 0;

	if (strcmp(option->name, "xtree-memory") == 0) {
		while (kind < 3 && strcmp(kinds[kind], arg) != 0)
			kind++;
		why = kind < 3 ? NULL : "must be one of " XTREE_WORDS;
		m->xtree = kind;
	} else if (strcmp(option->name, "xtree-compress-strings") == 0) {
		why = check_yes_no(NULL, arg, m);
	} else {
		why = *arg ? NULL : "is empty";
		m->xtree_file = arg;
	}
	if (!why) {
		char *text = xasprintf("--%s=%s", option->name, arg);

		append_description(m, text);
		opt_list_append(&m->report, text);
	}
	return why;
}

static const char *parse_core_option(const struct core_rule *rule, const struct opt *option,
				     const char *arg, struct massif_settings *m)
{
	if (rule->only && strcmp(rule->only, arg) != 0)
		return rule->why_not;
	if (rule->is_passed)
		opt_list_append(&m->report, xasprintf("--%s=%s", option->name, arg));
	return NULL;
}

const char *massif_core_option(const struct opt *option, const char *arg, void *data)
{
	struct massif_settings *m = data;
	char why[128];

	if (strcmp(option->name, "log-file") == 0) {
		m->log_file = output_expand(arg, getpid(), getenv, why);
		return m->log_file ? NULL : xstrdup(why);
	}
	if (strncmp(option->name, "xtree-", 6) == 0)
		return parse_xtree(option, arg, m);
	if (strcmp(option->name, "stats") == 0)
		return parse_bool(arg, &m->is_verbose);
	for (size_t i = 0; i < sizeof(core_rules) / sizeof(*core_rules); i++) {
		if (strcmp(core_rules[i].name, option->name) == 0)
			return parse_core_option(&core_rules[i], option, arg, m);
	}
	return "is not known";
}

/* ---- what another process says it was given ---------------------------------------------- */

static bool is_yes_no(const char *value)
{
	bool ignored;

	return parse_bool(value, &ignored) == NULL;
}

static bool is_not_empty(const char *value)
{
	return *value != '\0';
}

bool massif_may_pass(const char *text)
{
	static const struct {
		const char *name;
		bool (*is_valid)(const char *value);
	} core[] = {
		{ "fullpath-after", is_not_empty },
		{ "read-inline-info", is_yes_no },
		{ "demangle", is_yes_no },
		{ "xtree-compress-strings", is_yes_no },
	};
	const char *name = text + 2, *value = strchr(text, '=');
	struct massif_settings other = { .depth = 0 };
	size_t length;

	if (strncmp(text, "--", 2) != 0 || !value)
		return false;
	length = (size_t)(value++ - name);
	for (const char *c = text; *c; c++) {
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			return false;
	}
	for (size_t i = 0; i < sizeof(core) / sizeof(*core); i++) {
		if (strlen(core[i].name) == length && memcmp(core[i].name, name, length) == 0)
			return core[i].is_valid(value);
	}
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		const struct massif_rule *rule = &rules[i];

		if (rule->is_passed && strlen(rule->name) == length &&
		    memcmp(rule->name, name, length) == 0)
			return rule->parse(rule, value, &other) == NULL;
	}
	return false;
}
