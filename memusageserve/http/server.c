/* server.c -- Answers requests by HTTP.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageserve/http/server.h"

#include <errno.h>
#include <microhttpd.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/xmalloc.h"
#include "formats/page/page.h"
#include "memusageserve/http/answer.h"
#include "memusageserve/http/host.h"
#include "memusageserve/http/peers.h"
#include "memusageserve/http/request.h"

/* Enough for any browser's headers. */
enum { HEADERS_MAX = 16384, SILENCE_SECONDS = 75 };

struct server {
	struct MHD_Daemon *daemon;
	struct loop *loop;
	const struct listener *listener;
	struct jobs *jobs;
	struct peers peers;
	struct loop_timer timer;	/* of libmicrohttpd */
	int epoll;			/* likewise */
	bool has_ended_one;		/* a connection, in this call of it */
	char *ended;			/* why there are no answers any more; NULL: there are */
};

/* One request, from its headers to the end of its answer. */
struct exchange {
	struct server *server;
	struct MHD_Connection *connection;
	struct peer *peer;
	struct request request;
	bool has_left;			/* the client, before there was an answer */
	bool is_answered;		/* by the jobs: the rest is valid */
	enum worker_result result;
	int file;			/* owned; -1: none */
};

/* ---- libmicrohttpd in our loop ------------------------------------------------------------- */

static void on_timer(void *data);

/* Lets libmicrohttpd do what there is to do, and sets the time of the next call. With as many
 * connections as there may be, it does not look for further ones; it does so again at the call
 * after that in which one has ended, which nothing else may bring about. */
static void run_daemon(struct server *s)
{
	MHD_UNSIGNED_LONG_LONG ms;

	do {
		s->has_ended_one = false;
		MHD_run(s->daemon);
	} while (s->has_ended_one);
	if (MHD_get_timeout(s->daemon, &ms) == MHD_YES)
		loop_at(s->loop, &s->timer, loop_now() + ms, on_timer, s);
	else
		loop_clear(s->loop, &s->timer);
}

static void on_timer(void *data)
{
	run_daemon(data);
}

static void on_ready(void *data, int fd, unsigned int what)
{
	run_daemon(data);
}

/* ---- answers ------------------------------------------------------------------------------- */

static enum MHD_Result queue_response(struct exchange *x, unsigned int status,
				      struct MHD_Response *response, const char *type)
{
	enum MHD_Result result;

	if (!response)
		return MHD_NO;
	MHD_add_response_header(response, "Content-Type", type);
	MHD_add_response_header(response, "Cache-Control", "no-store");
	MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(response, "Allow", "GET, HEAD");
	peers_allow(&x->server->peers, x->peer, PEER_ANSWER_MS);
	result = MHD_queue_response(x->connection, status, response);
	MHD_destroy_response(response);
	return result;
}

static enum MHD_Result answer_text(struct exchange *x, unsigned int status, const char *text)
{
	return queue_response(x, status, MHD_create_response_from_buffer(
		strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_MUST_COPY),
		"text/plain; charset=utf-8");
}

static void add_headers_of_kind(struct MHD_Response *response, const struct request *r)
{
	char text[32];

	if (r->kind == REQUEST_PROFILE && !r->is_text)
		MHD_add_response_header(response, "Content-Disposition", r->is_allocs ?
			"attachment; filename=\"allocs\"" : "attachment; filename=\"heap\"");
	if (r->kind == REQUEST_PAGE && r->refresh > 0) {
		snprintf(text, sizeof(text), "%u", r->refresh);
		MHD_add_response_header(response, "Refresh", text);
	}
}

/* Answers with the file that a worker has written. */
static enum MHD_Result answer_file(struct exchange *x)
{
	const int file = x->file;
	struct MHD_Response *response;
	struct stat st;

	x->file = -1;
	if (file < 0 || fstat(file, &st) < 0)
		return answer_text(x, MHD_HTTP_INTERNAL_SERVER_ERROR, "there is no answer\n");
	/* The response closes the file. */
	response = MHD_create_response_from_fd64((uint64_t)st.st_size, file);
	if (!response) {
		close(file);
		return MHD_NO;
	}
	if (x->result == WORKER_DONE) {
		add_headers_of_kind(response, &x->request);
		return queue_response(x, MHD_HTTP_OK, response, answer_type(&x->request));
	}
	return queue_response(x, x->result == WORKER_NOT_FOUND ? MHD_HTTP_NOT_FOUND :
				 MHD_HTTP_SERVICE_UNAVAILABLE, response,
			      "text/plain; charset=utf-8");
}

