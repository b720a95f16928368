/* contact.c -- Find the collector that records a process.
 *
 * Collectors listen at abstract sockets, whose names are in /proc/net/unix, and in private
 * directories. All of our user's collectors are asked. Only an answer of our own user counts, even
 * if we are root. The file that it provides must be sealed, and must be the one that the process
 * has mapped.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/remote/contact.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/user.h"
#include "cli/xmalloc.h"
#include "memusage/common/clock.h"
#include "memusage/common/fd_passing.h"
#include "memusage/common/process.h"
#include "memusage/common/program.h"
#include "memusage/remote/collector_socket.h"
#include "memusage/remote/mapped_recordings.h"
#include "memusage/remote/orphans.h"

/* A collector may be busy with the names of a large program, or may not get a processor. If the
 * process has no recording mapped, the answers tell only whether a collector waits for it. */
enum { ANSWER_MS = 10000, UNMAPPED_ANSWER_MS = 2000, LATE_ANSWER_MS = 1000 };

struct collector_search {
	struct contact *contact;
	struct control_question question;
	int pidfd;
	enum contact_status status;
	bool *is_known;	      /* set if a collector records the process, whatever that has mapped */
	struct pollfd *asked; /* connections that have not answered yet */
	size_t asked_count;
	pid_t *peers;	      /* collectors that were asked, as far as their IDs are visible here */
	size_t peers_count;
	uint64_t end;	      /* time of the monotonic clock until which answers are awaited */
};

/* ---- one collector ----------------------------------------------------------------------- */

static int send_question(const struct collector_search *s, int fd)
{
	return fd_passing_send(fd, &s->question, sizeof(s->question), s->pidfd, 0);
}

/* Asks the collector that has answered once more, for another file, which may be any.
 *
 * Returns the connection, or -1: then there is no file. *STATUS is DENIED without an answer. */
static int ask_again(const struct contact *c, const void *question, size_t length, int pidfd,
		     int *file, enum control_status *status)
{
	struct control_answer *a = xmalloc(sizeof(*a));
	struct collector_address from = collector_socket_address(c->connection);
	struct pollfd wait = { .fd = -1, .events = POLLIN };
	bool is_answered;
	int error;

	*file = -1;
	if (from.length > 0)
		wait.fd = collector_socket_connect(&from.name, from.length, &error);
	is_answered = wait.fd >= 0 && fd_passing_send(wait.fd, question, length, pidfd, 0) == 0 &&
		      poll(&wait, 1, ANSWER_MS) > 0 &&
		      collector_socket_receive(a, wait.fd, file);
	*status = is_answered ? (enum control_status)a->status : CONTROL_DENIED;
	free(a);
	if (is_answered && *file >= 0)
		return wait.fd;
	if (*file >= 0)
		close(*file);
	*file = -1;
	if (wait.fd >= 0)
		close(wait.fd);
	return -1;
}

static void ask_for_file(const struct collector_search *s, unsigned int flag, int *file)
{
	struct control_question question = s->question;
	enum control_status status;
	int connection;

	question.flags = flag | (s->question.flags & CONTROL_RUN);
	connection = ask_again(s->contact, &question, sizeof(question), s->pidfd, file, &status);
	if (connection >= 0)
		close(connection);
}

/* A regular file cannot be sealed: if another process truncates it meanwhile, we exit with a
 * message. */
static void on_truncated(int signal)
{
	static const char text[] = "memusage: the recording was truncated while it was read\n";

	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(STATUS_FAILED);
	_exit(STATUS_FAILED);
}

static void expect_truncation(void)
{
	const struct sigaction action = { .sa_handler = on_truncated };

	sigaction(SIGBUS, &action, NULL);
}

static bool is_own_file(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && user_is_self(st.st_uid);
}

/* That of a run with --durable is a file with a name. */
static bool is_durable_arena(int fd)
{
	struct stat st;

	return is_own_file(fd) && fstat(fd, &st) == 0 && st.st_nlink > 0;
}

