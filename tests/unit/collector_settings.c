/* collector_settings.c -- the command line: glibc's options, all their abbreviations, and ours.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/options/command_line.h"

#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/option_rules.h"
#include "tests/lib/tap.h"

static const struct settings *parse(const char *first, const char *second)
{
	static char *argv[8];
	int argc = 0;

	argv[argc++] = strdup("memusage");
	argv[argc++] = strdup(first);
	if (second)
		argv[argc++] = strdup(second);
	argv[argc++] = strdup("prog");
	argv[argc++] = strdup("-d");
	argv[argc] = NULL;
	return command_line_parse(argc, argv);
}

/* Every prefix of --NAME from the shortest that glibc accepts. */
static void abbreviations(void)
{
	static const struct {
		const char *name;
		unsigned int shortest;	/* characters, dashes included */
	} flag[] = { { "--unbuffered", 4 }, { "--no-timer", 3 }, { "--mmap", 3 },
		     { "--time-based", 5 }, { "--total", 4 } };
	static const struct {
		const char *name;
		unsigned int shortest;
	} value[] = { { "--progname", 4 }, { "--png", 4 }, { "--data", 3 }, { "--buffer", 3 },
		      { "--title", 5 }, { "--x-size", 3 }, { "--y-size", 3 } };
	char word[32];

	for (size_t i = 0; i < 5; i++) {
		for (size_t n = flag[i].shortest; n <= strlen(flag[i].name); n++) {
			const struct settings *s;
			bool set[5];

			snprintf(word, sizeof(word), "%.*s", (int)n, flag[i].name);
			s = parse(word, NULL);
			set[0] = s->buffer == 1;
			set[1] = s->no_timer;
			set[2] = s->mmap;
			set[3] = s->time_based;
			set[4] = s->total;
			OK(set[i], "%s is %s", word, flag[i].name);
		}
	}
	for (size_t i = 0; i < 7; i++) {
		for (size_t n = value[i].shortest; n <= strlen(value[i].name); n++) {
			const struct settings *s;
			const char *got[7];

			snprintf(word, sizeof(word), "%.*s", (int)n, value[i].name);
			s = parse(word, "17");
			got[0] = s->progname;
			got[1] = s->png;
			got[2] = s->data;
			got[3] = s->buffer == 17 ? "17" : NULL;
			got[4] = s->title;
			got[5] = s->x_size == 17 ? "17" : NULL;
			got[6] = s->y_size == 17 ? "17" : NULL;
			OK(got[i] && strcmp(got[i], "17") == 0, "%s 17 is %s", word, value[i].name);
		}
	}
}

