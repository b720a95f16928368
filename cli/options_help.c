/* options_help.c -- the texts of --help, --usage and --version, made from the table.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cli/options_help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/version.h"

enum {
	LINE_WIDTH = 79,
	HELP_COLUMN = 28,	/* where the explanations begin */
	USAGE_INDENT = 12,
};

const struct opt opt_common[] = {
	OPT_GROUP("Information"),
	{ .kind = OPT_KIND_HELP, .letter = '?', .name = "help", .arg = "all", .absent = "",
	  .help = "print the common uses, or all options by topic, and exit" },
	{ .kind = OPT_KIND_USAGE, .name = "usage",
	  .help = "print a short usage message and exit" },
	{ .kind = OPT_KIND_VERSION, .letter = 'V', .name = "version",
	  .help = "print the version and exit" },
	OPT_END
};

/* Words of TEXT from COLUMN on, each new line indented to INDENT. */
static void print_wrapped(const char *text, int column, int indent)
{
	const char *separator = "";

	while (*text) {
		int length = (int)strcspn(text, " \n");

		if (column + (int)strlen(separator) + length > LINE_WIDTH && column > indent) {
			printf("\n%*s", indent, "");
			column = indent;
			separator = "";
		}
		column += printf("%s%.*s", separator, length, text);
		text += length;
		separator = " ";
		if (*text == '\n') {
			printf("\n%*s", indent, "");
			column = indent;
			separator = "";
		}
		if (*text)
			text++;
	}
	putchar('\n');
}

static void print_option_help(const struct opt *o)
{
	int column;

	if (o->kind == OPT_KIND_GROUP) {
		printf("\n%s:\n", o->name);
		return;
	}
	if (o->letter)
		column = printf("  -%c, --%s", o->letter, o->name);
	else
		column = printf("      --%s", o->name);
	if (o->arg)
		column += printf(o->absent ? "[=%s]" : "=%s", o->arg);
	if (column + 2 > HELP_COLUMN) {
		putchar('\n');
		column = 0;
	}
	printf("%*s", HELP_COLUMN - column, "");
	print_wrapped(o->help, HELP_COLUMN, HELP_COLUMN);
}

static void print_help_text(const struct opt_tool *tool)
{
	const char *operands = tool->operands ? tool->operands : "";

	printf("Usage: %s [OPTION]... %s\n", tool->name, operands);
	print_wrapped(tool->about, 0, 0);
	for (const struct opt *o = tool->options; o->kind != OPT_KIND_END; o++) {
		if (!o->hidden)
			print_option_help(o);
	}
	for (const struct opt *o = opt_common; o->kind != OPT_KIND_END; o++)
		print_option_help(o);
	if (tool->footer) {
		putchar('\n');
		print_wrapped(tool->footer, 0, 0);
	}
}

static void print_brief_help(const struct opt_tool *tool)
{
	printf("Usage: %s [OPTION]... %s\n", tool->name, tool->operands ? tool->operands : "");
	puts(tool->brief);
}

/* One bracketed item of --usage; returns the new column. */
static int print_usage_item(const char *item, int column)
{
	int length = (int)strlen(item);

	if (column + 1 + length > LINE_WIDTH)
		column = printf("\n%*s", USAGE_INDENT, "") - 1;
	else
		column += printf(" ");
	return column + printf("%s", item);
}

static int usage_letters(const struct opt *o, char *letters)
{
	int count = 0;

	for (; o->kind != OPT_KIND_END; o++) {
		if (o->letter && (!o->arg || o->kind == OPT_KIND_HELP) && !o->hidden)
			letters[count++] = o->letter;
	}
	return count;
}

static int usage_options(const struct opt *o, int column)
{
	char item[160];

	for (; o->kind != OPT_KIND_END; o++) {
		if (o->kind == OPT_KIND_GROUP || o->hidden)
			continue;
		if (o->letter && o->arg && o->kind != OPT_KIND_HELP) {
			snprintf(item, sizeof(item), o->absent ? "[-%c[%s]]" : "[-%c %s]",
				 o->letter, o->arg);
			column = print_usage_item(item, column);
		}
		snprintf(item, sizeof(item),
			 !o->arg ? "[--%s]" : o->absent ? "[--%s[=%s]]" : "[--%s=%s]", o->name,
			 o->arg);
		column = print_usage_item(item, column);
	}
	return column;
}

static void print_usage_line(const struct opt_tool *tool)
{
	char letters[2 * 128 + 4] = "[-";
	int count = 2, column = printf("Usage: %s", tool->name);

	count += usage_letters(tool->options, letters + count);
	count += usage_letters(opt_common, letters + count);
	letters[count] = ']';
	column = print_usage_item(letters, column);
	column = usage_options(tool->options, column);
	column = usage_options(opt_common, column);
	if (tool->operands)
		print_usage_item(tool->operands, column);
	putchar('\n');
}

void options_show(const struct opt_tool *tool, enum opt_kind kind)
{
	if (kind == OPT_KIND_HELP && tool->brief)
		print_brief_help(tool);
	else if (kind == OPT_KIND_HELP || kind == OPT_KIND_HELP_ALL)
		print_help_text(tool);
	else if (kind == OPT_KIND_USAGE)
		print_usage_line(tool);
	else
		printf("%s (memusage) %s\n", tool->name, MEMUSAGE_VERSION);
	if (fflush(stdout) != 0 || ferror(stdout))
		die("cannot write to standard output: %m");
	exit(EXIT_SUCCESS);
}
