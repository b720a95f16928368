/* symbols_child.c -- symbols_read() in a process of its own, with limits.
 *
 * The child is a fork, so it knows the jobs. It answers through a pipe: a stream of messages,
 * each a header and its texts.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/symbols_child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profile/debuginfo.h"

enum {
	SECONDS = 60,
	OUT_BYTES = 64 << 10,
	TEXT_MAX = 128 << 10,		/* of one name; demangled ones get long */
	MESSAGE_MAX = 8 << 20,
	CHILDREN_MAX = 32		/* modules that may break a child */
};

enum kind { KIND_FOUND = 1, KIND_STATE = 2 };

struct message {
	uint32_t kind;
	uint32_t count;		/* FOUND: levels. STATE: enum symbols_state */
	uint64_t index;		/* FOUND: request. STATE: job */
	uint32_t bytes;		/* FOUND: of what follows */
	uint32_t reserved;
};

/* One level; its texts follow. */
struct level_head {
	uint32_t line;
	uint32_t base;
	uint32_t size[3];	/* of name, full, file, with their final zeros; 0 unknown */
};

/* ---- child ------------------------------------------------------------------------------- */

struct sender {
	int fd;
	size_t used;
	char buffer[OUT_BYTES];
};

static void send_buffer(struct sender *s)
{
	for (size_t done = 0; done < s->used;) {
		ssize_t n = write(s->fd, s->buffer + done, s->used - done);

		/* The parent is gone, or has heard enough. exit_group, since exit handlers and
		 * buffers are the parent's. */
		if (n < 0 && errno != EINTR)
			syscall(SYS_exit_group, 1);
		done += n > 0 ? (size_t)n : 0;
	}
	s->used = 0;
}

static void send_bytes(struct sender *s, const void *data, size_t size)
{
	const char *from = data;

	while (size > 0) {
		size_t part = OUT_BYTES - s->used < size ? OUT_BYTES - s->used : size;

		memcpy(s->buffer + s->used, from, part);
		s->used += part;
		from += part;
		size -= part;
		if (s->used == OUT_BYTES)
			send_buffer(s);
	}
}

/* Bytes of a text with its zero; one that is too long is left out. */
static uint32_t size_of(const char *text)
{
	size_t length = text ? strnlen(text, TEXT_MAX) : TEXT_MAX;

	return length < TEXT_MAX ? (uint32_t)length + 1 : 0;
}

static void send_found(size_t request, const struct symbols_raw *level, size_t count, void *data)
{
	struct level_head head[DEBUGINFO_LEVELS_MAX];
	struct message m = { .kind = KIND_FOUND, .index = request };
	struct sender *s = data;

	/* Levels that do not fit are left out from the outside in; it takes an attack to get
	 * there. */
	for (size_t i = 0; i < count && i < DEBUGINFO_LEVELS_MAX; i++) {
		uint32_t bytes;

		head[i] = (struct level_head){ level[i].line, level[i].base,
					       { size_of(level[i].name), size_of(level[i].full),
						 size_of(level[i].file) } };
		bytes = sizeof(*head) + head[i].size[0] + head[i].size[1] + head[i].size[2];
		if (m.bytes + bytes > MESSAGE_MAX)
			break;
		m.bytes += bytes;
		m.count++;
	}
	send_bytes(s, &m, sizeof(m));
	for (size_t i = 0; i < m.count; i++) {
		send_bytes(s, &head[i], sizeof(head[i]));
		send_bytes(s, level[i].name, head[i].size[0]);
		send_bytes(s, level[i].full, head[i].size[1]);
		send_bytes(s, level[i].file, head[i].size[2]);
	}
}

static void limit(int resource, uint64_t value)
{
	struct rlimit r;

	if (getrlimit(resource, &r) == 0) {
		r.rlim_cur = value < r.rlim_max ? value : r.rlim_max;
		setrlimit(resource, &r);
	}
}

/* Sanitizers reserve terabytes of address space. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SHADOW 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SHADOW 1
#endif
#endif
#ifndef HAS_SHADOW
#define HAS_SHADOW 0
#endif

static uint64_t own_pages(void)
{
	char text[64] = "";
	int fd = HAS_SHADOW ? -1 : open("/proc/self/statm", O_RDONLY | O_CLOEXEC);

	if (fd >= 0) {
		if (read(fd, text, sizeof(text) - 1) < 0)
			text[0] = '\0';
		close(fd);
	}
	return strtoull(text, NULL, 10);
}

static void limit_child(const struct symbols_options *o)
{
	uint64_t memory = o->memory ? o->memory : UINT64_C(4) << 30;
	uint64_t pages = own_pages();

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_DUMPABLE, 0);
	limit(RLIMIT_CORE, 0);
	if (!o->debuginfod)
		limit(RLIMIT_FSIZE, 0);
	if (pages > 0)
		limit(RLIMIT_AS, pages * (uint64_t)sysconf(_SC_PAGESIZE) + memory);
	/* The defaults, whatever the program does with these. */
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXCPU, SIG_DFL);
	signal(SIGBUS, SIG_DFL);
	signal(SIGSEGV, SIG_DFL);
}

static unsigned int seconds_of(const struct symbols_options *o)
{
	return o->seconds ? o->seconds : SECONDS;
}

/* RLIMIT_CPU counts from the start of the child: each job gets its share on top. */
static void limit_time(const struct symbols_options *o)
{
	struct rusage use;

	getrusage(RUSAGE_SELF, &use);
	limit(RLIMIT_CPU, (uint64_t)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) + seconds_of(o) +
		1);
}

