/* input.c -- a file to be reported on, and what kind of file it is.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/message.h"
#include "formats/dat.h"
#include "recording/recording.h"

/* Judges the first bytes of a file. */
typedef bool (*recognise_fn)(const char *data, size_t size);

static bool is_recording(const char *data, size_t size)
{
	uint64_t magic = 0;

	if (size >= sizeof(magic))
		memcpy(&magic, data, sizeof(magic));
	return magic == MU_SEGMENT_MAGIC;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* {"dhatFileVersion":2, ...: with this key in front, or with any key. */
static bool is_dhat(const char *data, size_t size)
{
	size_t at = 0;

	while (at < size && is_blank(data[at]))
		at++;
	return at < size && data[at] == '{' &&
	       memmem(data, size, "\"dhat", strlen("\"dhat")) != NULL;
}

/* Its first line that is neither blank nor a comment. */
static bool is_massif(const char *data, size_t size)
{
	static const char *const words[] = { "desc:", "cmd:", "time_unit:", "snapshot=" };
	const char *end = data + size;

	for (const char *at = data, *next; at < end; at = next) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));

		next = newline ? newline + 1 : end;
		for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
			if ((size_t)(end - at) >= strlen(words[i]) &&
			    memcmp(at, words[i], strlen(words[i])) == 0)
				return true;
		}
		while (at < next && is_blank(*at))
			at++;
		if (at < next && *at != '#')
			return false;
	}
	return false;
}

/* Two headers of 24 bytes; the first begins with the tag or with zero, which no text does. */
static bool is_data(const char *data, size_t size)
{
	uint64_t tag;

	if (size < DAT_HEADER_BYTES)
		return false;
	memcpy(&tag, data, sizeof(tag));
	return tag == 0 || tag == DAT_TAG_NS || __builtin_bswap64(tag) == DAT_TAG_NS;
}

static const struct {
	const char *name;
	recognise_fn recognise;
} kinds[INPUT_KINDS] = {
	[INPUT_UNKNOWN] = { "a file of an unknown kind", NULL },
	[INPUT_MASSIF] = { "a massif.out", is_massif },
	[INPUT_RECORDING] = { "a recording", is_recording },
	[INPUT_DHAT] = { "a profile of DHAT", is_dhat },
	[INPUT_DATA] = { "a data file", is_data },
};

const char *input_kind_name(enum input_kind kind)
{
	return kinds[kind].name;
}

static enum input_kind recognise(const char *data, size_t size)
{
	for (int kind = 0; kind < INPUT_KINDS; kind++) {
		if (kinds[kind].recognise && kinds[kind].recognise(data, size))
			return (enum input_kind)kind;
	}
	return INPUT_UNKNOWN;
}

static int open_file(struct input *in, const char *name)
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
	if (open_file(in, name) < 0)
		return -1;
	size = textfile_open(&in->text, in->fd, &err);
	if (size == 0)
		size = textfile_peek(&in->text, &data, &err);
	if (size < 0)
		warn("%s: %s", in->name, err.text);
	else if (size == 0)
		warn("%s: is empty", in->name);
	if (size <= 0) {
		input_close(in);
		return -1;
	}
	in->kind = recognise(data, (size_t)size);
	return 0;
}

void input_close(struct input *in)
{
	textfile_close(&in->text);
	if (in->fd > STDIN_FILENO)
		close(in->fd);
}
