/* input_file.h -- the input of memusagestat as a regular file, and what kind it is.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGESTAT_INPUT_FILE_H
#define MEMUSAGESTAT_INPUT_FILE_H

#include "formats/file_type.h"

struct source {
	const char *name;	/* for people */
	char *path;		/* by which it can be opened again */
	int fd;			/* at its beginning */
};

/* source_open -- open INPUT, "-" being standard input; a pipe is copied to a nameless file.
 *
 * Dies with a message if that fails.
 */
void source_open(struct source *s, const char *input);

/* source_kind -- what it is, by its first bytes. Dies if it cannot be read, or is empty. */
enum input_kind source_kind(const struct source *s);

/* source_check_output -- die if the output NAME is the input itself, or a terminal.
 *
 * what  it would be: "page", "picture".
 */
void source_check_output(const struct source *s, const char *name, const char *what);

/* source_close -- release it. */
void source_close(struct source *s);

#endif
