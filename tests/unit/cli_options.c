/* cli_options.c -- one table drives parser, help and usage; glibc's abbreviations keep their
 * meaning beside newer options that begin alike.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cli/options.h"

#include <sys/wait.h>
#include <unistd.h>

#include "cli/message.h"
#include "tests/lib/option_rules.h"
#include "tests/lib/tap.h"

static struct {
	bool unbuffered, mmap, total, time, no_timer;
	const char *data, *png, *name, *title, *record, *top;
	struct opt_list ignored;
	uint64_t limit;
	unsigned width;
	int color, detail;
	unsigned calls;
} o;

static const char *count_call(const struct opt *option, const char *arg, void *data)
{
	unsigned *calls = data;

	(void)option;
	*calls += arg ? 10 : 1;
	return arg && strcmp(arg, "bad") == 0 ? "is not what I like" : NULL;
}

static const struct opt table[] = {
	OPT_GROUP("Run"),
	OPT_STR('n', "progname", "NAME", &o.name, "name of the program file to profile"),
	OPT_STR('d', "data", "FILE", &o.data, "write the data to FILE"),
	OPT_STR('p', "png", "FILE", &o.png, "draw FILE"),
	OPT_FLAG('u', "unbuffered", &o.unbuffered, "write every record at once"),
	OPT_FLAG('\0', "no-timer", &o.no_timer, "no samples between calls"),
	OPT_FLAG('m', "mmap", &o.mmap, "also count mmap and its friends"),
	OPT_FLAG('t', "time-based", &o.time, "linear in time"),
	OPT_FLAG('T', "total", &o.total, "draw the total as well"),
	OPT_STR('\0', "title", "STRING", &o.title, "title of the picture"),
	OPT_UINT('x', "x-size", "PIXELS", &o.width, 1, 32767, "width of the picture"),
	OPT_GROUP("More"),
	OPT_STR_OPTIONAL('\0', "record", "FILE", &o.record, "", "keep the recording"),
	OPT_STR_OPTIONAL('\0', "top", "N", &o.top, "10", "show the N biggest sites"),
	OPT_LIST('\0', "ignore-fn", "NAME", &o.ignored, "leave NAME out; may be repeated"),
	OPT_SIZE('\0', "log-limit", "SIZE", &o.limit, 4096, "bound of the log"),
	{ .kind = OPT_KIND_ENUM, .name = "color", .arg = "auto|always|never", .value = &o.color,
	  .absent = "always", .help = "colour" },
	OPT_CONST('q', "quiet", &o.detail, -1, "say less, in a help text that is long enough "
		  "to be wrapped at the edge of a terminal\nand has a second line"),
	OPT_CALL('c', "call", NULL, count_call, &o.calls, "count"),
	OPT_CALL_OPTIONAL('\0', "call-with", "WHAT", count_call, &o.calls, "count"),
	{ .kind = OPT_KIND_FLAG, .name = "hidden-one", .value = &o.mmap, .help = "secret",
	  .hidden = true },
	OPT_END
};

static const char *const legacy[] = {
	"progname", "png", "data", "unbuffered", "no-timer", "mmap", "time-based", "total",
	"title", "x-size", "help", "usage", "version", NULL
};

static const struct opt_elsewhere elsewhere[] = {
	{ "plot", "other", "other --plot FILE" }, { "to", "other", "other --to=x" },
	{ NULL, NULL, NULL }
};

static const struct opt_tool launcher = {
	.name = "tool", .operands = "PROGRAM [ARGUMENT]...", .about = "Test the table.",
	.footer = "The end.", .options = table, .legacy = legacy, .usage_status = 125,
	.stop_at_operand = true, .elsewhere = elsewhere,
};

static struct opt_tool reporter;

static char said[8192], tool_word[] = "tool";

/* Parse WORDS in a child; returns its status, and in SAID what it printed. A child that comes
 * back from the parser exits with 200. */
