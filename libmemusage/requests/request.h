/* request.h -- requests of the program, by include/memusage.h or Valgrind's macros.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "libmemusage/base/export.h"
#include "libmemusage/requests/client_block.h"

/* A function that counts accesses byte by byte, from now on, for the live block that begins at
 * `address` and has `size` bytes. Returns false if its size does not allow it. Called inside the
 * hook. */
typedef bool (*request_histogram_fn)(struct thread *thread, uint64_t address, uint64_t size);

/* access_request_init() sets it. Such requests do nothing while it is NULL. */
extern HIDDEN request_histogram_fn request_histogram;

/* request_ad_hoc -- record an ad hoc event, unless recording is paused. Inside the hook. */
void request_ad_hoc(struct thread *thread, const struct call_site *place, uint64_t weight);

/* request_histogram_at -- start a histogram for the live block that contains an address.
 *
 * Returns false if there is no such block, or it is of the wrong size. Inside the hook.
 */
bool request_histogram_at(struct thread *thread, uint64_t address);

/* request_count -- count a request, and an error if it named something unknown.
 *
 * ok  the request was served. Inside the hook.
 */
void request_count(struct thread *thread, bool ok);

/* request_publish_entry -- store memusage_request_entry() in executables that include memusage.h.
 *
 * In shared objects ld.so does it. Once, from recorder_start(). Cost some us per object.
 */
void request_publish_entry(void);

/* memusage_request_entry -- serve the requests of memusage.h; exported.
 *
 * request  enum memusage_request; a, b, c as the macros of memusage.h pass them.
 * Returns  1 to IS_RECORDING if so, else 0. Async-signal-safe; errno is kept.
 */
uintptr_t memusage_request_entry(uintptr_t request, uintptr_t a, uintptr_t b, uintptr_t c);
