/* input_file.h -- the input of memusagestat as a regular file, and what kind it is.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGESTAT_INPUT_FILE_H
#define MEMUSAGESTAT_INPUT_FILE_H

#include "formats/dhat.h"
#include "formats/file_type.h"
#include "formats/massif.h"

/* An endless pipe must not fill the disk: no more than this is copied. */
#define INPUT_PIPE_LIMIT (UINT64_C(1) << 34)

struct input_file {
	const char *name;	/* for people */
	char *path;		/* by which it can be opened again */
	int fd;			/* at its beginning */
};

/* input_file_open -- open INPUT, "-" being standard input; a pipe is copied to a nameless file.
 *
 * Dies with a message if that fails.
 */
void input_file_open(struct input_file *s, const char *input);

/* input_file_kind -- what it is, by its first bytes. Dies if it cannot be read, or is empty. */
enum input_kind input_file_kind(const struct input_file *s);

/* input_file_check_output -- die if the output NAME is the input itself, or a terminal.
 *
 * what  it would be: "page", "picture".
 */
void input_file_check_output(const struct input_file *s, const char *name, const char *what);

/* input_file_read_massif -- Reads a massif.out. Dies if it is none.
 *
 * Warns of a file that ends too early, and reads the snapshots before its end.
 */
void input_file_read_massif(const struct input_file *s, struct massif_file *m);

/* input_file_read_dhat -- Reads DHAT's JSON. Dies if it is none. */
void input_file_read_dhat(const struct input_file *s, struct dhat *d);

/* input_file_close -- release it. */
void input_file_close(struct input_file *s);

#endif
