/* input.h -- a file to be reported on, and what kind of file it is.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGEPRINT_JOB_INPUT_H
#define MEMUSAGEPRINT_JOB_INPUT_H

#include <stdbool.h>

#include "formats/base/textfile.h"
#include "formats/file_type.h"

struct input {
	const char *name;	/* for messages; "standard input" for "-" */
	int fd;			/* may be a pipe. Its position is behind what was looked at: a
				 * reader of binary files uses pread() or maps it */
	bool is_file;		/* a regular file */
	enum input_kind kind;
	struct textfile text;	/* the contents from their beginning, decompressed */
};

/* input_open -- open a file and look what it is.
 *
 * name  "-" is standard input; borrowed until input_close().
 * Returns 0, or -1 after a warning; IN is then closed.
 */
int input_open(struct input *in, const char *name);

/* input_close -- release it. */
void input_close(struct input *in);

#endif
