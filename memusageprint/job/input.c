/* input.c -- An input file and its type.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/job/input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/message.h"

static int open_descriptor(struct input *in, const char *name)
{
	struct stat st = { 0 };

	in->fd = STDIN_FILENO;
	if (strcmp(name, "-") != 0)
		in->fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (in->fd >= 0 && fstat(in->fd, &st) == 0 && S_ISDIR(st.st_mode)) {
		close(in->fd);
		in->fd = -1;
		errno = EISDIR;
	}
	if (in->fd < 0) {
		warn("cannot open %s: %m", in->name);
		return -1;
	}
	in->is_file = S_ISREG(st.st_mode);
	return 0;
}

int input_open(struct input *in, const char *name)
{
	struct mu_error err;
	const char *data = "";
	ssize_t size;

	*in = (struct input){ .name = strcmp(name, "-") == 0 ? "standard input" : name };
	if (open_descriptor(in, name) < 0)
		return -1;
	size = textfile_open(&in->text, in->fd, &err);
	if (size == 0)
		size = textfile_peek(&in->text, &data, &err);
	if (size < 0)
		warn("%s: %s", in->name, err.text);
	else if (size == 0)
		warn("%s: is empty: nothing was written to it", in->name);
	if (size <= 0) {
		input_close(in);
		return -1;
	}
	in->kind = file_type_of(data, (size_t)size);
	return 0;
}

void input_close(struct input *in)
{
	textfile_close(&in->text);
	if (in->fd > STDIN_FILENO)
		close(in->fd);
}
