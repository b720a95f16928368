/* push_sender.c -- Sends one message at a time to the server of --push, by libcurl.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageserve/push/push_sender.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/terminal.h"
#include "cli/version.h"
#include "cli/xmalloc.h"

enum {
	CONNECT_MS = 5000, WHOLE_MS = 30000,
	REDIRECTS = 3,
	AFTER_MAX = 300,	/* seconds that a server may make us wait */
	REPLY_KEPT = 160	/* bytes of a reply, for the message */
};

struct push_sender {
	struct loop *loop;
	const struct push_target *target;
	push_answer_fn *call;
	void *data;
	CURLM *multi;
	CURL *easy;
	struct loop_timer timer;
	int file;		/* of the message under way; -1: none is */
	unsigned int redirections;	/* of it that were followed */
	uint64_t at, size;
	char reply[REPLY_KEPT + 1];
	size_t replied;
	char error[CURL_ERROR_SIZE];
};

/* ---- the message --------------------------------------------------------------------------- */

static size_t give_message(char *to, size_t size, size_t count, void *data)
{
	struct push_sender *s = data;
	size_t want = size * count;
	ssize_t got;

	want = want < s->size - s->at ? want : (size_t)(s->size - s->at);
	got = pread(s->file, to, want, (off_t)s->at);
	if (got < 0 || (size_t)got != want)
		return CURL_READFUNC_ABORT;
	s->at += want;
	return want;
}

/* libcurl sends it again if a connection that it has kept turns out to be closed. */
static int rewind_message(void *data, curl_off_t offset, int origin)
{
	struct push_sender *s = data;

	if (origin != SEEK_SET || offset < 0 || (uint64_t)offset > s->size)
		return CURL_SEEKFUNC_FAIL;
	s->at = (uint64_t)offset;
	return CURL_SEEKFUNC_OK;
}

static size_t take_reply(char *from, size_t size, size_t count, void *data)
{
	struct push_sender *s = data;
	const size_t got = size * count, left = REPLY_KEPT - s->replied;
	const size_t kept = got < left ? got : left;

	memcpy(s->reply + s->replied, from, kept);
	s->replied += kept;
	return got;
}

/* ---- the answer ---------------------------------------------------------------------------- */

static enum push_answer judge_status(long status)
{
	if (status >= 200 && status < 300)
		return PUSH_TAKEN;
	return status == 408 || status == 425 || status == 429 || status >= 500 ? PUSH_RETRY :
										  PUSH_REFUSED;
}

/* An authority that the system does not know: the certificate, or the last one of its chain, is its
 * own, or that of its issuer is not there. Source X509_V_ERR_... of openssl, 18 to 21. */
static bool is_unknown_authority(const struct push_sender *s, CURLcode code)
{
	long result = 0;

	curl_easy_getinfo(s->easy, CURLINFO_SSL_VERIFYRESULT, &result);
	return code == CURLE_PEER_FAILED_VERIFICATION && result >= 18 && result <= 21;
}

/* Returns advice about a server that wants to know who pushes, or "". */
static const char *advise_on_secret(const struct push_sender *s, long status)
{
	if (status != 401)
		return "";
	return push_target_has_secret(s->target) ?
		" (it does not take what MEMUSAGE_PUSH_TOKEN or --push-headers says)" :
		" (it wants a token: MEMUSAGE_PUSH_TOKEN, or Authorization in --push-headers)";
}

static enum push_answer explain_answer(struct push_sender *s, CURLcode code, char why[PUSH_WHY])
{
	long status = 0;
	const char *url = NULL;
	enum push_answer answer;

	curl_easy_getinfo(s->easy, CURLINFO_RESPONSE_CODE, &status);
	why[0] = '\0';
	if (code != CURLE_OK) {
		snprintf(why, PUSH_WHY, "%.*s%s", PUSH_WHY - 64,
			 s->error[0] ? s->error : curl_easy_strerror(code),
			 !is_unknown_authority(s, code) ? "" :
			 s->target->authority ? " (by an authority that --push-ca does not have)" :
			 " (--push-ca=FILE names its authority)");
		return PUSH_RETRY;
	}
	if (curl_easy_getinfo(s->easy, CURLINFO_REDIRECT_URL, &url) == CURLE_OK && url) {
		snprintf(why, PUSH_WHY, "HTTP %ld, %s", status, s->redirections == REDIRECTS ?
			 "one redirection too many" :
			 "a redirection to another server or to http, which gets no headers");
		return PUSH_REFUSED;
	}
	answer = judge_status(status);
	if (answer != PUSH_TAKEN)
		snprintf(why, PUSH_WHY, "HTTP %ld%s %.*s", status, advise_on_secret(s, status),
			 (int)s->replied, s->reply);
	terminal_clean_text(why);
	return answer;
}

/* The whole message is sent again. libcurl does not follow by itself, because it would send what
 * --push-headers has to any server. Returns whether it is under way. */
static bool follow_redirection(struct push_sender *s)
{
	const char *url = NULL;

	if (curl_easy_getinfo(s->easy, CURLINFO_REDIRECT_URL, &url) != CURLE_OK || !url ||
	    s->redirections == REDIRECTS || !push_target_may_follow(s->target, url))
		return false;
	s->redirections++;
	s->at = 0;
	s->replied = 0;
	memset(s->reply, 0, sizeof(s->reply));
	curl_multi_remove_handle(s->multi, s->easy);
	curl_easy_setopt(s->easy, CURLOPT_URL, url);
	curl_multi_add_handle(s->multi, s->easy);
	return true;
}

