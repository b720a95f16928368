/* pass.h -- calls with --sample or --start-paused that are not the usual case (pass_entry.c).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>

/* passed_malloc, passed_calloc, passed_free -- do what the functions would do, in any mode.
 *
 * The block may be sampled, a client has a request, recording has stopped, or all blocks are
 * recorded. Only x86-64 has code that jumps to these.
 */
void *passed_malloc(size_t size);
void *passed_calloc(size_t count, size_t size);
void passed_free(void *block);
