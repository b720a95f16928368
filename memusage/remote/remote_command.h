/* remote_command.h -- The commands of memusage --pid.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_REMOTE_REMOTE_COMMAND_H
#define MEMUSAGE_REMOTE_REMOTE_COMMAND_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "memusage/options/settings.h"
#include "memusage/remote/contact.h"
#include "memusage/remote/owner.h"

struct remote {
	const struct settings *settings;
	const struct remote_command *command;
	const char *file; /* operand, or NULL */
	pid_t pid;
	struct contact contact;
	const struct owner *owner; /* whose rights the isolated process has; NULL: it is our
					 * process */
	int output_fd;		   /* what the isolated process writes, -1: nothing */
	const char *format_name;   /* file name that tells the format of that output */
	int found_pipe;		   /* pipe for the ID of the process that was found */
	bool is_query;		   /* do not explain yet why nothing was found */
};

struct remote_command {
	const char *name;
	const char *operand; /* NULL: the command takes none */
	const char *help;
	unsigned int flags;	/* enum control_flag */
	int (*run)(struct remote *r);
	bool is_xtree; /* the file is a tree in callgrind's format */
};

/* remote_command -- Returns the command of WORD, which may be a unique prefix. Returns NULL after a
 * message. */
const struct remote_command *remote_command(const char *word);

/* remote_command_help -- Prints the list of commands. Returns 0, or -1. */
int remote_command_help(struct remote *r);

/* remote_massif_name -- Returns the name of the requested massif.out, or the default; borrowed. */
const char *remote_massif_name(const struct remote *r);

/* remote_xtree_name -- Returns the name of the requested callgrind file, to be freed.
 *
 * number  replaces %n.
 * Returns NULL after a message.
 */
char *remote_xtree_name(const struct remote *r, uint32_t number);

/* remote_tell_written -- Prints the name of the written file, except with --quiet. */
void remote_tell_written(const struct remote *r, const char *name);

#endif
