/* symbols_child.c -- symbols_read() in processes of their own, with limits.
 *
 * Each module has a child, a fork that knows the job. It opens the files, gives up all that it does
 * not need (seal.h), and only then lets libdw loose on them. It answers through a socket: a stream
 * of messages, each a header and its texts. A fork takes a millisecond, a module ten or more.
 *
 * The parent has the names cache. The child's first message says which files it has opened; the
 * parent ends it if all names are known, else it answers with those that are, and keeps what is
 * found. That message is sent before libdw has run, so that what a hostile file makes of its child
 * is kept for that file only.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/symbols/symbols_child.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/xmalloc.h"
#include "profile/base/limits.h"
#include "profile/base/seal.h"
#include "profile/names/names_cache.h"
#include "profile/symbols/debuginfo.h"
#include "profile/symbols/symbols_read.h"

enum {
	SECONDS = 20,			/* of CPU for one module, besides BYTES_PER_SECOND */
	TOTAL = 3,			/* ... for all modules together, times that of one */
	BYTES_PER_SECOND = 16 << 20,	/* of files: libdw reads some 100 MB */
	PATIENCE = 6,			/* seconds of silence for each of these */
	OUT_BYTES = 64 << 10,
	TEXT_MAX = 128 << 10,		/* of one name; demangled ones get long */
	MESSAGE_MAX = 8 << 20,
	CHILDREN_MAX = 32		/* modules that may break a child */
};

enum message_kind { KIND_FOUND = 1, KIND_STATE = 2, KIND_OPENED = 3 };

struct message {
	uint32_t kind;
	uint32_t count;		/* FOUND: levels. STATE, OPENED: enum symbols_state */
	uint64_t index;		/* FOUND: request. STATE: job. OPENED: bytes of the files */
	uint32_t bytes;		/* FOUND: of what follows */
	uint32_t is_incomplete;	/* STATE: a later answer may differ */
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
	unsigned int seconds;	/* that the module may take, besides the share of its files */
	uint64_t memory;	/* as in symbols_options */
	const struct symbols_job *job;
	size_t used;
	char buffer[OUT_BYTES];
};

/* Not by exit(), since exit handlers and buffers are the parent's. */
__attribute__((noreturn))
static void leave_child(void)
{
	for (;;)
		syscall(SYS_exit_group, 0);
}

static void flush_send_buffer(struct sender *s)
{
	for (size_t done = 0; done < s->used;) {
		ssize_t n = write(s->fd, s->buffer + done, s->used - done);

		/* The parent is gone, or has heard enough. */
		if (n < 0 && errno != EINTR)
			leave_child();
		done += n > 0 ? (size_t)n : 0;
	}
	s->used = 0;
}

static void append_sent_bytes(struct sender *s, const void *data, size_t size)
{
	const char *from = data;

	while (size > 0) {
		size_t part = OUT_BYTES - s->used < size ? OUT_BYTES - s->used : size;

		memcpy(s->buffer + s->used, from, part);
		s->used += part;
		from += part;
		size -= part;
		if (s->used == OUT_BYTES)
			flush_send_buffer(s);
	}
}

/* Bytes of a text with its zero; one that is too long is left out. */
static uint32_t sent_text_size(const char *text)
{
	size_t length = text ? strnlen(text, TEXT_MAX) : TEXT_MAX;

	return length < TEXT_MAX ? (uint32_t)length + 1 : 0;
}