static enum contact_status check_arena(struct collector_search *s, int arena)
{
	enum process_mapping mapping = PROCESS_HAS_NO_MEMORY;

	*s->is_known |= arena >= 0;
	if (arena >= 0)
		mapping = process_maps((pid_t)s->question.pid, arena);
	if (mapping == PROCESS_HAS_OTHERS || mapping == PROCESS_HAS_NO_MEMORY)
		return CONTACT_NOT_RECORDED;
	if (is_durable_arena(arena) || live_is_sealed(arena)) {
		expect_truncation();
		s->contact->arena = arena;
		return CONTACT_OK;
	}
	warn("process %d: the recording from its collector is not sealed: it could be truncated "
	     "while it is read",
	     (int)s->question.pid);
	return CONTACT_BROKEN;
}

static enum contact_status map_arena(struct contact *c, pid_t pid)
{
	const struct control_answer *a = &c->answer;
	struct mu_error err;
	int failed = live_open(&c->live, c->arena, a->slot, a->generation, &err);

	close(c->arena);
	c->arena = -1;
	if (!failed)
		return CONTACT_OK;
	warn("process %d: %s", (int)pid, err.text);
	contact_close(c);
	return CONTACT_BROKEN;
}

static enum contact_status status_of_answer(const struct control_answer *a)
{
	switch (a->status) {
	case CONTROL_BUSY:
		return CONTACT_BUSY;
	case CONTROL_DENIED:
		return CONTACT_DENIED;
	case CONTROL_NO_IMAGE:
		return CONTACT_NO_IMAGE;
	default:
		return CONTACT_NOT_RECORDED;
	}
}

/* A collector listens at two names. Returns whether the one behind FD was asked at the other. */
static bool was_asked(struct collector_search *s, int fd)
{
	const pid_t peer = collector_socket_peer(fd);

	/* It is in a PID namespace that is not visible from here. */
	if (peer == 0)
		return false;
	for (size_t i = 0; i < s->peers_count; i++) {
		if (s->peers[i] == peer)
			return true;
	}
	s->peers = xreallocarray(s->peers, s->peers_count + 1, sizeof(*s->peers));
	s->peers[s->peers_count++] = peer;
	return false;
}

/* receive_answers() receives the answer. */
static void ask_collector(struct collector_search *s, const struct sockaddr_un *address,
			  size_t length)
{
	int error, fd = collector_socket_connect(address, length, &error);

	if (fd < 0) {
		if (error == EACCES)
			s->status = CONTACT_DENIED;
		return;
	}
	if (was_asked(s, fd) || send_question(s, fd) < 0) {
		close(fd);
		return;
	}
	s->asked = xreallocarray(s->asked, s->asked_count + 1, sizeof(*s->asked));
	s->asked[s->asked_count++] = (struct pollfd){ .fd = fd, .events = POLLIN };
}

/* Returns whether the search is over. */
static bool handle_answer(struct collector_search *s, int fd)
{
	enum contact_status status = CONTACT_NOT_RECORDED;
	int arena;

	if (collector_socket_receive(&s->contact->answer, fd, &arena))
		status = s->contact->answer.status == CONTROL_OK ?
				 check_arena(s, arena) :
				 status_of_answer(&s->contact->answer);
	if (arena >= 0 && status != CONTACT_OK)
		close(arena);
	if (status != CONTACT_NOT_RECORDED)
		s->status = status;
	if (status == CONTACT_OK)
		s->contact->connection = fd;
	else
		close(fd);
	return status != CONTACT_NOT_RECORDED && status != CONTACT_DENIED;
}

static uint64_t time_after(int milliseconds)
{
	return clock_now(CLOCK_MONOTONIC) + UINT64_C(1000000) * (unsigned int)milliseconds;
}

static int milliseconds_until(uint64_t end)
{
	uint64_t now = clock_now(CLOCK_MONOTONIC);

	return now < end ? (int)((end - now + 999999) / 1000000) : 0;
}

/* Waits for all answers, in any order, up to a common time: a stopped collector must not delay the
 * others. Returns whether the search is over. */
