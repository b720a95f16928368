/* options.h -- one table per program: parser, --help, --usage and the man page check.
 *
 *	static const struct opt table[] = {
 *		OPT_GROUP("Output"),
 *		OPT_STR('o', "output", "FILE", &o.output, "write the picture to FILE"),
 *		OPT_FLAG('T', "total", &o.total, "also draw heap and stack together"),
 *		OPT_END
 *	};
 *	static const struct opt_tool tool = {
 *		.name = "memusagestat", .operands = "DATAFILE [OUTFILE]",
 *		.about = "Draw a picture of a recorded run.", .options = table,
 *		.usage_status = 2,
 *	};
 *	int first = options_parse(&tool, argc, argv);
 *
 * getopt_long does the parsing: -mt, -xVALUE, --opt=VALUE, --opt VALUE, unambiguous
 * abbreviations, `--`. Every table has --help, --usage and --version (-?, -V) automatically.
 *
 * A value that is called FILE or DIR must not be empty.
 *
 * Rules that every program's unit test checks: names and letters are unique; no new option is
 * spelled like the beginning of a legacy one.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum opt_kind {
	OPT_KIND_END,
	OPT_KIND_GROUP,		/* a heading in --help */
	OPT_KIND_FLAG,		/* no argument: bool becomes true */
	OPT_KIND_CONST,		/* no argument: int becomes `constant` */
	OPT_KIND_STR,		/* const char *: points into argv */
	OPT_KIND_LIST,		/* struct opt_list: every occurrence is kept */
	OPT_KIND_SIZE,		/* uint64_t: bytes from min on, as units_parse_size() reads them */
	OPT_KIND_UINT,		/* unsigned, from min to max */
	OPT_KIND_ENUM,		/* int: index of the word in `arg`, "auto|always|never" */
	OPT_KIND_CALL,		/* opt_fn */
	OPT_KIND_HELP,
	OPT_KIND_HELP_ALL,	/* --help=all; in no table */
	OPT_KIND_USAGE,
	OPT_KIND_VERSION,
};

struct opt;

/* Handles one occurrence. ARG is NULL when the option has none, or an optional one was left
 * out. Returns NULL, or why the argument is not acceptable ("unknown report"). */
typedef const char *(*opt_fn)(const struct opt *option, const char *arg, void *data);

/* The values of a repeatable option in order, or the arguments of a program. */
struct opt_list {
	const char **item;	/* borrowed; ended by NULL, unless the list is empty */
	size_t count;
};

struct opt {
	enum opt_kind kind;
	char letter;		/* '\0': long form only */
	const char *name;	/* without dashes; the heading of a group */
	const char *arg;	/* name of the argument in the help text; NULL: takes none */
	void *value;		/* where to store; user data of a call */
	const char *help;	/* lower case, no full stop; may hold '\n' */
	const char *absent;	/* not NULL: the argument is optional, and this stands for it */
	double min, max;	/* OPT_KIND_UINT; min also OPT_KIND_SIZE */
	int constant;		/* OPT_KIND_CONST */
	opt_fn call;		/* OPT_KIND_CALL */
	bool hidden;		/* accepted, but in neither --help nor --usage */
};

/* The macros check the type of what they are to store to: `1 ? V : (T *)0` does not compile
 * quietly for another pointer type. */
#define OPT_TYPED(type, v) (1 ? (v) : (type *)0)

#define OPT_END { .kind = OPT_KIND_END }
#define OPT_GROUP(title) { .kind = OPT_KIND_GROUP, .name = title }
#define OPT_FLAG(l, n, v, h) \
	{ .kind = OPT_KIND_FLAG, .letter = l, .name = n, .value = OPT_TYPED(bool, v), .help = h }
#define OPT_CONST(l, n, v, c, h) \
	{ .kind = OPT_KIND_CONST, .letter = l, .name = n, .value = OPT_TYPED(int, v), \
	  .constant = c, .help = h }