static void send_found_levels(size_t request, const struct raw_level *level, size_t count,
			      void *data)
{
	struct level_head head[DEBUGINFO_LEVELS_MAX];
	struct message m = { .kind = KIND_FOUND, .index = request };
	struct sender *s = data;

	/* Levels that do not fit are left out from the outside in; it takes an attack to get
	 * there. */
	for (size_t i = 0; i < count && i < DEBUGINFO_LEVELS_MAX; i++) {
		uint32_t bytes;

		head[i] = (struct level_head){ level[i].line,
					       level[i].base,
					       { sent_text_size(level[i].name),
						 sent_text_size(level[i].full),
						 sent_text_size(level[i].file) } };
		bytes = sizeof(*head) + head[i].size[0] + head[i].size[1] + head[i].size[2];
		if (m.bytes + bytes > MESSAGE_MAX)
			break;
		m.bytes += bytes;
		m.count++;
	}
	append_sent_bytes(s, &m, sizeof(m));
	for (size_t i = 0; i < m.count; i++) {
		append_sent_bytes(s, &head[i], sizeof(head[i]));
		append_sent_bytes(s, level[i].name, head[i].size[0]);
		append_sent_bytes(s, level[i].full, head[i].size[1]);
		append_sent_bytes(s, level[i].file, head[i].size[2]);
	}
}

static void limit_resources(const struct symbols_options *o)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_DUMPABLE, 0);
	limits_set(RLIMIT_CORE, 0);
	if (!o->debuginfod)
		limits_set(RLIMIT_FSIZE, 0);
	limits_memory(o->memory ? o->memory : UINT64_C(64) << 30);
	/* The defaults, whatever the program does with these. */
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXCPU, SIG_DFL);
	signal(SIGBUS, SIG_DFL);
	signal(SIGSEGV, SIG_DFL);
}

static unsigned int seconds_per_module(const struct symbols_options *o)
{
	return o->seconds ? o->seconds : SECONDS;
}

static uint64_t seconds_for_bytes(uint64_t bytes)
{
	const uint64_t most = UINT64_C(1) << 40;

	return (bytes < most ? bytes : most) / BYTES_PER_SECOND;
}

/* The parent says of each request whether its names are known. */
static void receive_known(const struct sender *s, bool *is_known)
{
	size_t count = s->job->end - s->job->first;

	for (size_t done = 0; done < count;) {
		ssize_t n = read(s->fd, is_known + done, count - done);

		/* All are, or the parent is gone. */
		if (n == 0 || (n < 0 && errno != EINTR))
			leave_child();
		done += n > 0 ? (size_t)n : 0;
	}
}

/* Nothing of the files has been read yet but their heads, by code of our own. Sanitizers make
 * system calls of which the filter knows nothing. */
static void seal_after_open(const struct symbols_opened *opened, bool *is_known, void *data)
{
	struct sender *s = data;
	const uint64_t bytes = opened->bytes;
	struct message m = { .kind = KIND_OPENED, .count = opened->state, .index = bytes };

	append_sent_bytes(s, &m, sizeof(m));
	append_sent_bytes(s, opened->key, sizeof(*opened->key));
	flush_send_buffer(s);
	if (s->job->options->cache)
		receive_known(s, is_known);
	limits_set(RLIMIT_CPU, s->seconds + seconds_for_bytes(bytes) + 1);
	limits_memory(s->memory ? s->memory : (UINT64_C(1) << 30) + 4 * bytes);
	if (!LIMITS_HAS_SHADOW)
		seal_process(s->fd);
}

__attribute__((noreturn))
static void run_child_jobs(int fd, const struct symbols_job *job, size_t k, unsigned int seconds)
{
	static struct sender sender;
	struct sender *s = &sender;
	struct symbols_job own = job[k];
	struct message m = { .kind = KIND_STATE, .index = k };
	bool is_incomplete = false;

	s->fd = fd;
	s->job = &job[k];
	s->seconds = seconds;
	s->memory = job->options->memory;
	xmalloc_on_failure(leave_child);
	limit_resources(job->options);
	limits_set(RLIMIT_CPU, seconds + 1);
	own.found = send_found_levels;
	own.opened = seal_after_open;
	own.is_incomplete = &is_incomplete;
	own.data = s;
	m.count = symbols_read(&own);
	m.is_incomplete = is_incomplete;
	append_sent_bytes(s, &m, sizeof(m));
	flush_send_buffer(s);
	leave_child();
}

/* ---- parent ------------------------------------------------------------------------------- */

