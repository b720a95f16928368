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
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/user.h"
#include "cli/xmalloc.h"
#include "memusage/common/clock.h"
#include "memusage/common/fd_passing.h"
#include "memusage/common/process.h"
#include "memusage/common/program.h"

/* A collector may be busy with the names of a large program, or may not get a processor. */
enum { ANSWER_MS = 10000 };

struct collector_search {
	struct contact *contact;
	struct control_question question;
	int pidfd;
	enum contact_status status;
	struct pollfd *asked; /* connections that have not answered yet */
	size_t asked_count;
};

/* ---- one collector ----------------------------------------------------------------------- */

static int send_question(const struct collector_search *s, int fd)
{
	return fd_passing_send(fd, &s->question, sizeof(s->question), s->pidfd, 0);
}

/* Returns whether there is a whole answer. *ARENA receives the attached descriptor, or -1. */
static bool receive_answer(struct control_answer *a, int fd, int *arena)
{
	ssize_t length;

	*arena = -1;
	memset(a, 0, sizeof(*a));
	length = fd_passing_receive(fd, a, sizeof(*a), arena);
	a->text[CONTROL_TEXT - 1] = '\0';
	return length >= (ssize_t)offsetof(struct control_answer, text) &&
	       a->magic == CONTROL_MAGIC && a->version == CONTROL_VERSION &&
	       a->text_length < CONTROL_TEXT &&
	       (size_t)length >= offsetof(struct control_answer, text) + a->text_length;
}

/* Any user may listen at such a name. */
static bool is_trusted(int fd)
{
	struct ucred peer;
	socklen_t length = sizeof(peer);

	return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 &&
	       user_is_self(peer.uid);
}