static bool receive_answers(struct collector_search *s)
{
	bool found = false;

	while (s->asked_count && !found) {
		int ready = poll(s->asked, s->asked_count, milliseconds_until(s->end));

		/* Also after a stop and a continuation of this process. */
		if (ready < 0 && errno == EINTR)
			continue;
		if (ready <= 0)
			break;
		for (size_t i = s->asked_count; i-- > 0 && !found;) {
			int fd = s->asked[i].fd;

			if (!s->asked[i].revents)
				continue;
			s->asked[i] = s->asked[--s->asked_count];
			found = handle_answer(s, fd);
		}
	}
	if (s->asked_count && !found && s->status == CONTACT_NOT_RECORDED)
		s->status = CONTACT_SILENT;
	while (s->asked_count)
		close(s->asked[--s->asked_count].fd);
	return found;
}

/* ---- all collectors ---------------------------------------------------------------------- */

static bool ask_abstract_sockets(struct collector_search *s)
{
	struct collector_address *all;
	const size_t count = collector_socket_list(&all);

	for (size_t i = 0; i < count; i++)
		ask_collector(s, &all[i].name, all[i].length);
	free(all);
	return receive_answers(s);
}

/* A path in another user's directory could lead anywhere. */
static bool is_in_own_directory(const char *path)
{
	char *directory = xstrndup(path, (size_t)(strrchr(path, '/') - path));
	struct stat st;
	bool is_own = lstat(directory, &st) == 0 && S_ISDIR(st.st_mode) &&
		      user_is_self(st.st_uid);

	free(directory);
	return is_own;
}

/* Abstract names of another network namespace are not visible. Those that listen here only have
 * some time for their answer, however long others were awaited. */
static bool ask_path_sockets(struct collector_search *s)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR"), *tmp = getenv("TMPDIR");
	char *patterns[3] = {
		runtime ? xasprintf("%s/memusage/*.sock", runtime) : NULL,
		tmp ? xasprintf("%s/memusage-*/*.sock", tmp) : NULL,
		xstrdup("/tmp/memusage-*/*.sock"),
	};

	for (int i = 0; i < 3; i++) {
		glob_t names;

		if (!patterns[i] || glob(patterns[i], GLOB_NOSORT, NULL, &names) != 0)
			continue;
		for (size_t k = 0; k < names.gl_pathc; k++) {
			struct sockaddr_un address = { .sun_family = AF_UNIX };

			if (strlen(names.gl_pathv[k]) >= sizeof(address.sun_path) ||
			    !is_in_own_directory(names.gl_pathv[k]))
				continue;
			strcpy(address.sun_path, names.gl_pathv[k]);
			ask_collector(s, &address, sizeof(address));
		}
		globfree(&names);
	}
	for (int i = 0; i < 3; i++)
		free(patterns[i]);
	if (milliseconds_until(s->end) < LATE_ANSWER_MS)
		s->end = time_after(LATE_ANSWER_MS);
	return receive_answers(s);
}

/* ---- without a collector ----------------------------------------------------------------- */

