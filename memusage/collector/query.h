/* query.h -- Questions of recorders: where one is in an image, and how an answer gets there.
 *
 * Protocol: docs/format.md, section 7.1. Images are untrusted, so all their fields are checked.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "memusage/common/process.h"
#include "recording/collector_query.h"
#include "recording/recording.h"

/* query_image -- Returns the image of a process in shared memory, where its question is.
 *
 * p  has a slot.
 */
struct mu_image *query_image(const struct process *p);

/* query_is_open -- Tells whether a process in that state waits for something from us. */
bool query_is_open(uint32_t state);

/* query_is_asked -- Tells whether a process waits for something from us, as for the examination at
 * its end.
 *
 * p  has a slot.
 */
bool query_is_asked(const struct process *p);

/* query_set_state -- Tells a process that waits how far its answer is: an enum mu_query_state. */
void query_set_state(struct mu_image *live, uint32_t state);

/* query_copy_answer -- Copies BYTES of an answer to where the recorder has made room, which must be
 * inside of the image LIVE of P, and tells it. */
void query_copy_answer(const struct process *p, struct mu_image *live, const void *answer,
		       uint64_t bytes);
