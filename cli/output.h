/* output.h -- open, write and close what a program was asked to write, missing no error.
 *
 *	struct output out;
 *
 *	if (output_open(&out, name, 0) < 0)
 *		return -1;
 *	fprintf(out.stream, ...);
 *	return output_close(&out);
 *
 * What goes to a terminal is made fit for it, whatever the text was made of; to anything else bytes
 * go as they are.
 *
 * A full disk is noticed at the first write that fails, kept, and reported once by
 * output_close(), with the reason the system gave.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

enum output_flag {
	OUTPUT_PUBLIC = 1,	/* mode 0666 but for the umask: it can hold no command line */
	OUTPUT_NEW = 2,		/* never over an existing file (O_EXCL) */
	OUTPUT_CHECK = 4,	/* nothing is changed, but that a file may be made */
};

struct output {
	FILE *stream;		/* fully buffered */
	const char *name;	/* for messages; borrowed, "-" is shown as standard output */
	uint64_t written;	/* bytes that have left the buffer */
	uint64_t limit;		/* of them, beyond which the program ends; 0: none. The caller sets
				 * it after output_open() */
	int fd;
	int error;		/* errno of the first failed write, or 0 */
	bool owns_fd;
	bool is_terminal;	/* only what it may be given is written (cli/terminal.h) */
	bool has_color;		/* ... and colours, if the text is clean already */
	char held[16];		/* the beginning of a character or colour, whose rest is to come */
	size_t held_length;
	bool is_fresh;		/* made by output_open(): removed again when it fails */
};

/* output_open_file -- open NAME for writing, making it if need be; nothing is truncated.
 *
 * flags  enum output_flag. Without OUTPUT_PUBLIC the file is its user's alone: it is made with mode
 *        0600, or gets that; one that belongs to another user is refused, who could read it.
 * fresh  set to whether it was made now; NULL allowed.
 * A pipe of another user is refused, who could leave us waiting for ever; so is a file that such a
 * user has a lease of. A pipe of ours that nobody reads yet is waited for.
 * A symbolic link is followed only if it belongs to the user or to root, and so does each that it
 * leads to: in a directory that others can write to, a link of theirs could choose what we
 * overwrite, also one that takes the place of ours meanwhile. (Directories in the path are not
 * looked at; Linux's fs.protected_symlinks covers /tmp.)
 * Returns a descriptor, or -1 with errno, which output_refusal() explains.
 */
int output_open_file(const char *name, unsigned flags, bool *fresh);

/* output_refusal -- why NAME cannot be written, of errno after such a failure.
 *
 * Completes "cannot write NAME: ". Valid until the next call of strerror().
 */
const char *output_refusal(const char *name);

/* output_open -- create or empty the file NAME.
 *
 * name   "-" and /dev/stdout are standard output; a name with a slash in front of a dash
 *        ("./-") is a file. Borrowed until output_close().
 * flags  enum output_flag, as of output_open_file().
 * Returns 0, or -1 after a warning; OUT is then closed, and output_close() does nothing.
 */
int output_open(struct output *out, const char *name, unsigned flags);

/* output_failed -- whether a write has failed already: long work may stop early. */
bool output_failed(const struct output *out);

/* output_close -- flush, close and judge.
 *
 * Returns 0 if every byte was taken, else -1 after a warning that names the file and the
 * reason; a regular file that output_open() had made is removed then, because half a picture
 * is of no use. A second call does nothing.
 */
int output_close(struct output *out);

/* output_expand -- the file name that a PATTERN of the command line stands for.
 *
 * %p is PID, %n a number that counts its uses from 1, %q{VAR} the environment variable VAR, %% a
 * percent sign, as in Valgrind's file name options; %r is the rank of an MPI program and %h the
 * machine (cli/rank.h). A value that contains a slash, or is nothing but points, is refused, so
 * that the environment cannot choose another directory.
 * lookup  where variables come from (getenv, or a saved environment); returns NULL if unset.
 * why     on failure set to a text that can follow `PATTERN: `.
 * Returns the name, to be freed, or NULL.
 */
char *output_expand(const char *pattern, pid_t pid, char *(*lookup)(const char *name),
		    char why[128]);

/* output_expand_next -- the same for a file that may be written several times in a run.
 *
 * uses  of %n so far; counts on.
 */
char *output_expand_next(const char *pattern, pid_t pid, unsigned int *uses,
			 char *(*lookup)(const char *name), char why[128]);

/* output_escape -- a pattern that stands for NAME itself; to be freed. */
char *output_escape(const char *name);