struct receiver {
	int fd;
	const struct symbols_job *job;
	size_t current;		/* the job that is being done */
	bool has_told;		/* its child has sent something */
	bool has_ended;		/* ... and all */
	uint64_t share;		/* seconds that the size of its files explains */
	double left;		/* seconds of CPU for all that are still to come */
	symbols_state_fn state;
	struct names_answers answers;	/* of its module, from the cache and for it */
	bool *is_known;		/* per request of the job: it has names, or has none */
	char *payload;
	size_t room;
};

/* Exactly SIZE bytes; false at the end, or after too long a silence. */
static bool receive_bytes(struct receiver *r, void *to, size_t size)
{
	/* A child waits for nothing but files; on its way through one it may be silent. */
	const int patience_ms =
		(int)(seconds_per_module(r->job->options) + r->share) * PATIENCE * 1000;
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
static bool parse_sent_text(const char **at, const char *end, uint32_t size, const char **text)
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

static bool parse_level(const char **at, const char *end, struct raw_level *level)
{
	struct level_head head;

	if ((size_t)(end - *at) < sizeof(head))
		return false;
	memcpy(&head, *at, sizeof(head));
	*at += sizeof(head);
	level->line = head.line;
	level->base = head.base;
	return parse_sent_text(at, end, head.size[0], &level->name) &&
	       parse_sent_text(at, end, head.size[1], &level->full) &&
	       parse_sent_text(at, end, head.size[2], &level->file);
}

static bool send_all_bytes(int fd, const void *data, size_t size)
{
	const char *from = data;

	while (size > 0) {
		ssize_t n = send(fd, from, size, MSG_NOSIGNAL);

		if (n < 0 && errno != EINTR)
			return false;
		from += n > 0 ? n : 0;
		size -= n > 0 ? (size_t)n : 0;
	}
	return true;
}

/* Keeps what was found of a request for the cache, once. */
static void keep_answer(struct receiver *r, size_t request, const struct raw_level *level,
			size_t count)
{
	const struct symbols_job *job = &r->job[r->current];

	if (!r->is_known || r->is_known[request - job->first])
		return;
	r->is_known[request - job->first] = true;
	names_draft_append(&r->answers.draft, job->request[request].address, level, count);
}

static bool receive_found_levels(struct receiver *r, const struct message *m)
{
	const struct symbols_job *job = &r->job[r->current];
	struct raw_level level[DEBUGINFO_LEVELS_MAX];
	const char *at, *end;

	if (m->bytes > MESSAGE_MAX || m->count > DEBUGINFO_LEVELS_MAX || m->count == 0 ||
	    m->index < job->first || m->index >= job->end)
		return false;
	if (m->bytes > r->room) {
		r->payload = xreallocarray(r->payload, m->bytes, 1);
		r->room = m->bytes;
	}
	if (!receive_bytes(r, r->payload, m->bytes))
		return false;
	at = r->payload;
	end = at + m->bytes;
	for (uint32_t i = 0; i < m->count; i++)
		if (!parse_level(&at, end, &level[i]))
			return false;
	job->found(m->index, level, m->count, job->data);
	keep_answer(r, m->index, level, m->count);
	return true;
}

/* Takes what the cache knows of the module. Returns how many requests are left. */
static size_t take_known_names(struct receiver *r)
{
	const struct symbols_job *job = &r->job[r->current];
	struct raw_level level[DEBUGINFO_LEVELS_MAX];
	size_t left = 0;

	for (size_t i = job->first; i < job->end; i++) {
		const struct names_entry *entry =
			names_file_find(&r->answers.known, job->request[i].address);

		if (!entry || !names_file_levels(&r->answers.known, entry, level)) {
			left++;
			continue;
		}
		r->is_known[i - job->first] = true;
		if (entry->count > 0)
			job->found(i, level, entry->count, job->data);
	}
	return left;
}

/* Returns false if the child has nothing left to do, or does not listen. */
static bool answer_opened(struct receiver *r, const struct message *m, void *data)
{
	const struct symbols_job *job = &r->job[r->current];
	const size_t count = job->end - job->first;
	struct names_key key;

	r->share = seconds_for_bytes(m->index);
	if (!receive_bytes(r, &key, sizeof(key)))
		return false;
	if (!job->options->cache)
		return true;
	r->is_known = xcalloc(count, sizeof(*r->is_known));
	names_cache_open(&r->answers, job->options->cache, &key);
	if (take_known_names(r) == 0 && symbols_state_has_names(m->count)) {
		r->state(r->current, m->count, data);
		r->has_ended = true;
		return false;
	}
	return send_all_bytes(r->fd, r->is_known, count);
}

/* The child has looked for the names of all requests: those without any have none. */
static void keep_all_answers(struct receiver *r)
{
	const struct symbols_job *job = &r->job[r->current];

	for (size_t i = job->first; r->is_known && i < job->end; i++)
		keep_answer(r, i, NULL, 0);
	names_cache_save(&r->answers);
}

/* One message; false when the child has none left, or talks nonsense. */
static bool handle_message(struct receiver *r, void *data)
{
	struct message m;
	bool is_first = !r->has_told;

	if (r->has_ended || !receive_bytes(r, &m, sizeof(m)))
		return false;
	r->has_told = true;
	/* Later ones could be a lie: libdw has had its way with the child. */
	if (m.kind == KIND_OPENED && is_first)
		return answer_opened(r, &m, data);
	if (m.kind == KIND_FOUND)
		return receive_found_levels(r, &m);
	if (m.kind != KIND_STATE || m.index != r->current || m.count > SYMBOLS_FAILED)
		return false;
	if (!m.is_incomplete && symbols_state_has_names(m.count))
		keep_all_answers(r);
	r->state(r->current, m.count, data);
	r->has_ended = true;
	return true;
}

static int start_child_process(struct receiver *r, pid_t *child, struct mu_error *err)
{
	const unsigned int most = seconds_per_module(r->job->options);
	int ends[2];

	r->has_told = r->has_ended = false;
	r->share = 0;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, "cannot make a socket: %m");
	*child = fork();
	if (*child == 0) {
		close(ends[0]);
		run_child_jobs(ends[1], r->job, r->current,
			       r->left < most ? (unsigned int)r->left : most);
	}
	if (*child < 0) {
		mu_error_set(err, MU_ERROR_SYSTEM, 0, "cannot fork: %m");
		close(ends[0]);
	}
	close(ends[1]);
	r->fd = ends[0];
	return *child < 0 ? -1 : 0;
}