#define OPT_STR(l, n, a, v, h) \
	{ .kind = OPT_KIND_STR, .letter = l, .name = n, .arg = a, \
	  .value = OPT_TYPED(const char *, v), .help = h }
/* --name[=ARG]: without an argument the value becomes `d`. */
#define OPT_STR_OPTIONAL(l, n, a, v, d, h) \
	{ .kind = OPT_KIND_STR, .letter = l, .name = n, .arg = a, \
	  .value = OPT_TYPED(const char *, v), .absent = d, .help = h }
#define OPT_LIST(l, n, a, v, h) \
	{ .kind = OPT_KIND_LIST, .letter = l, .name = n, .arg = a, \
	  .value = OPT_TYPED(struct opt_list, v), .help = h }
#define OPT_SIZE(l, n, a, v, low, h) \
	{ .kind = OPT_KIND_SIZE, .letter = l, .name = n, .arg = a, \
	  .value = OPT_TYPED(uint64_t, v), .min = low, .help = h }
#define OPT_UINT(l, n, a, v, low, high, h) \
	{ .kind = OPT_KIND_UINT, .letter = l, .name = n, .arg = a, \
	  .value = OPT_TYPED(unsigned, v), .min = low, .max = high, .help = h }
#define OPT_ENUM(l, n, words, v, h) \
	{ .kind = OPT_KIND_ENUM, .letter = l, .name = n, .arg = words, \
	  .value = OPT_TYPED(int, v), .help = h }
/* `a` NULL: no argument. */
#define OPT_CALL(l, n, a, f, d, h) \
	{ .kind = OPT_KIND_CALL, .letter = l, .name = n, .arg = a, .value = d, .call = f, \
	  .help = h }
/* The call gets NULL when the argument is left out. */
#define OPT_CALL_OPTIONAL(l, n, a, f, d, h) \
	{ .kind = OPT_KIND_CALL, .letter = l, .name = n, .arg = a, .value = d, .call = f, \
	  .absent = "", .help = h }

/* An option that another program has, and the command line that answers the question. */
struct opt_elsewhere {
	const char *name;	/* without dashes */
	const char *program;
	const char *example;
};

struct opt_tool {
	const char *name;		/* as in messages */
	const char *operands;		/* "DATAFILE [OUTFILE]", NULL: none */
	const char *about;		/* below the first line of --help */
	const char *footer;		/* below its last option; NULL: none */
	/* The text of --help below its first line, at most 28 lines of 79 columns; --help=all then
	 * prints the table. NULL: both print the table. */
	const char *brief;
	const struct opt *options;	/* ends with OPT_END */
	/* Long options that glibc's tool has, ended by NULL. An abbreviation that means one of
	 * these alone keeps its meaning, whatever newer options begin alike. May be NULL. */
	const char *const *legacy;
	/* Options of another program that users try here; ended by an entry without a name. An
	 * exact name has precedence over an abbreviation. May be NULL. */
	const struct opt_elsewhere *elsewhere;
	int usage_status;		/* exit status of a usage error */
	bool stop_at_operand;		/* options end at the first operand: it is a command */
};

/* options_parse -- store what the command line says.
 *
 * tool   its strings and table must outlive what is stored.
 * argv   may be reordered (operands last) and elements replaced; strings are not written to.
 * Returns the index of the first operand. Does not return after --help, --usage, --version
 * (status 0, or 1 when standard output is full), nor after an error: see options_error().
 */
int options_parse(const struct opt_tool *tool, int argc, char **argv);

/* opt_list_append -- Appends TEXT, which must outlive the list. Dies without memory. */
void opt_list_append(struct opt_list *list, const char *text);

/* opt_list_append_all -- Appends the texts of another list, likewise. */
void opt_list_append_all(struct opt_list *list, const struct opt_list *more);

/* options_error -- complain about the command line and exit with usage_status.
 *
 * Prints `tool: MESSAGE` and a line that points to --help. For what a table cannot express:
 * a missing operand, options that exclude each other.
 */
void options_error(const struct opt_tool *tool, const char *format, ...)
	__attribute__((format(printf, 2, 3), noreturn));
