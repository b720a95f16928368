/* push_target.c -- The server that --push names, and how to ask it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageserve/push/push_target.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cli/xmalloc.h"

static const char pyroscope_path[] = "/push.v1.PusherService/Push";
static const char otlp_path[] = "/v1development/profiles";

/* Returns the text behind a prefix, or NULL. */
static const char *text_behind(const char *text, const char *prefix)
{
	const size_t length = strlen(prefix);

	return strncmp(text, prefix, length) == 0 ? text + length : NULL;
}

static void add_header(struct push_target *t, const char *line)
{
	t->headers = xcheck(curl_slist_append(t->headers, line));
}

static bool has_part(CURLU *url, CURLUPart what)
{
	char *part = NULL;
	bool result = curl_url_get(url, what, &part, 0) == CURLUE_OK;

	curl_free(part);
	return result;
}

/* Puts the path of the API behind that of the URL. */
static void complete_path(CURLU *url, const char *api)
{
	char *path = NULL, *whole;
	size_t length;

	if (curl_url_get(url, CURLUPART_PATH, &path, 0) != CURLUE_OK)
		xno_memory();
	length = strlen(path);
	if (length < strlen(api) || strcmp(path + length - strlen(api), api) != 0) {
		while (length > 0 && path[length - 1] == '/')
			length--;
		whole = xasprintf("%.*s%s", (int)length, path, api);
		if (curl_url_set(url, CURLUPART_PATH, whole, 0) != CURLUE_OK)
			xno_memory();
		free(whole);
	}
	curl_free(path);
}

static int parse_url(struct push_target *t, const char *text, struct mu_error *err)
{
	CURLU *url = xcheck(curl_url());
	char *whole = NULL;
	int result = -1;

	if (!text_behind(text, "http://") && !text_behind(text, "https://"))
		mu_error_set(err, MU_ERROR_NONE, 0, "it must begin with http://, https://, unix: "
			     "or otlp:");
	else if (curl_url_set(url, CURLUPART_URL, text, 0) != CURLUE_OK)
		mu_error_set(err, MU_ERROR_NONE, 0, "this is no URL");
	else if (has_part(url, CURLUPART_USER) || has_part(url, CURLUPART_PASSWORD))
		mu_error_set(err, MU_ERROR_NONE, 0, "every user can see a password in it; put "
			     "\"Authorization: ...\" into the file of --push-headers, or a token "
			     "into MEMUSAGE_PUSH_TOKEN");
	else
		result = 0;
	if (result == 0) {
		complete_path(url, t->is_otlp ? otlp_path : pyroscope_path);
		if (curl_url_get(url, CURLUPART_URL, &whole, 0) != CURLUE_OK)
			xno_memory();
		t->url = xstrdup(whole);
		curl_free(whole);
	}
	curl_url_cleanup(url);
	return result;
}

int push_target_parse(struct push_target *t, const char *text, struct mu_error *err)
{
	const char *rest = text_behind(text, "otlp:"), *socket;

	*t = (struct push_target){ .is_otlp = rest != NULL };
	t->shown = xstrdup(text);
	rest = rest ? rest : text;
	socket = text_behind(rest, "unix:");
	if (socket && *socket != '/')
		return mu_error_set(err, MU_ERROR_NONE, 0, "the path of the socket must begin "
							   "with /");
	if (socket)
		t->socket = xstrdup(socket);
	if (parse_url(t, socket ? "http://localhost" : rest, err) < 0)
		return -1;
	add_header(t, t->is_otlp ? "Content-Type: application/x-protobuf" :
				   "Content-Type: application/proto");
	if (t->is_otlp)
		add_header(t, "Content-Encoding: gzip");
	else
		add_header(t, "Connect-Protocol-Version: 1");
	/* A server that wants to be asked first would take a second more. */
	add_header(t, "Expect:");
	return 0;
}

static void add_own_header(struct push_target *t, const char *line)
{
	add_header(t, line);
	t->has_own_headers = true;
}