static const char list_text[] =
	"/                       page of all that is recorded (?refresh=N: anew every N seconds)\n"
	"/metrics                figures for Prometheus\n"
	"/debug/pprof/heap       profile of what is live, for pprof\n"
	"/debug/pprof/allocs     the same profile; what was ever allocated comes first\n"
	"    ?seconds=N          what changes in the next N seconds\n"
	"    ?debug=1            as text\n"
	"    ?pid=N              of this process alone\n";

/* ---- requests ------------------------------------------------------------------------------ */

static void resume_exchange(struct exchange *x)
{
	loop_forget(x->server->loop, x->peer->fd);
	MHD_resume_connection(x->connection);
	loop_at(x->server->loop, &x->server->timer, loop_now(), on_timer, x->server);
}

static void on_answer(void *data, enum worker_result result, int file)
{
	struct exchange *x = data;

	x->is_answered = true;
	x->result = result;
	x->file = file < 0 ? -1 : dup(file);
	resume_exchange(x);
}

static void on_leave(void *data, int fd, unsigned int what)
{
	struct exchange *x = data;

	x->has_left = true;
	jobs_cancel(x->server->jobs, x);
	resume_exchange(x);
}

/* libmicrohttpd does not look at a suspended connection: a client that has left would keep its
 * place until its answer is there, an hour with seconds=3600. One that has only ended its sending,
 * as `nc -N` does, looks the same over TCP: it gets an answer that comes soon. */
static void suspend_exchange(struct exchange *x)
{
	peers_allow(&x->server->peers, x->peer, UINT64_MAX);
	MHD_suspend_connection(x->connection);
	loop_watch(x->server->loop, x->peer->fd, x->request.seconds > 0 ? LOOP_END : 0, on_leave,
		   x);
}

/* Arguments are checked as they are read: the first fault is kept. */
struct arguments {
	struct request *request;
	const char *fault;
};

static enum MHD_Result take_argument(void *data, enum MHD_ValueKind kind, const char *name,
				     const char *value)
{
	struct arguments *a = data;
	const char *fault = request_argument(a->request, name, value);

	if (!a->fault)
		a->fault = fault;
	return MHD_YES;
}

static bool reads_openmetrics(struct MHD_Connection *c)
{
	const char *accepted = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Accept");

	return accepted && strstr(accepted, "application/openmetrics-text");
}

static enum MHD_Result answer_request(struct exchange *x, const char *method, const char *path)
{
	const char *host = MHD_lookup_connection_value(x->connection, MHD_HEADER_KIND, "Host");
	const struct listener *l = x->server->listener;
	struct arguments a = { .request = &x->request };

	if (l->host && !host_is_ours(host, l->host))
		return answer_text(x, MHD_HTTP_FORBIDDEN, "this is not the host of that name: use "
				   "its address, or serve at that name\n");
	if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
		return answer_text(x, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD\n");
	request_begin(&x->request, path);
	MHD_get_connection_values(x->connection, MHD_GET_ARGUMENT_KIND, take_argument, &a);
	if (x->request.kind == REQUEST_NONE)
		return answer_text(x, MHD_HTTP_NOT_FOUND, list_text);
	if (x->request.kind == REQUEST_LIST)
		return answer_text(x, MHD_HTTP_OK, list_text);
	if (a.fault)
		return answer_text(x, MHD_HTTP_BAD_REQUEST, a.fault);
	/* Not 503, which asks to try again. */
	if (x->request.kind == REQUEST_PAGE && !page_is_built())
		return answer_text(x, MHD_HTTP_NOT_IMPLEMENTED, "memusage was built without the "
				   "HTML page (make HTML=yes); /metrics and /debug/pprof/ are "
				   "there\n");
	if (x->server->ended)
		return answer_text(x, MHD_HTTP_SERVICE_UNAVAILABLE, x->server->ended);
	x->request.is_openmetrics = x->request.kind == REQUEST_METRICS &&
				    reads_openmetrics(x->connection);
	suspend_exchange(x);
	jobs_order(x->server->jobs, &x->request, on_answer, x);
	return MHD_YES;
}

static struct exchange *begin_exchange(struct server *s, struct MHD_Connection *c)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct exchange *x = xcalloc(1, sizeof(*x));

