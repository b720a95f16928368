/* output.c -- open, write and close what a program was asked to write, missing no error.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/rank.h"
#include "cli/terminal.h"
#include "cli/user.h"
#include "cli/xmalloc.h"

enum { LINKS = 40 };	/* that follow each other, as in the kernel */

/* Whoever writes would go on for as long as it takes to make the rest. */
static void refuse_size(struct output *out)
{
	/* exit() writes what is left in the buffer. */
	out->error = EFBIG;
	if (out->is_fresh)
		unlink(out->name);
	die("cannot write %s: it would have more than %llu bytes, which the size of the input does "
	    "not explain", out->name, (unsigned long long)out->limit);
}

/* stdio forgets why a write failed by the time fclose() reports it, so the stream writes
 * through here. */
static size_t write_to_descriptor(struct output *out, const char *data, size_t size)
{
	size_t done = 0;

	if (out->limit && size > out->limit - out->written && !out->error)
		refuse_size(out);
	while (done < size && !out->error) {
		ssize_t n = write(out->fd, data + done, size - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			out->error = n < 0 ? errno : ENOSPC;
		else
			done += (size_t)n;
	}
	out->written += done;
	return done;
}

/* The bytes of a colour at TEXT: ESC [ digits and semicolons m. 0: it is none; SIZE: it may become
 * one. */
static size_t color_sequence_length(const char *text, size_t size)
{
	size_t length = 2;

	if (text[0] != '\033' || (size > 1 && text[1] != '['))
		return 0;
	while (length < size && length < 12 && strchr("0123456789;", text[length]))
		length++;
	return length >= size ? size : text[length] == 'm' ? length + 1 : 0;
}

/* How many bytes at TEXT are one character or colour, and whether the terminal gets it. *WAITS: it
 * may become one with what comes next. */
static size_t classify_text_prefix(const struct output *out, const char *text, size_t size,
				   bool *passes, bool *waits)
{
	size_t color = out->has_color ? color_sequence_length(text, size) : 0;

	*waits = (color == size && text[size - 1] != 'm') || terminal_is_cut(text, size);
	*passes = true;
	if (color > 0 || *text == '\n' || *text == '\t')
		return color ? color : 1;
	return terminal_character(text, size, passes);
}

/* Writes what of TEXT can be judged; what cannot yet is held back until there is more of it. */
static bool write_visible_text(struct output *out, const char *text, size_t size)
{
	char part[512];
	size_t used = 0;

	while (size > 0) {
		bool waits, passes;
		size_t length = classify_text_prefix(out, text, size, &passes, &waits);

		if (waits && size < sizeof(out->held)) {
			memcpy(out->held, text, size);
			out->held_length = size;
			break;
		}
		memcpy(part + used, passes ? text : "?", passes ? length : 1);
		used += passes ? length : 1;
		text += length;
		size -= length;
		if (used > sizeof(part) - sizeof(out->held)) {
			if (write_to_descriptor(out, part, used) < used)
				return false;
			used = 0;
		}
	}
	return write_to_descriptor(out, part, used) == used;
}

static bool write_terminal(struct output *out, const char *data, size_t size)
{
	while (out->held_length > 0 && size > 0) {
		char text[sizeof(out->held) + 1];
		size_t length = out->held_length;

		memcpy(text, out->held, length);
		text[length++] = *data++;
		size--;
		out->held_length = 0;
		if (!write_visible_text(out, text, length))
			return false;
	}
	return write_visible_text(out, data, size);
}

/* Short means an error to stdio. */
static ssize_t write_cookie_data(void *cookie, const char *data, size_t size)
{
	struct output *out = cookie;

	if (out->is_terminal)
		return write_terminal(out, data, size) ? (ssize_t)size : 0;
	return (ssize_t)write_to_descriptor(out, data, size);
}

static bool is_standard_output(const char *name)
{
	return strcmp(name, "-") == 0 || strcmp(name, "/dev/stdout") == 0;
}

/* Tells whether a handle is of a symbolic link that no other user can have put there. */
static bool is_trusted_link(int handle)
{
	struct stat st;

	return fstat(handle, &st) == 0 && S_ISLNK(st.st_mode) &&
	       (st.st_uid == 0 || user_is_self(st.st_uid));
}

/* Those below /proc/PID/fd lead to what has no name, and nobody can replace them. */
static bool is_link_of_kernel(int handle)
{
	struct statfs fs;

	return fstatfs(handle, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC;
}

/* The name that a link says, to be freed; NULL with ELOOP if another user may have made it. What is
 * read is the link that was checked: its name may be another one's by the time that it is followed.
 * *IS_FINAL: NAME itself must be opened. */
static char *read_trusted_link(const char *name, bool *is_final)
{
	const int handle = open(name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	const char *slash = strrchr(name, '/');
	char target[PATH_MAX], *result = NULL;
	ssize_t length = -1;

	*is_final = false;
	if (handle < 0)
		return NULL;
	if (is_trusted_link(handle)) {
		*is_final = is_link_of_kernel(handle);
		length = readlinkat(handle, "", target, sizeof(target));
	}
	close(handle);
	if (*is_final)
		result = xstrdup(name);
	else if (length > 0)
		result = xasprintf("%.*s%.*s",
				   *target == '/' || !slash ? 0 : (int)(slash + 1 - name), name,
				   (int)length, target);
	errno = ELOOP;
	return result;
}

/* Whoever made the file can read it, whatever its mode is. A pipe of that name is as good; one that
 * a link of ours leads to is our own choice (/dev/fd/63 of a shell). */
static bool may_hold_secrets(const struct stat *st, bool is_direct)
{
	bool is_someones = S_ISREG(st->st_mode) || (S_ISFIFO(st->st_mode) && is_direct);

	return !is_someones || user_is_self(st->st_uid);
}

/* Whoever made a pipe decides how long its writers wait: in the collector, all processes of the run
 * would wait as well. */
static bool may_make_wait(const struct stat *st, bool is_direct)
{
	return S_ISFIFO(st->st_mode) && is_direct && !user_is_self(st->st_uid);
}

/* Opens what is there. A pipe without a reader is waited for if it is ours, as a shell does. Any
 * user can make one, and can hold up who opens a file of theirs by a lease. */
static int open_existing(const char *name, int how, mode_t access, bool is_direct)
{
	struct stat st;
	int fd = open(name, how | O_NONBLOCK, access);

	if (fd >= 0) {
		fcntl(fd, F_SETFL, 0);
		return fd;
	}
	if ((errno != ENXIO && errno != EWOULDBLOCK) ||
	    (is_direct ? lstat(name, &st) : stat(name, &st)) < 0)
		return -1;
	if (is_direct && !user_is_self(st.st_uid)) {
		errno = EPERM;
		return -1;
	}
	return open(name, how, access);
}

/* Opens what a link leads to, by links that are trusted alone. */
static int open_behind_link(const char *name, int how, mode_t access)
{
	char *at = xstrdup(name), *next;
	bool is_final = false;
	int fd = -1;

	for (int i = 0; i < LINKS && fd < 0 && !is_final; i++) {
		next = read_trusted_link(at, &is_final);
		if (!next)
			break;
		free(at);
		at = next;
		fd = open_existing(at, is_final ? how : how | O_NOFOLLOW, access, false);
		if (fd < 0 && errno != ELOOP)
			break;
	}
	free(at);
	return fd;
}

/* Accepts a file that existed before. Returns FD, or -1 with errno and FD closed. */
static int accept_output_file(int fd, unsigned flags, bool is_direct)
{
	struct stat st;
	int error = 0;

	if (fstat(fd, &st) < 0)
		error = errno;
	else if (may_make_wait(&st, is_direct))
		error = EPERM;
	else if (flags & OUTPUT_PUBLIC)
		return fd;
	else if (!may_hold_secrets(&st, is_direct))
		error = EPERM;
	else if (S_ISREG(st.st_mode) && st.st_mode & 077 && !(flags & OUTPUT_CHECK) &&
		 fchmod(fd, 0600) < 0)
		error = errno;
	if (error == 0)
		return fd;
	close(fd);
	errno = error;
	return -1;
}

/* Tries O_EXCL first, to know whether the file is ours to remove. Never follows a link that was not
 * checked: another user could put one there between the two calls. */
int output_open_file(const char *name, unsigned flags, bool *fresh)
{
	const int how = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY;
	const mode_t access = flags & OUTPUT_PUBLIC ? 0666 : 0600;
	bool is_direct = true;
	int fd = open(name, how | O_EXCL, access);

	if (fresh)
		*fresh = fd >= 0;
	if (fd >= 0 || errno != EEXIST || flags & OUTPUT_NEW)
		return fd;
	fd = open_existing(name, how | O_NOFOLLOW, access, true);
	if (fd < 0 && errno == ELOOP) {
		is_direct = false;
		fd = open_behind_link(name, how, access);
	}
	return fd < 0 ? -1 : accept_output_file(fd, flags, is_direct);
}

const char *output_refusal(const char *name)
{
	const int error = errno;
	struct stat st;

	if (error == ELOOP)
		return "the symbolic link belongs to another user";
	if (error == EPERM && stat(name, &st) == 0 && !user_is_self(st.st_uid))
		return "it belongs to another user, who could read it: remove it first";
	return strerror(error);
}

static int open_output_file(struct output *out, const char *name, unsigned flags)
{
	struct stat st;

	out->fd = output_open_file(name, flags, &out->is_fresh);
	if (out->fd < 0 || out->is_fresh || fstat(out->fd, &st) < 0 || !S_ISREG(st.st_mode) ||
	    ftruncate(out->fd, 0) == 0)
		return out->fd;
	close(out->fd);
	return out->fd = -1;
}

/* The descriptor is -1 from the start, so that output_close() may follow any outcome. */
int output_open(struct output *out, const char *name, unsigned flags)
{
	static const cookie_io_functions_t hooks = { .write = write_cookie_data };

	*out = (struct output){ .name = name, .fd = -1 };
	if (is_standard_output(name)) {
		out->fd = STDOUT_FILENO;
		out->name = "standard output";
	} else if (open_output_file(out, name, flags) < 0) {
		warn("cannot write %s: %s", name, output_refusal(name));
		return -1;
	} else {
		out->owns_fd = true;
	}
	out->is_terminal = isatty(out->fd) == 1;
	out->stream = fopencookie(out, "w", hooks);
	if (!out->stream)
		die("cannot write %s: %m", name);
	setvbuf(out->stream, NULL, _IOFBF, 1 << 16);
	return 0;
}

bool output_failed(const struct output *out)
{
	return out->error != 0;
}

/* A fresh device or pipe cannot be: O_EXCL makes regular files. */
int output_close(struct output *out)
{
	if (!out->stream)
		return 0;
	if (fclose(out->stream) != 0 && !out->error)
		out->error = errno;
	out->stream = NULL;
	/* Nothing came that would have made a character of it. */
	for (; out->held_length > 0; out->held_length--)
		write_to_descriptor(out, "?", 1);
	/* NFS and quotas report late. EINTR has closed the descriptor all the same. */
	if (out->owns_fd && close(out->fd) < 0 && errno != EINTR && !out->error)
		out->error = errno;
	out->fd = -1;
	if (!out->error)
		return 0;
	errno = out->error;
	warn("cannot write %s: %m", out->name);
	if (out->is_fresh)
		unlink(out->name);
	return -1;
}

/* ---- names ------------------------------------------------------------------------------- */

static void append_text(char **text, const char *more, size_t length)
{
	size_t used = *text ? strlen(*text) : 0;

	*text = xreallocarray(*text, used + length + 1, 1);
	memcpy(*text + used, more, length);
	(*text)[used + length] = '\0';
}

/* "logs/%q{RUN}/data" with ".." is beside "logs". */
static bool names_directory(const char *value)
{
	return strchr(value, '/') || (*value && value[strspn(value, ".")] == '\0');
}

/* AT points behind "%q"; returns what follows the closing brace, or NULL with WHY. */
static const char *append_variable(char **text, const char *at,
				   char *(*lookup)(const char *name), char why[128])
{
	const char *end = *at == '{' ? strchr(at, '}') : NULL;
	const char *value;
	char *name;

	if (!end || end == at + 1) {
		snprintf(why, 128, "%%q must be followed by {VARIABLE}");
		return NULL;
	}
	name = xstrndup(at + 1, (size_t)(end - at - 1));
	value = lookup(name);
	if (!value)
		snprintf(why, 128, "the variable %.80s is not set", name);
	else if (names_directory(value))
		snprintf(why, 128, "the variable %.80s %s", name,
			 strchr(value, '/') ? "contains a slash" : "is nothing but points");
	free(name);
	if (!value || names_directory(value))
		return NULL;
	append_text(text, value, strlen(value));
	return end + 1;
}

/* Returns AT, or NULL with WHY. */
static const char *append_rank(char **text, const char *at, char *(*lookup)(const char *name),
			       char why[128])
{
	const int rank = rank_find(lookup);
	char number[24];

	if (rank == RANK_NONE) {
		snprintf(why, 128, "%%r: neither mpirun nor srun has started this");
		return NULL;
	}
	append_text(text, number, (size_t)sprintf(number, "%d", rank));
	return at;
}

char *output_expand_next(const char *pattern, pid_t pid, unsigned int *uses,
			 char *(*lookup)(const char *name), char why[128])
{
	char *text = NULL, number[24], host[RANK_HOST_LENGTH];
	const char *at = pattern;

	append_text(&text, "", 0);
	while (at && *at) {
		size_t plain = strcspn(at, "%");

		append_text(&text, at, plain);
		at += plain;
		if (*at == '\0')
			break;
		at += 2;
		switch (at[-1]) {
		case '%':
			append_text(&text, "%", 1);
			break;
		case 'p':
			append_text(&text, number, (size_t)sprintf(number, "%d", (int)pid));
			break;
		case 'n':
			append_text(&text, number, (size_t)sprintf(number, "%u", ++*uses));
			break;
		case 'r':
			at = append_rank(&text, at, lookup, why);
			break;
		case 'h':
			rank_host(host);
			append_text(&text, host, strlen(host));
			break;
		case 'q':
			at = append_variable(&text, at, lookup, why);
			break;
		default:
			snprintf(why, 128, "only p, n, r, h, q{VARIABLE} and %%%% may "
				 "follow a percent sign");
			at = NULL;
		}
	}
	if (at)
		return text;
	free(text);
	return NULL;
}

char *output_expand(const char *pattern, pid_t pid, char *(*lookup)(const char *name),
		    char why[128])
{
	unsigned int uses = 0;

	return output_expand_next(pattern, pid, &uses, lookup, why);
}

char *output_escape(const char *name)
{
	char *text = xcalloc(2, strlen(name) + 1), *to = text;

	for (; *name; name++) {
		if (*name == '%')
			*to++ = '%';
		*to++ = *name;
	}
	return text;
}
