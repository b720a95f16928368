/* push_sender.h -- Sends one message at a time to the server of --push, by libcurl.
 *
 * Everything happens in the loop: nothing waits.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#include "memusageserve/loop/loop.h"
#include "memusageserve/push/push_target.h"

enum push_answer {
	PUSH_TAKEN,
	PUSH_RETRY,	/* the server is away, or busy: it may take the same message later */
	PUSH_REFUSED	/* it will never take it */
};

enum { PUSH_WHY = 256 };

/* why    a text without control characters; "" if it was taken.
 * after  seconds after which the server wants to be asked again; 0: it did not say. */
typedef void push_answer_fn(void *data, enum push_answer answer, const char *why,
			    unsigned int after);

struct push_sender;

/* push_sender_open -- Prepares to send to a server; both are borrowed until push_sender_close().
 *
 * Returns NULL without memory.
 */
struct push_sender *push_sender_open(struct loop *loop, const struct push_target *target,
				     push_answer_fn *call, void *data);

/* push_sender_send -- Begins to send SIZE bytes from the start of a file, borrowed until CALL is
 * called, which it is once and later. Nothing else may be under way. */
void push_sender_send(struct push_sender *s, int file, uint64_t size);

/* push_sender_close -- Gives up what is under way, without a call. S may be NULL. */
void push_sender_close(struct push_sender *s);
