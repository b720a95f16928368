/* listener.c -- The socket at which a recorded program is served by HTTP.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/common/listener.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "cli/user.h"
#include "cli/xmalloc.h"
#include "memusage/common/private_dir.h"

enum { BACKLOG = 64, PATH_ROOM = sizeof(((struct sockaddr_un *)0)->sun_path) - 1 };

static const char unix_prefix[] = "unix:";

/* ---- Unix sockets -------------------------------------------------------------------------- */

static bool is_private_directory(const char *dir)
{
	struct stat st;

	return lstat(dir, &st) == 0 && S_ISDIR(st.st_mode) && user_is_self(st.st_uid) &&
	       (st.st_mode & 077) == 0;
}

/* Makes the default name. In /tmp anybody could have made the directory: then it is refused. */
static int choose_default_path(char path[PATH_MAX], pid_t pid, char why[LISTENER_TEXT])
{
	char dir[PATH_ROOM - 16];

	if (!private_dir_shared(dir, sizeof(dir))) {
		snprintf(dir, sizeof(dir), "/tmp/memusage-%u", (unsigned int)geteuid());
		if ((mkdir(dir, 0700) < 0 && errno != EEXIST) || !is_private_directory(dir)) {
			snprintf(why, LISTENER_TEXT, "%s: cannot be a directory for this user "
				 "alone; name a socket, as in --serve=unix:/run/mine.http", dir);
			return -1;
		}
	}
	snprintf(path, PATH_MAX, "%s/%d.http", dir, (int)pid);
	return 0;
}

/* Makes PATH absolute, for a process that may be elsewhere. */
static int resolve_path(char absolute[PATH_MAX], const char *path, char why[LISTENER_TEXT])
{
	const char *slash = strrchr(path, '/');
	char *dir = slash ? xstrndup(path, (size_t)(slash - path) + 1) : xstrdup("."), *real;
	int result = -1;

	real = realpath(dir, NULL);
	if (!real)
		snprintf(why, LISTENER_TEXT, "unix:%.160s: its directory cannot be used: %s",
			 path, strerror(errno));
	else if (snprintf(absolute, PATH_MAX, "%s%s%s", real, strcmp(real, "/") == 0 ? "" : "/",
			  slash ? slash + 1 : path) > PATH_ROOM)
		snprintf(why, LISTENER_TEXT, "unix:%.120s: the path of a socket has at most %d "
			 "characters; choose a shorter one", path, PATH_ROOM);
	else
		result = 0;
	free(real);
	free(dir);
	return result;
}

/* Tells whether nothing listens at a socket of ours any more. */
static bool is_left_behind(const struct sockaddr_un *address)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct stat st;
	bool result;

	result = lstat(address->sun_path, &st) == 0 && S_ISSOCK(st.st_mode) &&
		 user_is_self(st.st_uid) && fd >= 0 &&
		 connect(fd, (const struct sockaddr *)address, sizeof(*address)) < 0 &&
		 errno == ECONNREFUSED;
	if (fd >= 0)
		close(fd);
	return result;
}

static const char *explain_bind(const struct sockaddr_un *address)
{
	const int error = errno;
	struct stat st;

	if (error != EADDRINUSE)
		return strerror(error);
	return lstat(address->sun_path, &st) == 0 && S_ISSOCK(st.st_mode) ?
		       "another program listens there; choose another path" :
		       "this file exists and is no socket; choose another path";
}

/* The mode is right from the first moment on. Returns 0, or -1 with errno. */
static int bind_unix(int fd, const struct sockaddr_un *address)
{
	const mode_t mask = umask(0177);
	int result = bind(fd, (const struct sockaddr *)address, sizeof(*address));

	if (result < 0 && errno == EADDRINUSE && is_left_behind(address)) {
		unlink(address->sun_path);
		result = bind(fd, (const struct sockaddr *)address, sizeof(*address));
	}
	umask(mask);
	return result;
}

static int open_unix(struct listener *l, const char *path, pid_t pid, char why[LISTENER_TEXT])
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char chosen[PATH_MAX], absolute[PATH_MAX];

	if (*path == '\0' && choose_default_path(chosen, pid, why) < 0)
		return -1;
	if (resolve_path(absolute, *path ? path : chosen, why) < 0)
		return -1;
	memcpy(address.sun_path, absolute, strlen(absolute) + 1);
	l->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (l->fd < 0 || bind_unix(l->fd, &address) < 0) {
		snprintf(why, LISTENER_TEXT, "unix:%s: %s", address.sun_path,
			 explain_bind(&address));
		return -1;
	}
	l->path = xstrdup(address.sun_path);
	l->is_loopback = true;
	snprintf(l->text, sizeof(l->text), "unix:%s", l->path);
	return 0;
}

/* ---- TCP ----------------------------------------------------------------------------------- */

