/* push_target.h -- The server that --push names, and how to ask it.
 *
 *	http://pyroscope:4040		Pyroscope's push API
 *	otlp:http://collector:4318	OpenTelemetry's profiles
 *	unix:/run/pyroscope.sock	the same at a Unix socket; otlp:unix:PATH, too
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

#include "profile/base/error.h"

struct curl_slist;

struct push_target {
	bool is_otlp;
	char *url;			/* with the path of the API */
	char *socket;			/* path; NULL: the address of the URL */
	char *authority;		/* file of certificates; NULL: those of the system */
	char *shown;			/* for messages */
	struct curl_slist *headers;
	bool has_own_headers;		/* some are the user's, and may be secret */
};

/* push_target_parse -- Takes the value of --push to pieces.
 *
 * A path of the URL is what comes before that of the API, unless it is that itself. A URL with a
 * password is refused, since every user can see the command line.
 * Returns 0, or -1 with ERR. push_target_free() in either case.
 */
int push_target_parse(struct push_target *t, const char *text, struct mu_error *err);

/* push_target_read_headers -- Adds headers that are secret.
 *
 * file   of lines "Name: value"; empty ones and those that begin with # are left out. NULL: none.
 * token  for "Authorization: Bearer"; NULL: none.
 * Returns 0, or -1 with ERR.
 */
int push_target_read_headers(struct push_target *t, const char *file, const char *token,
			     struct mu_error *err);

/* push_target_has_secret -- Tells whether a header says who pushes: Authorization. */
bool push_target_has_secret(const struct push_target *t);

/* push_target_may_follow -- Tells whether the server may send us to a URL.
 *
 * Never from https to http. Headers of the user are for the server that --push names: with them
 * only another path of it will do, or the same host by https. libcurl itself would keep back no
 * more than Authorization and Cookie from other servers.
 */
bool push_target_may_follow(const struct push_target *t, const char *url);

/* push_target_set_authority -- Has the certificates in a file sign that of the server.
 *
 * file  in PEM. It is read for each connection, so it may be renewed. NULL: those of the system.
 * Returns 0, or -1 with ERR: it cannot be read, or the URL is not https.
 */
int push_target_set_authority(struct push_target *t, const char *file, struct mu_error *err);

/* push_target_free -- Releases it. Fine for a zeroed struct. */
void push_target_free(struct push_target *t);
