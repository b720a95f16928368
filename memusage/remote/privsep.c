/* privsep.c -- Run work with another user's rights in an isolated process.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/remote/privsep.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/xmalloc.h"
#include "memusage/common/escape.h"
#include "memusage/common/program.h"
#include "memusage/rights/isolation.h"

enum {
	LINE_MAX_BYTES = 1 << 18, /* the command line of a process is one line */
	PRINTED_MAX = 1 << 20,	  /* bytes of each stream; the rest is dropped */
	LOOK_MS = 100
};

static pid_t parent_pid;
static int to_parent = -1;

/* ---- the isolated process ------------------------------------------------------------------ */

void privsep_die_with_parent(void)
{
	/* A change of the user resets this setting. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent_pid)
		_exit(STATUS_FAILED);
}

/* ---- what it prints ------------------------------------------------------------------------ */

struct relayed_stream {
	int from;	/* -1: it has ended */
	FILE *to;
	char *line;
	size_t used;
	size_t printed;
};

static void write_line(struct relayed_stream *s, const char *end)
{
	size_t size = 4 * s->used + 1;
	char *safe = xmalloc(size);

	s->line[s->used] = '\0';
	fputs(escape_text(safe, size, s->line), s->to);
	fputs(end, s->to);
	fflush(s->to);
	free(safe);
	s->used = 0;
}

static void write_bytes(struct relayed_stream *s, const char *data, size_t size)
{
	for (size_t i = 0; i < size && s->printed < PRINTED_MAX; i++, s->printed++) {
		if (data[i] == '\n')
			write_line(s, "\n");
		else if (data[i] != '\0' && s->used + 1 < LINE_MAX_BYTES)
			s->line[s->used++] = data[i];
	}
}

/* Returns whether there may be more. Output beyond PRINTED_MAX is not read. */
static bool relay_output(struct relayed_stream *s)
{
	char data[4096];
	ssize_t n = s->printed < PRINTED_MAX ? read(s->from, data, sizeof(data)) : 0;

	if (n > 0)
		write_bytes(s, data, (size_t)n);
	if (n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN)))
		return n > 0;
	close(s->from);
	s->from = -1;
	return false;
}

static void begin_stream(struct relayed_stream *s, const int pair[2], FILE *to)
{
	close(pair[1]);
	fcntl(pair[0], F_SETFL, O_NONBLOCK);
	*s = (struct relayed_stream){ .from = pair[0], .to = to, .line = xmalloc(LINE_MAX_BYTES) };
}

static void end_stream(struct relayed_stream *s)
{
	if (s->used > 0)
		write_line(s, "");
	if (s->from >= 0)
		close(s->from);
	free(s->line);
}

/* The process that works, and what answers it. */
struct worker {
	pid_t pid;
	int connection;
	void (*answer)(void *data, int connection);
	void *data;
};

/* Waits for the process itself, as another process may still hold its pipes. */
static int relay_until_exit(const struct worker *w, struct relayed_stream stream[2])
{
	int status = 0;
	pid_t ended = 0;

	while (ended == 0) {
		struct pollfd p[3] = { { .fd = stream[0].from, .events = POLLIN },
				       { .fd = stream[1].from, .events = POLLIN },
				       { .fd = w->connection, .events = POLLIN } };
		bool is_over = stream[0].from < 0 && stream[1].from < 0;

		if (!is_over && poll(p, 3, LOOK_MS) > 0 && p[2].revents == POLLIN)
			w->answer(w->data, w->connection);
		ended = waitpid(w->pid, &status, is_over ? 0 : WNOHANG);
		if (ended < 0 && errno == EINTR)
			ended = 0;
		for (int i = 0; i < 2; i++) {
			while (stream[i].from >= 0 && relay_output(&stream[i]))
				;
		}
	}
	return status;
}

int privsep_connection(void)
{
	return to_parent;
}

int privsep_run(int (*work)(void *data), void (*answer)(void *data, int connection), void *data)
{
	struct worker w = { .answer = answer, .data = data };
	struct relayed_stream stream[2];
	int out[2], err[2], pair[2], status;

	fflush(NULL);
	if (pipe2(out, O_CLOEXEC) < 0 || pipe2(err, O_CLOEXEC) < 0 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		die("cannot create a pipe: %m");
	parent_pid = getpid();
	w.pid = fork();
	if (w.pid < 0)
		die("cannot create a process: %m");
	if (w.pid == 0) {
		close(pair[0]);
		to_parent = pair[1];
		isolation_begin(out[1], err[1]);
		status = work(data);
		fflush(NULL);
		_exit(status);
	}
	begin_stream(&stream[0], out, stdout);
	begin_stream(&stream[1], err, stderr);
	close(pair[1]);
	w.connection = pair[0];
	status = relay_until_exit(&w, stream);
	close(w.connection);
	end_stream(&stream[0]);
	end_stream(&stream[1]);
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	warn("the process that acted with the owner's rights was killed by signal "
	     "%d",
	     WTERMSIG(status));
	return STATUS_FAILED;
}
