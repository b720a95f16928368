/* push_options.h -- The options of --push.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>

#include "cli/options.h"
#include "formats/push/push_encode.h"

enum { PUSH_INTERVAL_MS = 15000, PUSH_LABELS_MAX = 24 };

/* Strings point into argv. */
struct push_options {
	const char *url;		/* NULL: push nothing */
	unsigned int interval_ms;	/* 0: PUSH_INTERVAL_MS */
	const char *headers;		/* file; NULL: none */
	const char *authority;		/* file of certificates; NULL: those of the system */
	const char *service;		/* the value of the label service_name; NULL: not given */
	struct push_text label[PUSH_LABELS_MAX];
	size_t labels;
};

/* push_interval_option -- Takes "15", "15s", "500ms", "1m". An opt_fn; DATA is a struct
 * push_options, as for the next one. */
const char *push_interval_option(const struct opt *option, const char *arg, void *data);

/* push_label_option -- Takes "KEY=VALUE". An opt_fn. */
const char *push_label_option(const struct opt *option, const char *arg, void *data);
