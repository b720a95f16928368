/* request.h -- what the program tells us by itself: include/memusage.h and Valgrind's macros.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_REQUESTS_REQUEST_H
#define LIBMEMUSAGE_REQUESTS_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "libmemusage/requests/client_block.h"

/* Counts accesses byte by byte for the live block at `address` from now on. Returns false if its
 * size does not allow it. Called inside the hook. */
typedef bool (*request_histogram_fn)(struct thread *thread, uint64_t address, uint64_t size);

/* Set by whoever counts accesses; NULL: such requests do nothing. */
extern request_histogram_fn request_histogram;

/* request_ad_hoc -- an ad hoc event. Inside the hook. Ignored while recording is paused. */
void request_ad_hoc(struct thread *thread, const struct call_site *place, uint64_t weight);

/* request_histogram_at -- a histogram is wanted for the live block that an address is in.
 *
 * Returns false if there is no such block, or it is of the wrong size. Inside the hook.
 */
bool request_histogram_at(struct thread *thread, uint64_t address);

/* request_count -- a request was served, or (ok false) named something that is not known. */
void request_count(struct thread *thread, bool ok);

/* request_publish_entry -- let executables that include memusage.h find memusage_request_entry().
 *
 * Shared objects do so by themselves. Once, from recorder_start(). Cost some us per object.
 */
void request_publish_entry(void);

/* memusage_request_entry -- the function that requests of memusage.h call; exported.
 *
 * request  enum memusage_request; a, b, c as the macros of memusage.h pass them.
 * Returns  1 to IS_RECORDING if so, else 0. Async-signal-safe; errno is kept.
 */
uintptr_t memusage_request_entry(uintptr_t request, uintptr_t a, uintptr_t b, uintptr_t c);

#endif
