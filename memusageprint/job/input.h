/* input.h -- An input file and its type.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

#include "formats/base/textfile.h"
#include "formats/file_type.h"

struct input {
	const char *name;	/* for messages; "standard input" for "-" */
	int fd;			/* may be a pipe. Its position is past the bytes that told the
				 * type: a reader of binary files uses pread() or maps it */
	bool is_file;		/* a regular file */
	enum input_kind kind;
	struct textfile text;	/* the contents from the beginning, decompressed */
};

/* input_open -- Opens a file and determines its type.
 *
 * name  "-" is standard input; borrowed until input_close().
 * Returns 0, or -1 after a warning; IN is then closed.
 */
int input_open(struct input *in, const char *name);

/* input_close -- Releases it. */
void input_close(struct input *in);