static void buffer_sizes(void)
{
	static const struct {
		const char *text;
		int want;
	} cases[] = { { "1", 1 }, { "32768", 32768 }, { "32769", 32768 }, { "0", 32768 },
		      { "-5", 32768 }, { "x", 32768 }, { "12x", 12 }, { "", 32768 },
		      { "99999999999999999999", 32768 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		EQ_I(parse("-b", cases[i].text)->buffer, cases[i].want);
	EQ_I(parse("-m", NULL)->buffer, 32768);
}

static void environment(void)
{
	const struct settings *s;

	setenv("MEMUSAGE_OUTPUT", "out", 1);
	setenv("MEMUSAGE_PROG_NAME", "", 1);
	setenv("MEMUSAGE_BUFFER_SIZE", "7", 1);
	setenv("MEMUSAGE_NO_TIMER", "", 1);
	setenv("MEMUSAGE_TRACE_MMAP", "", 1);
	s = parse("-T", NULL);
	EQ_S(s->data, "out");
	EQ_S(s->progname, "");
	EQ_I(s->buffer, 7);
	IS_TRUE(s->no_timer);
	IS_TRUE(s->mmap);
	s = parse("-n", "");
	IS_NULL(s->progname);
	s = parse("-d", "other");
	EQ_S(s->data, "other");
	setenv("MEMUSAGE_OUTPUT", "", 1);
	IS_NULL(parse("-T", NULL)->data);
	unsetenv("MEMUSAGE_OUTPUT");
	unsetenv("MEMUSAGE_PROG_NAME");
	unsetenv("MEMUSAGE_BUFFER_SIZE");
	unsetenv("MEMUSAGE_NO_TIMER");
	unsetenv("MEMUSAGE_TRACE_MMAP");
	s = parse("-T", NULL);
	IS_NULL(s->progname);
	IS_FALSE(s->no_timer);
	IS_FALSE(s->mmap);
}

static void ours(void)
{
	EQ_I(parse("--children=none", NULL)->children, CHILDREN_NONE);
	EQ_I(parse("--children", "files")->children, CHILDREN_FILES);
	EQ_I(parse("--trace-children=no", NULL)->trace_children, TRACE_NO);
	EQ_U(parse("--log-limit=3M", NULL)->log_limit, 3 << 20);
	EQ_S(parse("--record", NULL)->record, "");
	EQ_S(parse("--record=x", NULL)->record, "x");
	IS_NULL(parse("-q", NULL)->record);
	IS_TRUE(parse("-q", NULL)->quiet);
	/* Bundled, joined; and the program's own options are its own. */
	IS_TRUE(parse("-mt", NULL)->time_based);
	EQ_S(parse("-dfile", NULL)->data, "file");
	EQ_S(parse("-m", NULL)->command[0], "prog");
	EQ_S(parse("-m", NULL)->command[1], "-d");
	IS_NULL(parse("-m", NULL)->data);
	EQ_S(parse("--data=a=b", NULL)->data, "a=b");
	EQ_S(parse("--", "-m")->command[0], "-m");
}

/* Which options ask for call stacks, for Massif's profile, and what children then get. */
static void stacks(void)
{
	const struct settings *s = parse("-q", NULL);

	IS_FALSE(settings_has_stacks(s));
	IS_FALSE(s->massif.is_wanted);
	EQ_I(s->trace_children, TRACE_YES);
	IS_TRUE(settings_has_stacks(parse("--record", NULL)));
	s = parse("--top", NULL);
	EQ_U(s->top, 10);
	IS_TRUE(settings_has_stacks(s));
	IS_TRUE(settings_has_text(s));
	EQ_U(parse("--top=3", NULL)->top, 3);
	s = parse("--massif", NULL);
	IS_TRUE(s->massif.is_wanted);
	IS_NULL(s->massif.desc);
	EQ_S(s->massif.file, "massif.out.%p");
	EQ_I(s->trace_children, TRACE_NO);
	EQ_I(parse("--massif", "--trace-children=yes")->trace_children, TRACE_YES);
	s = parse("--heap-admin=0", "--time-unit=B");
	IS_TRUE(s->massif.is_wanted);
	EQ_U(s->massif.admin, 0);
	EQ_I(s->massif.time, MASSIF_TIME_B);
	EQ_S(s->massif.desc, " --heap-admin=0 --time-unit=B");
	/* These suit other reports too. */
	IS_TRUE(parse("--depth=3", NULL)->massif.is_wanted);
	IS_TRUE(parse("--show-below-main=yes", NULL)->massif.is_wanted);
	s = parse("--depth=3", "--tree");
	IS_FALSE(s->massif.is_wanted);
	EQ_U(s->massif.report.count, 1);
	EQ_S(s->massif.report.item[0], "--depth=3");
	IS_TRUE(parse("--tool=massif", NULL)->massif.is_wanted);
	EQ_S(parse("--log-file=x", NULL)->output, "x");
}

/* The status of a command line that does not get through. */
static int status_of(const char *first, const char *second)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
			_exit(99);
		parse(first, second);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

static void refusals(void)
{
	static const char *const wrong[] = { "--bogus", "-z", "--p", "--t", "--ti", "--u",
					     "--mmap=yes", "--color=red", "--log-limit=many" };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		EQ_I(status_of(wrong[i], NULL), 125);
	EQ_I(status_of("--help", NULL), 0);
	EQ_I(status_of("-?", NULL), 0);
	EQ_I(status_of("--us", NULL), 0);
	EQ_I(status_of("--v", NULL), 0);
}

int main(void)
{
	char why[128] = "";

	OK(option_rules_hold(&command_line_tool, why), "the table keeps its rules: %s", why);
	abbreviations();
	buffer_sizes();
	environment();
	ours();
	stacks();
	refusals();
	return done_testing();
}