static enum contact_status check_arena(struct collector_search *s, int arena)
{
	if (arena < 0 || process_maps((pid_t)s->question.pid, arena) == 0)
		return CONTACT_NOT_RECORDED;
	if (live_is_sealed(arena)) {
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

/* receive_answers() receives the answer. */
static void ask_collector(struct collector_search *s, const struct sockaddr_un *address,
			  size_t length)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return;
	if (connect(fd, (const struct sockaddr *)address, (socklen_t)length) < 0) {
		if (errno == EACCES)
			s->status = CONTACT_DENIED;
		close(fd);
		return;
	}
	if (!is_trusted(fd) || send_question(s, fd) < 0) {
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

	if (receive_answer(&s->contact->answer, fd, &arena))
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

static int milliseconds_until(uint64_t end)
{
	uint64_t now = clock_now(CLOCK_MONOTONIC);

	return now < end ? (int)((end - now + 999999) / 1000000) : 0;
}

/* Waits for all answers, in any order, up to a common timeout: a stopped collector must not delay
 * the others. Returns whether the search is over. */
static bool receive_answers(struct collector_search *s)
{
	uint64_t end = clock_now(CLOCK_MONOTONIC) + UINT64_C(1000000) * ANSWER_MS;
	bool found = false;

	while (s->asked_count && !found) {
		int ready = poll(s->asked, s->asked_count, milliseconds_until(end));

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

/* 0000000000000000: 00000002 00000000 00010000 0005 01 35072 @memusage-4711-0123456789abcdef */
static bool ask_abstract_sockets(struct collector_search *s)
{
	FILE *list = fopen("/proc/net/unix", "re");
	char *line = NULL;
	size_t size = 0;

	while (list && getline(&line, &size, list) > 0) {
		struct sockaddr_un address = { .sun_family = AF_UNIX };
		const char *name = strstr(line, " @memusage-");
		size_t length;

		/* 00010000 marks a listening socket. */
		if (!name || !strstr(line, " 00010000 "))
			continue;
		length = strcspn(name + 2, "\n");
		if (length >= sizeof(address.sun_path))
			continue;
		memcpy(address.sun_path + 1, name + 2, length);
		ask_collector(s, &address, offsetof(struct sockaddr_un, sun_path) + 1 + length);
	}
	free(line);
	if (list)
		fclose(list);
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

/* Abstract names of another network namespace are not visible. */
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
	return receive_answers(s);
}

/* ---- without a collector ----------------------------------------------------------------- */

/* The recordings that a process has mapped. */
struct mapped_recordings {
	bool is_readable;
	char arena[CONTACT_ORPHANS][40]; /* addresses of collectors' arenas */
	unsigned int arenas;
	char *file; /* file of a library that was preloaded without memusage, or NULL */
};

/* 7f00..-7f01.. rw-s 00002000 00:2e 77      /run/user/1000/memusage-4711-0.mur */
static void parse_maps_line(struct mapped_recordings *m, const char *line)
{
	const char *path = strchr(line, '/'), *name = path ? strrchr(path, '/') : NULL;
	size_t length = path ? strcspn(path, "\n") : 0;

	if (!name || !strstr(line, " rw-s "))
		return;
	if (strncmp(path, "/memfd:memusage ", 16) == 0 && m->arenas < CONTACT_ORPHANS)
		snprintf(m->arena[m->arenas++], sizeof(m->arena[0]), "%.*s",
			 (int)strcspn(line, " "), line);
	else if (strncmp(name, "/memusage-", 10) == 0 && length > 4 &&
		 strncmp(path + length - 4, ".mur", 4) == 0 && !m->file)
		m->file = xstrndup(path, length);
}

static void read_maps(struct mapped_recordings *m, pid_t pid)
{
	char path[32], *line = NULL;
	size_t size = 0;
	FILE *maps;

	*m = (struct mapped_recordings){ .file = NULL };
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	maps = fopen(path, "re");
	if (!maps)
		return;
	while (getline(&line, &size, maps) > 0) {
		m->is_readable = true;
		parse_maps_line(m, line);
	}
	free(line);
	fclose(maps);
}

/* The collector may have ended because the process has. */
static bool still_has_arena(pid_t pid)
{
	struct mapped_recordings maps;

	read_maps(&maps, pid);
	free(maps.file);
	return maps.arenas > 0;
}

/* Selects the slot of a process by its ID in its own namespace. Returns false if it has none. */
static bool select_slot(struct live *l, pid_t pid)
{
	struct mu_slot slot;

	for (uint32_t k = 0; segment_slot(&l->view, k, &slot); k++) {
		if (slot.state == MU_SLOT_LIVE && slot.pid == (uint32_t)pid)
			return live_select(l, k, slot.generation, NULL) == 0;
	}
	return false;
}

/* A process keeps the memory of a collector that is gone, and root may open that by its addresses.
 * It could be any file, even a device, so its type is checked first. */
static int open_map_file(pid_t pid, const char *addresses)
{
	char path[96];
	struct stat st;
	int place, fd = -1;

	snprintf(path, sizeof(path), "/proc/%d/map_files/%s", (int)pid, addresses);
	place = open(path, O_PATH | O_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", place);
	if (place >= 0 && fstat(place, &st) == 0 && S_ISREG(st.st_mode))
		fd = open(path, O_RDWR | O_CLOEXEC);
	if (place >= 0)
		close(place);
	if (fd >= 0 && !live_is_sealed(fd)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static void open_orphans(struct contact *c, pid_t pid, const struct mapped_recordings *maps)
{
	for (unsigned int i = 0; i < maps->arenas && c->orphans < CONTACT_ORPHANS; i++) {
		int fd = open_map_file(pid, maps->arena[i]);

		if (fd >= 0)
			c->orphan[c->orphans++] = fd;
	}
}

static enum contact_status map_orphan(struct contact *c, unsigned int i, pid_t pid)
{
	struct mu_error err;

	if (flock(c->orphan[i], LOCK_EX | LOCK_NB) < 0)
		return CONTACT_BUSY;
	if (live_open(&c->live, c->orphan[i], 0, 0, &err) < 0 ||
	    !select_slot(&c->live, process_own_pid(pid))) {
		live_close(&c->live);
		flock(c->orphan[i], LOCK_UN);
		return CONTACT_NO_IMAGE;
	}
	c->file = c->orphan[i];
	c->orphan[i] = c->orphan[--c->orphans];
	c->answer = (struct control_answer){ .number = 1 };
	return CONTACT_OK;
}

/* Selects the arena that has the image of the process. */
static enum contact_status map_orphans(struct contact *c, pid_t pid)
{
	enum contact_status status = c->orphans ? CONTACT_NO_IMAGE : CONTACT_ORPHANED;

	for (unsigned int i = 0; i < c->orphans && status == CONTACT_NO_IMAGE; i++)
		status = map_orphan(c, i, pid);
	return status;
}

/* A regular file cannot be sealed: if another process truncates it meanwhile, we exit with a
 * message. */
static void on_truncated(int signal)
{
	static const char text[] = "memusage: the recording was truncated while it was read\n";

	(void)signal;
	if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(STATUS_FAILED);
	_exit(STATUS_FAILED);
}

static enum contact_status open_file(struct contact *c, const char *name, unsigned int flags)
{
	const struct sigaction action = { .sa_handler = on_truncated };
	int fd = open(name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	struct mu_error err;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ||
	    !user_is_self(st.st_uid)) {
		warn("%s: %s", name, fd < 0 ? strerror(errno) : "not a recording of this user");
		if (fd >= 0)
			close(fd);
		return CONTACT_BROKEN;
	}
	if (flags & CONTROL_EXCLUSIVE && flock(fd, LOCK_EX | LOCK_NB) < 0) {
		close(fd);
		return CONTACT_BUSY;
	}
	sigaction(SIGBUS, &action, NULL);
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

/* Asks all collectors. A silent one does not matter if MAPS shows that the process has no arena. */
static enum contact_status ask_collectors(struct contact *c, pid_t pid, unsigned int flags,
					  const struct mapped_recordings *maps)
{
	struct collector_search s = {
		.contact = c,
		.question = { .magic = CONTROL_MAGIC,
			      .version = CONTROL_VERSION,
			      .flags = flags,
			      .pid = pid },
		.pidfd = (int)syscall(SYS_pidfd_open, pid, 0),
		.status = CONTACT_NOT_RECORDED,
	};

	if (!ask_abstract_sockets(&s))
		ask_path_sockets(&s);
	if (s.status == CONTACT_SILENT && maps->is_readable && !maps->arenas)
		s.status = CONTACT_NOT_RECORDED;
	free(s.asked);
	if (s.pidfd >= 0)
		close(s.pidfd);
	return s.status;
}

enum contact_status contact_query(struct contact *c, pid_t pid, unsigned int flags)
{
	enum contact_status status;
	struct mapped_recordings maps;

	read_maps(&maps, pid);
	status = ask_collectors(c, pid, flags, &maps);
	if (status != CONTACT_OK && !c->orphans)
		open_orphans(c, pid, &maps);
	free(maps.file);
	return status;
}

/* The process has an arena for which no collector answers. */
static enum contact_status open_orphaned(struct contact *c, pid_t pid,
					 const struct mapped_recordings *maps)
{
	if (maps->is_readable ? !still_has_arena(pid) : !process_exists(pid))
		return CONTACT_NOT_RECORDED;
	if (!c->orphans)
		open_orphans(c, pid, maps);
	return map_orphans(c, pid);
}

static enum contact_status find_recording(struct contact *c, pid_t pid, unsigned int flags)
{
	enum contact_status status, left = CONTACT_NOT_RECORDED;
	struct mapped_recordings maps;

	read_maps(&maps, pid);
	if (maps.file) {
		status = open_file(c, maps.file, flags);
		free(maps.file);
		return status;
	}
	status = ask_collectors(c, pid, flags, &maps);
	if ((status == CONTACT_NOT_RECORDED || status == CONTACT_SILENT) &&
	    (maps.arenas || c->orphans))
		left = open_orphaned(c, pid, &maps);
	if (left != CONTACT_NOT_RECORDED &&
	    (left != CONTACT_ORPHANED || status == CONTACT_NOT_RECORDED))
		status = left;
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

void contact_close(struct contact *c)
{
	live_close(&c->live);
	if (c->connection >= 0)
		close(c->connection);
	if (c->arena >= 0)
		close(c->arena);
	while (c->orphans)
		close(c->orphan[--c->orphans]);
	if (c->file >= 0)
		close(c->file);
	*c = CONTACT_CLOSED;
}