	*x = (struct exchange){ .server = s, .connection = c, .file = -1,
				.peer = info->socket_context };
	return x;
}

/* Called when the headers are there, and when an answer is there. To answer at once tells
 * libmicrohttpd to close the connection afterwards: so bodies need not be read, and no client keeps
 * a connection that it does not use. */
static enum MHD_Result on_request(void *data, struct MHD_Connection *connection, const char *path,
				  const char *method, const char *version, const char *body,
				  size_t *body_size, void **exchange)
{
	struct exchange *x = *exchange;

	if (x)
		return x->is_answered && !x->has_left ? answer_file(x) : MHD_NO;
	x = begin_exchange(data, connection);
	*exchange = x;
	return answer_request(x, method, path);
}

static void on_completed(void *data, struct MHD_Connection *connection, void **exchange,
			 enum MHD_RequestTerminationCode code)
{
	struct exchange *x = *exchange;

	if (!x)
		return;
	jobs_cancel(x->server->jobs, x);
	peers_allow(&x->server->peers, x->peer, PEER_REQUEST_MS);
	if (x->file >= 0)
		close(x->file);
	free(x);
	*exchange = NULL;
}

static void on_connection(void *data, struct MHD_Connection *connection, void **context,
			  enum MHD_ConnectionNotificationCode code)
{
	struct server *s = data;
	const union MHD_ConnectionInfo *info;

	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
		*context = peers_add(&s->peers, info->connect_fd);
	} else {
		peers_remove(&s->peers, *context);
		*context = NULL;
		s->has_ended_one = true;
	}
}

/* ---- begin and end ------------------------------------------------------------------------- */

/* libmicrohttpd tells of clients that misbehave; they are no concern of the user's. */
static void ignore_message(void *data, const char *format, va_list args)
{
}

static size_t unescape(void *data, struct MHD_Connection *connection, char *text)
{
	return request_unescape(text);
}

static struct MHD_Daemon *start_daemon(struct server *s)
{
	return MHD_start_daemon(
		MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0, NULL, NULL,
		on_request, s, MHD_OPTION_EXTERNAL_LOGGER, ignore_message, NULL,
		MHD_OPTION_LISTEN_SOCKET, s->listener->fd,
		MHD_OPTION_CONNECTION_LIMIT, (unsigned int)PEERS_MAX,
		MHD_OPTION_CONNECTION_TIMEOUT, (unsigned int)SILENCE_SECONDS,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEADERS_MAX,
		MHD_OPTION_STRICT_FOR_CLIENT, 1,
		MHD_OPTION_UNESCAPE_CALLBACK, unescape, NULL,
		MHD_OPTION_NOTIFY_CONNECTION, on_connection, s,
		MHD_OPTION_NOTIFY_COMPLETED, on_completed, s, MHD_OPTION_END);
}

struct server *server_open(struct loop *loop, const struct listener *l, struct jobs *jobs)
{
	struct server *s = xcalloc(1, sizeof(*s));
	const union MHD_DaemonInfo *info = NULL;

	*s = (struct server){ .loop = loop, .listener = l, .jobs = jobs,
			      .peers = { .loop = loop } };
	s->daemon = start_daemon(s);
	if (s->daemon)
		info = MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	if (!info) {
		warn("%s: cannot be served: libmicrohttpd %s refuses", l->text, MHD_get_version());
		if (s->daemon)
			MHD_stop_daemon(s->daemon);
		free(s);
		return NULL;
	}
	s->epoll = info->epoll_fd;
	loop_watch(loop, s->epoll, LOOP_READ, on_ready, s);
	run_daemon(s);
	return s;
}

void server_end(struct server *s, const char *reason)
{
	s->ended = xstrdup(reason);
	MHD_quiesce_daemon(s->daemon);
	jobs_end(s->jobs, reason);
	run_daemon(s);
}

bool server_is_idle(const struct server *s)
{
	return s->peers.first == NULL;
}

void server_close(struct server *s)
{
	if (!s)
		return;
	loop_forget(s->loop, s->epoll);
	/* libmicrohttpd does not stop while connections are suspended. */
	jobs_stop(s->jobs, "the server ends\n");
	MHD_stop_daemon(s->daemon);
	loop_clear(s->loop, &s->timer);
	free(s->ended);
	free(s);
}
