/* macros.h -- serving the client requests of Valgrind's macros in programs that were built with
 * them.
 *
 * Such a macro is 19 bytes of code that rotate a register by 128 bits in all and exchange another
 * with itself: outside of Valgrind they do nothing. With MU_CFG_REQUESTS the first of them become a
 * jump to a stub, which calls us with the request and continues after them. The macro tells the
 * compiler that rdx, flags and memory change; nothing else does.
 *
 * Source  valgrind.h of Valgrind 3.19, amd64: VALGRIND_DO_CLIENT_REQUEST_EXPR.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "libmemusage/base/objects.h"

#define MACROS_BYTES 19u

/* macros_start -- change all places in the objects that are loaded, and in those to come.
 *
 * Once, from recorder_start(), if MU_CFG_REQUESTS. Places that cannot be changed are counted in the
 * image.
 * Cost about 0.3 ms per MiB of code: the files are read, so that no page of code becomes resident.
 */
void macros_start(void);

/* macros_scan -- find the places in the code of an object.
 *
 * found  is called for each with its address: the bytes are there in memory, in a function that has
 *        unwind information. Copies of them in constants are in no function.
 * Not thread-safe. Source docs/design.md, "Requests of programs built for Valgrind".
 */
void macros_scan(const struct object *object, void (*found)(uint64_t address, void *data),
		 void *data);

/* macros_serve -- serve a request. The code that replaces a macro calls it by way of macros_entry.
 *
 * frame    of macros_entry: the caller's bp, the return address in that code; below it, downward,
 *          the registers rax, rcx, rdx.
 * Returns  the value for rdx. Async-signal-safe; keeps vector registers.
 */
uint64_t macros_serve(const uint64_t *frame);

/* macros_entry -- the function that the code in place of macros calls; it keeps all registers but
 * rdx. In x86_64/macros_entry.S. */
void macros_entry(void);
