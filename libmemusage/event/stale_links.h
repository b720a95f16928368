/* stale_links.h -- clear the link of a free list that an allocator has left in a new block.
 *
 * mimalloc and tcmalloc keep free blocks in lists, so the first word of a block is the address of
 * another one when the program gets it. If the program does not write there, a leak check takes it
 * for a pointer. Memcheck knows that the word is undefined.
 *
 * Only with MU_CFG_LEAKS or MU_CFG_HOLDERS, and if malloc is not libc's, which leaves no address of
 * a block.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>

#include "libmemusage/image/recorder.h"

/* stale_links_start -- put functions that clear it before the real ones. After real_resolve(). */
void stale_links_start(void);

/* stale_links_clear_new -- clear it in a block of SIZE bytes that operator new has returned.
 *
 * block  NULL is allowed.
 * Async-signal-safe.
 */
void stale_links_clear_new(void *block, size_t size);