__attribute__((noreturn))
static void be_child(int fd, const struct symbols_job *job, size_t from, size_t count)
{
	static struct sender sender;
	struct sender *s = &sender;

	s->fd = fd;
	limit_child(job->options);
	for (size_t k = from; k < count; k++) {
		struct symbols_job own = job[k];
		struct message m = { .kind = KIND_STATE, .index = k };

		own.found = send_found;
		own.data = s;
		limit_time(job->options);
		m.count = symbols_read(&own);
		send_bytes(s, &m, sizeof(m));
		/* What is known is sent before the next file can do harm. */
		send_buffer(s);
	}
	for (;;)
		syscall(SYS_exit_group, 0);
}

/* ---- parent ------------------------------------------------------------------------------- */

struct receiver {
	int fd;
	const struct symbols_job *job;
	size_t jobs;
	size_t current;		/* the job that is being done */
	symbols_state_fn state;
	char *payload;
	size_t room;
};

/* Exactly SIZE bytes; false at the end, or after too long a silence. */
static bool receive(struct receiver *r, void *to, size_t size)
{
	/* A child waits for nothing but files; on its way through one it may be silent. */
	const int patience_ms = (int)seconds_of(r->job->options) * 2000;
	char *at = to;

	while (size > 0) {
		struct pollfd wait = { .fd = r->fd, .events = POLLIN };
		int ready = poll(&wait, 1, patience_ms);
		ssize_t n;

		if (ready < 0 && errno == EINTR)
			continue;
		n = ready > 0 ? read(r->fd, at, size) : 0;
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += n;
		size -= (size_t)n;
	}
	return true;
}

/* The next text of a payload; false if it is not one. */
static bool take_text(const char **at, const char *end, uint32_t size, const char **text)
{
	*text = NULL;
	if (size == 0)
		return true;
	if (size > (size_t)(end - *at) || (*at)[size - 1] != '\0')
		return false;
	*text = *at;
	*at += size;
	return true;
}

static bool take_level(const char **at, const char *end, struct symbols_raw *level)
{
	struct level_head head;

	if ((size_t)(end - *at) < sizeof(head))
		return false;
	memcpy(&head, *at, sizeof(head));
	*at += sizeof(head);
	level->line = head.line;
	level->base = head.base;
	return take_text(at, end, head.size[0], &level->name) &&
	       take_text(at, end, head.size[1], &level->full) &&
	       take_text(at, end, head.size[2], &level->file);
}

static bool take_found(struct receiver *r, const struct message *m)
{
	const struct symbols_job *job = &r->job[r->current];
	struct symbols_raw level[DEBUGINFO_LEVELS_MAX];
	const char *at, *end;

	if (m->bytes > MESSAGE_MAX || m->count > DEBUGINFO_LEVELS_MAX || m->count == 0 ||
	    m->index < job->first || m->index >= job->end)
		return false;
	if (m->bytes > r->room) {
		char *payload = realloc(r->payload, m->bytes);

		if (!payload)
			return false;
		r->payload = payload;
		r->room = m->bytes;
	}
	if (!receive(r, r->payload, m->bytes))
		return false;
	at = r->payload;
	end = at + m->bytes;
	for (uint32_t i = 0; i < m->count; i++)
		if (!take_level(&at, end, &level[i]))
			return false;
	job->found(m->index, level, m->count, job->data);
	return true;
}

/* One message; false when the child has none left, or talks nonsense. */
static bool take_message(struct receiver *r, void *data)
{
	struct message m;

	if (r->current == r->jobs || !receive(r, &m, sizeof(m)))
		return false;
	if (m.kind == KIND_FOUND)
		return take_found(r, &m);
	if (m.kind != KIND_STATE || m.index != r->current || m.count > SYMBOLS_FAILED)
		return false;
	r->state(r->current++, m.count, data);
	return true;
}

static int start_child(struct receiver *r, pid_t *child, struct mu_error *err)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, "cannot make a pipe: %m");
	*child = fork();
	if (*child == 0) {
		close(ends[0]);
		be_child(ends[1], r->job, r->current, r->jobs);
	}
	if (*child < 0) {
		mu_error_set(err, MU_ERROR_SYSTEM, 0, "cannot fork: %m");
		close(ends[0]);
	}
	close(ends[1]);
	r->fd = ends[0];
	return *child < 0 ? -1 : 0;
}

static void end_child(struct receiver *r, pid_t child)
{
	close(r->fd);
	/* It has said what it had to say, or is not to be trusted. */
	kill(child, SIGKILL);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}

int symbols_child_run(const struct symbols_job *job, size_t count, symbols_state_fn state,
		      struct mu_error *err)
{
	struct receiver r = { .job = job, .jobs = count, .state = state };
	int result = 0;

	for (int children = 0; result == 0 && r.current < count; children++) {
		pid_t child = 0;

		if (children == CHILDREN_MAX) {
			state(r.current++, SYMBOLS_FAILED, job->data);
			children--;
			continue;
		}
		result = start_child(&r, &child, err);
		if (result < 0)
			break;
		while (take_message(&r, job->data))
			;
		end_child(&r, child);
		if (r.current < count)
			state(r.current++, SYMBOLS_FAILED, job->data);
	}
	free(r.payload);
	return result;
}