static int child_parse(const struct opt_tool *tool, const char *words)
{
	char *argv[32] = { tool_word }, *copy = strdup(words);
	int argc = 1, ends[2], status;
	ssize_t n;
	size_t used = 0;

	for (char *w = strtok(copy, " "); w; w = strtok(NULL, " "))
		argv[argc++] = w;
	fflush(stdout);
	if (pipe(ends) < 0)
		return -1;
	if (fork() == 0) {
		dup2(ends[1], STDOUT_FILENO);
		dup2(ends[1], STDERR_FILENO);
		close(ends[0]);
		options_parse(tool, argc, argv);
		_exit(200);
	}
	close(ends[1]);
	while ((n = read(ends[0], said + used, sizeof(said) - 1 - used)) > 0)
		used += (size_t)n;
	said[used] = '\0';
	close(ends[0]);
	wait(&status);
	free(copy);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static char **parsed;

/* Parse in this process; returns the index of the first operand. Every vector is kept, as that
 * of main() would be: words that the parser wrote out live in it. */
static int parse(const struct opt_tool *tool, const char *words)
{
	static char copy[1024], *vector[32][32];
	static unsigned calls;
	int argc = 1;

	memset(&o, 0, sizeof(o));
	parsed = vector[calls++];
	parsed[0] = tool_word;
	snprintf(copy, sizeof(copy), "%s", words);
	for (char *w = strtok(copy, " "); w; w = strtok(NULL, " "))
		parsed[argc++] = w;
	return options_parse(tool, argc, parsed);
}

static void test_forms(void)
{
	EQ_I(parse(&launcher, "-mtT -x400 -d file --png=a=b prog -m"), 6);
	IS_TRUE(o.mmap && o.time && o.total);
	EQ_U(o.width, 400);
	EQ_S(o.data, "file");
	EQ_S(o.png, "a=b");
	EQ_S(parsed[6], "prog");

	EQ_I(parse(&launcher, "prog -m"), 1);
	IS_FALSE(o.mmap);
	EQ_I(parse(&launcher, "-m -- -prog"), 3);
	EQ_I(parse(&launcher, "-d --p prog"), 3);
	EQ_S(o.data, "--p");
	EQ_I(parse(&launcher, "--record prog"), 2);
	EQ_S(o.record, "");
	parse(&launcher, "--record=out.mur --top --color --quiet");
	EQ_S(o.record, "out.mur");
	EQ_S(o.top, "10");
	EQ_I(o.color, 1);
	EQ_I(o.detail, -1);
	parse(&launcher, "--top=3 --color=never --log-limit=64K");
	EQ_S(o.top, "3");
	EQ_I(o.color, 2);
	EQ_U(o.limit, 65536);
	parse(&launcher, "--ignore-fn=a --ignore-fn b -cc --call-with=x --call-with");
	EQ_U(o.ignored.count, 2);
	EQ_S(o.ignored.item[1], "b");
	EQ_U(o.calls, 2 + 10 + 1);
	free(o.ignored.item);
	EQ_I(parse(&reporter, "in -m out -T"), 3);
	IS_TRUE(o.mmap && o.total);
	EQ_S(parsed[3], "in");
	EQ_I(parse(&reporter, "- -m"), 2);
}

/* specs: every prefix that glibc's launcher accepts, from the shortest on. */
static void test_legacy(void)
{
	static const struct { const char *shortest, *full; } cases[] = {
		{ "pr", "progname" }, { "pn", "png" }, { "d", "data" }, { "un", "unbuffered" },
		{ "n", "no-timer" }, { "m", "mmap" }, { "tim", "time-based" }, { "to", "total" },
		{ "tit", "title" }, { "x", "x-size" }, { "h", "help" }, { "us", "usage" },
		{ "v", "version" },
	};
	static const char *const ambiguous[] = { "--p", "--t", "--ti", "--u", "--p=x", "--t=1" };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		size_t length = strlen(cases[i].shortest);

		for (; length <= strlen(cases[i].full); length++) {
			char words[64];
			int want = strstr("help usage version", cases[i].full) ? 0 : 200;

			snprintf(words, sizeof(words), "--%.*s%s prog", (int)length, cases[i].full,
				 strstr("progname png data title", cases[i].full) ? "=v" :
				 *cases[i].full == 'x' ? "=7" : "");
			OK(child_parse(&launcher, words) == want, "%s is taken", words);
		}
	}
	for (size_t i = 0; i < sizeof(ambiguous) / sizeof(*ambiguous); i++) {
		OK(child_parse(&launcher, ambiguous[i]) == 125 && strstr(said, "ambiguous"),
		   "%s stays ambiguous", ambiguous[i]);
	}
	parse(&launcher, "--to --titl=a --tim --n --d x");
	IS_TRUE(o.total && o.time && o.no_timer);
	EQ_S(o.title, "a");
	EQ_S(o.data, "x");
	parse(&launcher, "--top --rec");
	EQ_S(o.top, "10");
	EQ_S(o.record, "");
	EQ_I(parse(&reporter, "a --to b --d c"), 4);
	EQ_S(o.data, "c");
}