static double timeval_seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

/* Time beyond the share for the size of its files is missing for the other modules. */
static void reap_child(struct receiver *r, pid_t child)
{
	struct rusage use = { .ru_utime = { 0, 0 } };
	double beyond;

	close(r->fd);
	/* It has said what it had to say, or is not to be trusted. */
	kill(child, SIGKILL);
	while (wait4(child, NULL, 0, &use) < 0 && errno == EINTR)
		;
	names_cache_close(&r->answers);
	free(r->is_known);
	r->is_known = NULL;
	beyond = timeval_seconds(use.ru_utime) + timeval_seconds(use.ru_stime) - (double)r->share;
	r->left -= beyond > 0 ? beyond : 0;
}

int symbols_child_run(const struct symbols_job *job, size_t count, symbols_state_fn state,
		      struct mu_error *err)
{
	struct receiver r = { .job = job, .state = state };
	int failures = 0;

	/* A child may take a second more than its limit says (seal_after_open()), and the kernel
	 * notices that at a tick: one endless module leaves the others their time all the same. */
	r.left = count ? TOTAL * (double)seconds_per_module(job->options) + 1 : 0;
	for (; r.current < count; r.current++) {
		pid_t child = 0;

		if (failures == CHILDREN_MAX || r.left < 1) {
			state(r.current, SYMBOLS_FAILED, job->data);
			continue;
		}
		if (start_child_process(&r, &child, err) < 0) {
			free(r.payload);
			return -1;
		}
		while (handle_message(&r, job->data))
			;
		reap_child(&r, child);
		if (r.has_ended)
			continue;
		failures++;
		state(r.current, SYMBOLS_FAILED, job->data);
	}
	free(r.payload);
	return 0;
}