/* Splits "HOST:PORT", "[HOST]:PORT" or "PORT". Returns false if it is none of them. */
static bool split_host(const char *address, char **host, char **port)
{
	const char *colon = strrchr(address, ':'), *digits = colon ? colon + 1 : address;
	size_t length = colon ? (size_t)(colon - address) : 0;
	char *end;
	const unsigned long number = strtoul(digits, &end, 10);

	if (*digits < '0' || *digits > '9' || *end != '\0' || number > 65535)
		return false;
	if (length > 2 && *address == '[' && colon[-1] == ']') {
		address++;
		length -= 2;
	} else if (memchr(address, ':', length)) {
		return false;
	}
	*host = length ? xstrndup(address, length) : xstrdup("127.0.0.1");
	*port = xstrdup(digits);
	return true;
}

static bool is_loopback(const struct sockaddr *address)
{
	if (address->sa_family == AF_INET)
		return (ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr) >> 24) == 127;
	return address->sa_family == AF_INET6 &&
	       IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)address)->sin6_addr);
}

/* Sets what is known of a socket that is bound. */
static void describe_tcp(struct listener *l)
{
	struct sockaddr_storage address;
	socklen_t length = sizeof(address);
	char port[16] = "0";

	getsockname(l->fd, (struct sockaddr *)&address, &length);
	getnameinfo((struct sockaddr *)&address, length, NULL, 0, port, sizeof(port),
		    NI_NUMERICSERV);
	l->is_loopback = is_loopback((struct sockaddr *)&address);
	snprintf(l->text, sizeof(l->text), strchr(l->host, ':') ? "[%.200s]:%s" : "%.200s:%s",
		 l->host, port);
}

static int bind_tcp(struct listener *l, const struct addrinfo *found)
{
	const int yes = 1;

	l->fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (l->fd < 0)
		return -1;
	/* Otherwise connections of the last run keep the port for a minute. */
	setsockopt(l->fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	return bind(l->fd, found->ai_addr, found->ai_addrlen);
}

static int open_host(struct listener *l, const char *address, char *host, const char *port,
		     char why[LISTENER_TEXT])
{
	const struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE };
	struct addrinfo *found = NULL;
	int error, result;

	l->host = host;
	error = getaddrinfo(strcmp(host, "*") == 0 ? "0.0.0.0" : host, port, &hints, &found);
	if (error != 0) {
		snprintf(why, LISTENER_TEXT, "%.160s: %s", address,
			 error == EAI_SYSTEM ? strerror(errno) : gai_strerror(error));
		return -1;
	}
	result = bind_tcp(l, found);
	if (result < 0)
		snprintf(why, LISTENER_TEXT, "%.160s: %s", address, errno == EADDRINUSE ?
			 "another program listens at this port; choose another, or 0 for any" :
			 strerror(errno));
	freeaddrinfo(found);
	if (result == 0)
		describe_tcp(l);
	return result;
}

static int open_tcp(struct listener *l, const char *address, char why[LISTENER_TEXT])
{
	char *host, *port;
	int result;

	if (!split_host(address, &host, &port)) {
		snprintf(why, LISTENER_TEXT, "%.160s: is neither unix:PATH nor HOST:PORT nor PORT",
			 address);
		return -1;
	}
	result = open_host(l, address, host, port, why);
	free(port);
	return result;
}

/* ---- both ---------------------------------------------------------------------------------- */

int listener_open(struct listener *l, const char *address, pid_t pid, char why[LISTENER_TEXT])
{
	const size_t prefix = sizeof(unix_prefix) - 1;
	int result;

	*l = LISTENER_CLOSED;
	if (*address == '\0')
		result = open_unix(l, "", pid, why);
	else if (strncmp(address, unix_prefix, prefix) == 0)
		result = open_unix(l, address + prefix, pid, why);
	else
		result = open_tcp(l, address, why);
	if (result == 0 && listen(l->fd, BACKLOG) < 0) {
		snprintf(why, LISTENER_TEXT, "%.160s: %s", address, strerror(errno));
		result = -1;
	}
	if (result == 0)
		return 0;
	listener_close(l);
	return -1;
}

int listener_adopt(struct listener *l, int fd, const char *text)
{
	const size_t prefix = sizeof(unix_prefix) - 1;
	int is_listening = 0;
	socklen_t length = sizeof(is_listening);
	char *port;

	*l = LISTENER_CLOSED;
	if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &is_listening, &length) < 0 || !is_listening)
		return -1;
	if (strncmp(text, unix_prefix, prefix) == 0)
		l->path = xstrdup(text + prefix);
	else if (split_host(text, &l->host, &port))
		free(port);
	else
		return -1;
	l->fd = fd;
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	l->is_loopback = true;
	snprintf(l->text, sizeof(l->text), "%s", text);
	if (l->host)
		describe_tcp(l);
	return 0;
}

void listener_forget(struct listener *l)
{
	if (l->fd >= 0)
		close(l->fd);
	free(l->path);
	free(l->host);
	*l = LISTENER_CLOSED;
}

void listener_close(struct listener *l)
{
	if (l->path)
		unlink(l->path);
	listener_forget(l);
}