static int add_header_line(struct push_target *t, char *line, const char *file, unsigned int number,
			   struct mu_error *err)
{
	const char *colon;

	line[strcspn(line, "\r\n")] = '\0';
	if (*line == '\0' || *line == '#')
		return 0;
	colon = strchr(line, ':');
	if (!colon || colon == line || strcspn(line, " \t") < (size_t)(colon - line))
		return mu_error_set(err, MU_ERROR_FORMAT, 0, "%s: line %u is not \"Name: value\"",
				    file, number);
	add_own_header(t, line);
	return 0;
}

static int read_header_file(struct push_target *t, const char *file, struct mu_error *err)
{
	FILE *in = fopen(file, "re");
	unsigned int number = 0;
	char *line = NULL;
	size_t room = 0;
	int result = 0;

	if (!in)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, "%s: %m", file);
	while (result == 0 && getline(&line, &room, in) >= 0)
		result = add_header_line(t, line, file, ++number, err);
	if (result == 0 && ferror(in))
		result = mu_error_set(err, MU_ERROR_SYSTEM, 0, "%s: %m", file);
	free(line);
	fclose(in);
	return result;
}

int push_target_read_headers(struct push_target *t, const char *file, const char *token,
			     struct mu_error *err)
{
	if (token && *token) {
		char *line = xasprintf("Authorization: Bearer %s", token);

		line[strcspn(line, "\r\n")] = '\0';
		add_own_header(t, line);
		free(line);
	}
	return file ? read_header_file(t, file, err) : 0;
}

bool push_target_has_secret(const struct push_target *t)
{
	static const char name[] = "Authorization:";
	const struct curl_slist *header = t->headers;

	while (header && strncasecmp(header->data, name, strlen(name)) != 0)
		header = header->next;
	return header != NULL;
}

static bool is_same_part(CURLU *a, CURLU *b, CURLUPart what)
{
	char *x = NULL, *y = NULL;
	const bool result = curl_url_get(a, what, &x, CURLU_DEFAULT_PORT) == CURLUE_OK &&
			    curl_url_get(b, what, &y, CURLU_DEFAULT_PORT) == CURLUE_OK &&
			    strcasecmp(x, y) == 0;

	curl_free(x);
	curl_free(y);
	return result;
}

/* Another port of a host may be another user's. */
static bool is_same_server(const char *one, const char *other, bool is_upgrade)
{
	CURLU *a = xcheck(curl_url()), *b = xcheck(curl_url());
	const bool result = curl_url_set(a, CURLUPART_URL, one, 0) == CURLUE_OK &&
			    curl_url_set(b, CURLUPART_URL, other, 0) == CURLUE_OK &&
			    is_same_part(a, b, CURLUPART_HOST) &&
			    (is_upgrade || is_same_part(a, b, CURLUPART_PORT));

	curl_url_cleanup(a);
	curl_url_cleanup(b);
	return result;
}

bool push_target_may_follow(const struct push_target *t, const char *url)
{
	const bool was_secure = text_behind(t->url, "https:") != NULL;
	const bool is_secure = strncasecmp(url, "https:", 6) == 0;

	if (was_secure && !is_secure)
		return false;
	return !t->has_own_headers || is_same_server(t->url, url, is_secure && !was_secure);
}

int push_target_set_authority(struct push_target *t, const char *file, struct mu_error *err)
{
	if (!file)
		return 0;
	if (!text_behind(t->url, "https:"))
		return mu_error_set(err, MU_ERROR_NONE, 0, "%s does not begin with https:, so the "
				    "server has no certificate", t->shown);
	t->authority = realpath(file, NULL);
	if (!t->authority || access(t->authority, R_OK) < 0)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, "%s: %m", file);
	return 0;
}

void push_target_free(struct push_target *t)
{
	free(t->url);
	free(t->authority);
	free(t->socket);
	free(t->shown);
	curl_slist_free_all(t->headers);
	*t = (struct push_target){ .url = NULL };
}