static enum contact_status open_file(struct contact *c, const char *name, unsigned int flags)
{
	int fd = open(name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	struct mu_error err;

	if (fd < 0 || !is_own_file(fd)) {
		warn("%s: %s", name, fd < 0 ? strerror(errno) : "not a recording of this user");
		if (fd >= 0)
			close(fd);
		return CONTACT_BROKEN;
	}
	if (flags & CONTROL_EXCLUSIVE && flock(fd, LOCK_EX | LOCK_NB) < 0) {
		close(fd);
		return CONTACT_BUSY;
	}
	expect_truncation();
	if (live_open(&c->live, fd, 0, 0, &err) < 0) {
		warn("%s: %s", name, err.text);
		live_close(&c->live);
		close(fd);
		return CONTACT_BROKEN;
	}
	c->file = fd;
	c->answer.number = 1;
	return CONTACT_OK;
}

/* ---- all together ------------------------------------------------------------------------ */

static bool process_exists(pid_t pid)
{
	return kill(pid, 0) == 0 || errno == EPERM;
}

/* Asks the collector at ONLY, or all of them if it is NULL. A silent one does not matter if MAPS
 * shows that the process has no arena. */
static enum contact_status ask_collectors(struct contact *c, pid_t pid, unsigned int flags,
					  struct mapped_recordings *maps,
					  const struct collector_address *only)
{
	const unsigned int existing = flags & CONTROL_EXISTING;
	struct collector_search s = {
		.contact = c,
		.question = { .magic = CONTROL_MAGIC,
			      .version = CONTROL_VERSION,
			      .flags = flags & ~(uint32_t)(CONTROL_SAMPLES | CONTROL_CHECKS |
							   CONTROL_HOLDERS | CONTROL_EXISTING),
			      .arena = c->arena_number,
			      .pid = pid },
		.pidfd = (int)syscall(SYS_pidfd_open, pid, 0),
		.status = CONTACT_NOT_RECORDED,
		.is_known = &maps->is_expected,
		.end = time_after(maps->is_readable && !maps->arenas ? UNMAPPED_ANSWER_MS :
								       ANSWER_MS),
	};

	if (only && only->length > 0)
		ask_collector(&s, &only->name, only->length);
	if (only)
		receive_answers(&s);
	else if (!ask_abstract_sockets(&s))
		ask_path_sockets(&s);
	if (s.status == CONTACT_OK && flags & CONTROL_SAMPLES)
		ask_for_file(&s, CONTROL_SAMPLES, &c->samples);
	if (s.status == CONTACT_OK && flags & CONTROL_CHECKS)
		ask_for_file(&s, CONTROL_CHECKS | existing, &c->checks);
	if (s.status == CONTACT_OK && flags & CONTROL_HOLDERS)
		ask_for_file(&s, CONTROL_HOLDERS | existing, &c->holders);
	if (s.status == CONTACT_SILENT && maps->is_readable && !maps->arenas)
		s.status = CONTACT_NOT_RECORDED;
	free(s.asked);
	free(s.peers);
	if (s.pidfd >= 0)
		close(s.pidfd);
	return s.status;
}

enum contact_status contact_query(struct contact *c, pid_t pid, unsigned int flags)
{
	enum contact_status status;
	struct mapped_recordings maps;

	mapped_recordings_read(&maps, pid);
	status = ask_collectors(c, pid, flags, &maps, NULL);
	if (status != CONTACT_OK && !c->orphans)
		orphans_open(c, pid, &maps);
	free(maps.file);
	return status;
}

/* The collector may have ended because the process has. */
static bool still_has_arena(pid_t pid)
{
	struct mapped_recordings maps;

	mapped_recordings_read(&maps, pid);
	free(maps.file);
	return maps.arenas > 0;
}

/* The process has an arena for which no collector answers. */
static enum contact_status open_orphaned(struct contact *c, pid_t pid,
					 const struct mapped_recordings *maps)
{
	if (maps->is_readable ? !still_has_arena(pid) : !process_exists(pid))
		return CONTACT_NOT_RECORDED;
	if (!c->orphans)
		orphans_open(c, pid, maps);
	return orphans_map(c, pid);
}

static enum contact_status find_arena(struct contact *c, pid_t pid, unsigned int flags,
				      struct mapped_recordings *maps)
{
	enum contact_status status, left = CONTACT_NOT_RECORDED;

	status = ask_collectors(c, pid, flags, maps, NULL);
	if ((status == CONTACT_NOT_RECORDED || status == CONTACT_SILENT) &&
	    (maps->arenas || c->orphans))
		left = open_orphaned(c, pid, maps);
	if (left != CONTACT_NOT_RECORDED &&
	    (left != CONTACT_ORPHANED || status == CONTACT_NOT_RECORDED))
		status = left;
	return status;
}

/* Returns whether the process has executed another program, whose recording is elsewhere, since
 * MAPS was read. */
static bool has_executed(pid_t pid, const struct mapped_recordings *maps)
{
	struct mapped_recordings now;

	mapped_recordings_read(&now, pid);
	free(now.file);
	return now.arenas != maps->arenas || memcmp(now.arena, maps->arena, sizeof(now.arena)) != 0;
}

/* A bound, for a process that executes all the time. */
enum { FIND_TRIES = 10 };

static enum contact_status find_recording(struct contact *c, pid_t pid, unsigned int flags)
{
	enum contact_status status = CONTACT_NOT_RECORDED;
	struct mapped_recordings maps;