static void finish_message(struct push_sender *s, CURLcode code)
{
	char why[PUSH_WHY];
	curl_off_t after = 0;
	enum push_answer answer;

	if (code == CURLE_OK && follow_redirection(s))
		return;
	answer = explain_answer(s, code, why);
	curl_easy_getinfo(s->easy, CURLINFO_RETRY_AFTER, &after);
	curl_multi_remove_handle(s->multi, s->easy);
	s->file = -1;
	s->call(s->data, answer, why,
		after < 0 ? 0 : (unsigned int)(after < AFTER_MAX ? after : AFTER_MAX));
}

static void take_results(struct push_sender *s)
{
	const CURLMsg *message;
	int left;

	while ((message = curl_multi_info_read(s->multi, &left))) {
		if (message->msg == CURLMSG_DONE) {
			finish_message(s, message->data.result);
			return;
		}
	}
}

/* ---- the loop ------------------------------------------------------------------------------ */

static void on_ready(void *data, int fd, unsigned int what)
{
	struct push_sender *s = data;
	int running;

	curl_multi_socket_action(s->multi, fd,
				 (what & LOOP_READ ? CURL_CSELECT_IN : 0) |
					 (what & LOOP_WRITE ? CURL_CSELECT_OUT : 0),
				 &running);
	take_results(s);
}

static void on_time(void *data)
{
	struct push_sender *s = data;
	int running;

	curl_multi_socket_action(s->multi, CURL_SOCKET_TIMEOUT, 0, &running);
	take_results(s);
}

static int watch_socket(CURL *easy, curl_socket_t fd, int what, void *data, void *unused)
{
	struct push_sender *s = data;

	if (what == CURL_POLL_REMOVE)
		loop_forget(s->loop, fd);
	else
		loop_watch(s->loop, fd,
			   (what & CURL_POLL_IN ? LOOP_READ : 0u) |
				   (what & CURL_POLL_OUT ? LOOP_WRITE : 0u),
			   on_ready, s);
	return 0;
}

static int set_timer(CURLM *multi, long ms, void *data)
{
	struct push_sender *s = data;

	if (ms < 0)
		loop_clear(s->loop, &s->timer);
	else
		loop_at(s->loop, &s->timer, loop_now() + (uint64_t)ms, on_time, s);
	return 0;
}

/* ---- all ----------------------------------------------------------------------------------- */

static void set_protocols(CURL *easy)
{
#if LIBCURL_VERSION_NUM >= 0x075500 /* 7.85: the masks of bits are deprecated */
	curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
	curl_easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

static void prepare_easy(struct push_sender *s)
{
	CURL *easy = s->easy;

	if (s->target->socket) {
		curl_easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, s->target->socket);
		curl_easy_setopt(easy, CURLOPT_PROXY, "");
	}
	if (s->target->authority) {
		curl_easy_setopt(easy, CURLOPT_CAINFO, s->target->authority);
		curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
	}
	set_protocols(easy);
	curl_easy_setopt(easy, CURLOPT_HTTPHEADER, s->target->headers);
	curl_easy_setopt(easy, CURLOPT_USERAGENT, "memusage/" MEMUSAGE_VERSION);
	curl_easy_setopt(easy, CURLOPT_POST, 1L);
	curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)CONNECT_MS);
	curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)WHOLE_MS);
	curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, s->error);
	curl_easy_setopt(easy, CURLOPT_READFUNCTION, give_message);
	curl_easy_setopt(easy, CURLOPT_READDATA, s);
	curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, rewind_message);
	curl_easy_setopt(easy, CURLOPT_SEEKDATA, s);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_reply);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, s);
}

struct push_sender *push_sender_open(struct loop *loop, const struct push_target *target,
				     push_answer_fn *call, void *data)
{
	struct push_sender *s = xcalloc(1, sizeof(*s));

	*s = (struct push_sender){ .loop = loop, .target = target, .call = call, .data = data,
				   .file = -1 };
	s->multi = curl_multi_init();
	s->easy = curl_easy_init();
	if (!s->multi || !s->easy) {
		push_sender_close(s);
		return NULL;
	}
	curl_multi_setopt(s->multi, CURLMOPT_SOCKETFUNCTION, watch_socket);
	curl_multi_setopt(s->multi, CURLMOPT_SOCKETDATA, s);
	curl_multi_setopt(s->multi, CURLMOPT_TIMERFUNCTION, set_timer);
	curl_multi_setopt(s->multi, CURLMOPT_TIMERDATA, s);
	prepare_easy(s);
	return s;
}

void push_sender_send(struct push_sender *s, int file, uint64_t size)
{
	s->file = file;
	s->at = 0;
	s->size = size;
	s->replied = 0;
	s->redirections = 0;
	memset(s->reply, 0, sizeof(s->reply));
	s->error[0] = '\0';
	curl_easy_setopt(s->easy, CURLOPT_URL, s->target->url);
	curl_easy_setopt(s->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)size);
	curl_multi_add_handle(s->multi, s->easy);
}

void push_sender_close(struct push_sender *s)
{
	if (!s)
		return;
	if (s->file >= 0)
		curl_multi_remove_handle(s->multi, s->easy);
	curl_easy_cleanup(s->easy);
	curl_multi_cleanup(s->multi);
	loop_clear(s->loop, &s->timer);
	free(s);
}
