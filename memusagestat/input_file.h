/* input_file.h -- Opens the input of memusagestat and recognises its kind.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

#include "formats/dhat.h"
#include "formats/file_type.h"
#include "formats/massif.h"
#include "formats/base/pprof_read.h"

/* At most this much of a pipe is copied, else an endless one would fill the disk. */
#define INPUT_PIPE_LIMIT (UINT64_C(1) << 34)

struct input_file {
	const char *name;	/* for messages */
	char *path;		/* to open it again */
	int fd;			/* positioned at its beginning */
	bool is_cut;		/* ends too early: what was read is not all */
};

/* input_file_open -- Opens INPUT; "-" is standard input.
 *
 * A pipe is copied to a nameless file, and what gzip(1) compressed is decompressed to one.
 *
 * Dies with a message if that fails.
 */
void input_file_open(struct input_file *s, const char *input);

/* input_file_kind -- Returns the kind by the first bytes. Dies if the file cannot be read, or is
 * empty. */
enum input_kind input_file_kind(const struct input_file *s);

/* input_file_check_output -- Dies if the output NAME is the input itself, or a terminal.
 *
 * fd    of the input.
 * what  is written: "page", "picture".
 */
void input_file_check_output(int fd, const char *name, const char *what);

/* input_file_read_massif -- Reads a massif.out. Dies if it is none.
 *
 * Warns of a file that ends too early, sets s->is_cut, and reads the snapshots before its end.
 */
void input_file_read_massif(struct input_file *s, struct massif_file *m);

/* input_file_read_dhat -- Reads DHAT's JSON. Dies if it is none. */
void input_file_read_dhat(const struct input_file *s, struct dhat *d);

/* input_file_read_pprof -- Reads a profile of pprof. Dies if it is none. */
void input_file_read_pprof(const struct input_file *s, struct pprof_file *p);

/* input_file_open_descriptor -- Opens INPUT; "-" is standard input.
 *
 * name        for messages.
 * is_regular  set to whether it is a regular file.
 * Dies with a message if it cannot be opened, or is a directory.
 */
int input_file_open_descriptor(const char *input, const char *name, bool *is_regular);

/* input_file_decompress -- Replaces FD by a nameless file with its decompressed contents, if it is
 * compressed.
 *
 * fd    a regular file; closed if it is replaced, unless it is standard input.
 * name  for messages.
 * Returns the descriptor, at its beginning. Dies with a message if the file cannot be read.
 */
int input_file_decompress(int fd, const char *name);

/* input_file_close -- Releases the input. */
void input_file_close(struct input_file *s);
