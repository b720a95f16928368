/* remote_command.h -- what memusage --pid can do with a process that it has found.
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
	const char *file;	/* operand, NULL: none */
	pid_t pid;
	struct contact contact;
	const struct owner *owner;	/* whose rights a deputy has; NULL: it is our process */
	int handed;		/* what a deputy writes, -1: nothing, or it is no deputy */
	const char *form;	/* the name that says what form that has */
	int answer;		/* pipe by which it tells which process it was */
	bool is_asking;		/* what is not found is not to be explained yet */
};

struct remote_command {
	const char *name;
	const char *operand;	/* NULL: takes none */
	const char *help;
	unsigned int flags;	/* enum control_flag */
	int (*run)(struct remote *r);
	bool is_xtree;		/* what the file is to be */
};

/* remote_command -- the command that WORD is, or is short for. NULL after a message. */
const struct remote_command *remote_command(const char *word);

/* remote_command_help -- list the commands. Returns 0, or -1. */
int remote_command_help(struct remote *r);

/* remote_massif_name -- the name of the massif.out that was asked for, or its default; borrowed. */
const char *remote_massif_name(const struct remote *r);

/* remote_xtree_name -- likewise that of a tree in callgrind's form, to be freed.
 *
 * number  what %n in it stands for.
 * NULL after a message.
 */
char *remote_xtree_name(const struct remote *r, uint32_t number);

/* remote_tell_written -- say what was written, unless the user wants it quiet. */
void remote_tell_written(const struct remote *r, const char *name);

#endif
