/* push_encode.h -- The messages by which servers of profiles take a push.
 *
 *	push_pprof_encode()	profile.proto, which Pyroscope wants inside push_pyroscope_encode()
 *	push_otlp_encode()	OpenTelemetry's profiles, of which the format is not final yet
 *
 * Source github.com/google/pprof, proto/profile.proto; github.com/grafana/pyroscope,
 *        api/push/v1/push.proto; opentelemetry-proto 1.11.0, profiles/v1development.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>

#include "formats/base/protobuf.h"
#include "formats/push/push_dictionary.h"
#include "formats/push/push_set.h"

enum { PUSH_ID = 16 };	/* bytes of a UUID */

struct push_text {
	const char *name, *value;
};

/* Whose profile it is. Everything is borrowed. */
struct push_identity {
	const char *service;		/* name of the program */
	const struct push_text *label;	/* that the user gives; names as of push_label_name() */
	size_t labels;
	const char *version;		/* of memusage */
	unsigned char id[PUSH_ID];	/* of this push: random */
};

/* push_pprof_encode -- append a profile, not compressed.
 *
 * d  of the set; texts are added to it.
 */
void push_pprof_encode(struct protobuf *out, const struct push_set *s, struct push_dictionary *d);

/* push_pyroscope_encode -- append a PushRequest with one series of one profile.
 *
 * profile  SIZE bytes of a profile, compressed by gzip.
 */
void push_pyroscope_encode(struct protobuf *out, const struct push_identity *of,
			   const void *profile, size_t size);

/* push_otlp_encode -- append an ExportProfilesServiceRequest: a profile of each type.
 *
 * d  as for push_pprof_encode().
 */
void push_otlp_encode(struct protobuf *out, const struct push_set *s, struct push_dictionary *d,
		      const struct push_identity *of);