	for (int i = 0; i < FIND_TRIES; i++) {
		mapped_recordings_read(&maps, pid);
		status = maps.file ? open_file(c, maps.file, flags) :
				     find_arena(c, pid, flags, &maps);
		free(maps.file);
		if ((status != CONTACT_NOT_RECORDED && status != CONTACT_ORPHANED) ||
		    !has_executed(pid, &maps))
			break;
	}
	/* The dynamic linker has not loaded the recorder yet. */
	if (status == CONTACT_NOT_RECORDED && maps.is_readable && maps.is_expected)
		status = CONTACT_NO_IMAGE;
	return status;
}

enum contact_status contact_open(struct contact *c, pid_t pid, unsigned int flags)
{
	enum contact_status status = c->arena >= 0 ? CONTACT_OK : find_recording(c, pid, flags);

	if (status == CONTACT_OK && c->arena >= 0)
		status = map_arena(c, pid);
	/* The caller will try again, and may not be able to open the orphans then. */
	if (status != CONTACT_OK && (status != CONTACT_BUSY || !c->orphans))
		contact_close(c);
	return status;
}

enum contact_status contact_open_next(struct contact *c, pid_t collector, unsigned int flags)
{
	const struct collector_address from = collector_socket_address(c->connection);
	const uint32_t number = c->arena_number + 1;
	struct mapped_recordings maps = { .is_readable = false };
	enum contact_status status;

	contact_close(c);
	c->arena_number = number;
	status = ask_collectors(c, collector, flags | CONTROL_RUN, &maps, &from);
	if (status == CONTACT_OK)
		status = map_arena(c, collector);
	if (status != CONTACT_OK)
		contact_close(c);
	return status;
}

int contact_ask_samples(pid_t pid)
{
	struct contact c = CONTACT_CLOSED;
	int fd = -1;

	if (contact_query(&c, pid, CONTROL_SAMPLES) == CONTACT_OK) {
		fd = c.samples;
		c.samples = -1;
	}
	contact_close(&c);
	return fd;
}

/* It ends when the last process closes it that has it: the child that examines. */
static void await_end(int connection)
{
	struct pollfd wait = { .fd = connection, .events = POLLIN };

	while (poll(&wait, 1, -1) < 0 && errno == EINTR)
		;
	close(connection);
}

int contact_ask_examination(const struct contact *c, pid_t pid, struct control_examination *x,
			    enum control_status *status)
{
	const int pidfd = c->connection >= 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
	int connection, file;

	*status = CONTROL_DENIED;
	if (c->connection < 0)
		return -1;
	x->question = (struct control_question){ .magic = CONTROL_MAGIC,
						 .version = CONTROL_EXAMINE_VERSION,
						 .flags = CONTROL_EXAMINE,
						 .pid = pid };
	connection = ask_again(c, x, sizeof(*x), pidfd, &file, status);
	if (pidfd >= 0)
		close(pidfd);
	if (connection >= 0)
		await_end(connection);
	return file;
}

void contact_close(struct contact *c)
{
	live_close(&c->live);
	if (c->connection >= 0)
		close(c->connection);
	if (c->arena >= 0)
		close(c->arena);
	if (c->samples >= 0)
		close(c->samples);
	if (c->checks >= 0)
		close(c->checks);
	if (c->holders >= 0)
		close(c->holders);
	while (c->orphans)
		close(c->orphan[--c->orphans]);
	if (c->file >= 0)
		close(c->file);
	*c = CONTACT_CLOSED;
}
