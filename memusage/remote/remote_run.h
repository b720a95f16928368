/* remote_run.h -- One run of `memusage --pid`: what it asks for, of which process, and its outputs.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "memusage/options/settings.h"
#include "memusage/remote/contact.h"
#include "memusage/rights/owner.h"

struct remote {
	const struct settings *settings;
	const struct remote_command *command;
	const char *operand; /* of the command, or NULL */
	char **words;	     /* of a command that takes several, ended by NULL */
	pid_t pid;
	struct contact contact;
	const struct owner *owner; /* whose rights the isolated process has; NULL: it is our
					 * process */
	int output_fd;		   /* what the isolated process writes, -1: nothing */
	const char *format_name;   /* file name that tells the format of that output */
	int found_pipe;		   /* pipe for the ID of the process that was found */
	int program_output;	   /* file of what a program under --live writes, -1: none */
	const struct mu_pages *pages; /* that a copy of the recording gets, or NULL */
	const struct mu_holders *holders[2]; /* likewise, in the order of time; NULL: none */
	bool once;		   /* --once, before the command or behind it */
	bool is_query;		   /* do not explain yet why nothing was found */
	const struct leak_words *leak_words; /* of leak_check; private to remote_leaks.c */
	bool makes_leak_tree; /* leak_check xtleak: the operand names its file */
	/* Leak checks that a copy of the recording gets, in the order of time; NULL: none. */
	const struct mu_leak_check *check[IMAGE_OUTSIDE_CHECKS];
};

struct remote_command {
	const char *name;
	const char *operand; /* NULL: the command takes none */
	const char *help;
	unsigned int flags;	/* enum control_flag */
	int (*run)(struct remote *r);
	const char *file; /* the operand names a file, by default this one; NULL: it does not, or
			   * the command takes none */
	bool is_xtree; /* the file is a tree in callgrind's format */
	bool is_pattern; /* %p in the file's name is the process ID */
	bool needs_operand;
	bool takes_words; /* any number of operands, which the command reads itself */
	bool needs_words; /* ... one at least, for the help */
	bool needs_no_recording; /* it reads the process itself */
	bool is_hidden; /* for memusageprint and memusagestat */
};

/* remote_file_name -- Returns the name of the requested file, or the command's default; borrowed.
 * Not for xtmemory. */
const char *remote_file_name(const struct remote *r);

/* remote_makes_file -- Tells whether the command writes a file, which may be an operand that it can
 * do without. */
bool remote_makes_file(const struct remote *r);

/* remote_makes_tree -- Tells whether that file is a tree in callgrind's format. */
bool remote_makes_tree(const struct remote *r);

/* remote_append_options -- Appends the options of the run for memusageprint, if it may choose them,
 * followed by those of this command line, which take precedence. The texts are borrowed from R. */
void remote_append_options(struct opt_list *list, const struct remote *r);

/* remote_xtree_name -- Returns the name of the requested callgrind file, to be freed.
 *
 * number  replaces %n.
 * Returns NULL after a message.
 */
char *remote_xtree_name(const struct remote *r, uint32_t number);

/* remote_tell_written -- Prints the name of the written file, except with --quiet. */
void remote_tell_written(const struct remote *r, const char *name);