static void test_errors(void)
{
	static const struct { const char *words, *line; } cases[] = {
		{ "--bogus", "tool: unknown option '--bogus'\n" },
		{ "--bogus=3", "tool: unknown option '--bogus'\n" },
		{ "--recrod=3", "tool: unknown option '--recrod': did you mean --record?\n" },
		{ "--topp", "tool: unknown option '--topp': did you mean --top?\n" },
		{ "--hiden-one", "tool: unknown option '--hiden-one'\n" },
		{ "--plot=3",
		  "tool: unknown option '--plot': other has it, as in 'other --plot FILE'\n" },
		{ "--to=json", "tool: unknown option '--to': other has it, as in 'other --to=x'\n" },
		{ "--top 5 prog", "tool: --top takes its value after a '=': write --top=5\n" },
		{ "--color never prog",
		  "tool: --color takes its value after a '=': write --color=never\n" },
		{ "--help=more", "tool: --help: 'more' must be all\n" },
		{ "-z", "tool: unknown option '-z'\n" },
		{ "-mz", "tool: unknown option '-z'\n" },
		{ "-d", "tool: option '-d' needs an argument: FILE\n" },
		{ "--data", "tool: option '--data' needs an argument: FILE\n" },
		{ "--total=3", "tool: option '--total' takes no argument\n" },
		{ "-x 0", "tool: -x: '0' is out of range (1 to 32767)\n" },
		{ "-x 4a", "tool: -x: '4a' is not a whole number (1 to 32767)\n" },
		{ "--x-size=-5", "tool: --x-size: '-5' is not a whole number (1 to 32767)\n" },
		{ "--color=", "tool: --color: '' must be one of auto|always|never\n" },
		{ "--color=alway", "tool: --color: 'alway' must be one of auto|always|never\n" },
		{ "--log-limit=x", "tool: --log-limit: 'x' is not a size like 4096, 64K or 1G\n" },
		{ "--log-limit=4095",
		  "tool: --log-limit: '4095' is too small (at least 4.00 KiB)\n" },
		{ "--call-with=bad", "tool: --call-with: 'bad' is not what I like\n" },
		{ "--c", "tool: option '--c' is ambiguous: it may be --color --call" },
		{ "--bog\033us", "tool: unknown option '--bog?us'\n" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int status = child_parse(&launcher, cases[i].words);

		OK(status == 125 && strncmp(said, cases[i].line, strlen(cases[i].line)) == 0,
		   "%s is refused", cases[i].words);
		OK(strcmp(said + strcspn(said, "\n") + 1,
			  "Try 'tool --help' for more information.\n") == 0,
		   "... in two lines");
	}
	EQ_I(child_parse(&reporter, "-z"), 2);
}

static void test_texts(void)
{
	struct opt_tool brief = launcher;

	EQ_I(child_parse(&launcher, "--help"), 0);
	HAS_S(said, "Usage: tool [OPTION]... PROGRAM [ARGUMENT]...\nTest the table.\n");
	HAS_S(said, "\n\nRun:\n  -n, --progname=NAME       name of the program file to profile\n");
	HAS_S(said, "      --record[=FILE]       keep the recording\n");
	HAS_S(said, "      --color[=auto|always|never]\n                            colour\n");
	HAS_S(said, "long enough to be\n                            wrapped at the edge of a ");
	HAS_S(said, "terminal\n                            and has a second line\n");
	HAS_S(said, "  -?, --help[=all] ");
	HAS_S(said, "\nThe end.\n");
	OK(!strstr(said, "hidden"), "a hidden option is hidden");
	for (char *line = strtok(said, "\n"); line; line = strtok(NULL, "\n")) {
		if (strlen(line) > 79)
			FAIL("line too long: %s", line);
	}
	brief.brief = "Briefly.";
	EQ_I(child_parse(&brief, "--help"), 0);
	EQ_S(said, "Usage: tool [OPTION]... PROGRAM [ARGUMENT]...\nBriefly.\n");
	EQ_I(child_parse(&brief, "--help=all"), 0);
	HAS_S(said, "      --record[=FILE]       keep the recording\n");
	EQ_I(child_parse(&launcher, "-?"), 0);
	EQ_I(child_parse(&launcher, "-m?"), 0);
	EQ_I(child_parse(&launcher, "--usage"), 0);
	HAS_S(said, "Usage: tool [-umtTqc?V] [-n NAME] [--progname=NAME]");
	HAS_S(said, "[--record[=FILE]]");
	EQ_I(child_parse(&launcher, "-V"), 0);
	HAS_S(said, "tool (memusage) ");
	EQ_I(child_parse(&launcher, "-h prog"), 125);
}

static void test_check(void)
{
	static const struct opt twice[] = {
		OPT_FLAG('\0', "total", &o.total, "a"), OPT_FLAG('\0', "total", &o.total, "b"),
		OPT_END
	};
	static const struct opt letter[] = {
		OPT_FLAG('V', "verbose", &o.total, "a"), OPT_END
	};
	static const struct opt prefix[] = {
		OPT_FLAG('\0', "tot", &o.total, "a"), OPT_END
	};
	struct opt_tool bad = launcher;
	char why[128] = "";

	IS_TRUE(option_rules_hold(&launcher, why));
	bad.options = twice;
	IS_FALSE(option_rules_hold(&bad, why));
	EQ_S(why, "--total is there twice");
	bad.options = letter;
	IS_FALSE(option_rules_hold(&bad, why));
	EQ_S(why, "--version has the letter of another");
	bad.options = prefix;
	IS_FALSE(option_rules_hold(&bad, why));
	EQ_S(why, "--tot is an abbreviation of a legacy option");
}

int main(void)
{
	message_init("tool", 1);
	reporter = launcher;
	reporter.stop_at_operand = false;
	reporter.usage_status = 2;
	test_forms();
	test_legacy();
	test_errors();
	test_texts();
	test_check();
	return done_testing();
}
