/* input_file.c -- Opens the input of memusagestat and recognises its kind.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusagestat/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/xmalloc.h"
#include "formats/base/tempfile.h"
#include "formats/base/textfile.h"

static void copy_pipe_to_file(struct input_file *s)
{
	struct mu_error err;
	int fd = tempfile_open(&err);

	if (fd < 0 || tempfile_copy(s->fd, fd, INPUT_PIPE_LIMIT, &err) < 0)
		die("%s: %s", s->name, err.text);
	s->fd = fd;
	lseek(fd, 0, SEEK_SET);
}

int input_file_decompress(int fd, const char *name)
{
	const off_t start = lseek(fd, 0, SEEK_CUR);
	struct textfile text;
	struct mu_error err;
	const char *data;
	int copy = fd;

	if (textfile_open(&text, fd, &err) < 0 || textfile_peek(&text, &data, &err) < 0)
		die("%s: %s", name, err.text);
	if (textfile_is_compressed(&text))
		copy = textfile_spool(&text, INPUT_PIPE_LIMIT, &err);
	if (copy < 0)
		die("%s: %s", name, err.text);
	textfile_close(&text);
	if (copy != fd && fd > STDIN_FILENO)
		close(fd);
	/* Standard input may be opened again. */
	if (copy == fd || fd == STDIN_FILENO)
		lseek(fd, start, SEEK_SET);
	return copy;
}

int input_file_open_descriptor(const char *input, const char *name, bool *is_regular)
{
	struct stat st;
	int fd = STDIN_FILENO;

	if (strcmp(input, "-") != 0)
		fd = open(input, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0 || fstat(fd, &st) < 0)
		die("cannot open %s: %m", name);
	if (S_ISDIR(st.st_mode))
		die("cannot open %s: %s", name, strerror(EISDIR));
	*is_regular = S_ISREG(st.st_mode);
	return fd;
}

void input_file_open(struct input_file *s, const char *input)
{
	bool is_regular;
	int fd;

	*s = (struct input_file){ .name = strcmp(input, "-") == 0 ? "standard input" : input };
	fd = s->fd = input_file_open_descriptor(input, s->name, &is_regular);
	if (!is_regular)
		copy_pipe_to_file(s);
	s->fd = input_file_decompress(s->fd, s->name);
	s->path = s->fd == fd && fd != STDIN_FILENO ? xstrdup(input) :
						      xasprintf("/proc/self/fd/%d", s->fd);
}

enum input_kind input_file_kind(const struct input_file *s)
{
	enum input_kind kind = INPUT_UNKNOWN;
	const char *data;
	struct textfile text;
	struct mu_error err;
	ssize_t size = textfile_open(&text, s->fd, &err);

	if (size == 0)
		size = textfile_peek(&text, &data, &err);
	if (size < 0)
		die("%s: %s", s->name, err.text);
	if (size == 0)
		die("%s: is empty: nothing was written to it", s->name);
	kind = file_type_of(data, (size_t)size);
	textfile_close(&text);
	lseek(s->fd, 0, SEEK_SET);
	return kind;
}

void input_file_check_output(int fd, const char *name, const char *what)
{
	struct stat in, out;

	if (strcmp(name, "-") == 0 && isatty(STDOUT_FILENO))
		die("the %s would go to the terminal: give a name for it", what);
	if (stat(name, &out) == 0 && fstat(fd, &in) == 0 && in.st_dev == out.st_dev &&
	    in.st_ino == out.st_ino)
		die("%s is the input: give another name for the %s", name, what);
}

static void open_text(const struct input_file *s, struct textfile *text)
{
	struct mu_error err;

	if (textfile_open(text, s->fd, &err) < 0)
		die("%s: %s", s->name, err.text);
}

void input_file_read_massif(struct input_file *s, struct massif_file *m)
{
	struct textfile text;
	struct mu_error err;

	open_text(s, &text);
	if (massif_read(m, &text, &err) < 0) {
		if (err.code != MU_ERROR_TRUNCATED || m->count == 0)
			die("%s: %s", s->name, err.text);
		warn("%s: %s: the file is cut short, and the result shows only its %zu whole "
		     "snapshot%s", s->name, err.text, m->count, m->count == 1 ? "" : "s");
		s->is_cut = true;
	}
	textfile_close(&text);
}

void input_file_read_dhat(const struct input_file *s, struct dhat *d)
{
	struct textfile text;
	struct mu_error err;

	open_text(s, &text);
	if (dhat_read(d, &text, &err) < 0)
		die("%s: %s", s->name, err.text);
	textfile_close(&text);
}

void input_file_read_pprof(const struct input_file *s, struct pprof_file *p)
{
	struct textfile text;
	struct mu_error err;

	open_text(s, &text);
	if (pprof_read(p, &text, &err) < 0)
		die("%s: %s", s->name, err.text);
	textfile_close(&text);
}

void input_file_close(struct input_file *s)
{
	free(s->path);
	if (s->fd > STDIN_FILENO)
		close(s->fd);
}
