/* builtin_malloc_detect.h -- noticing a malloc that this library does not see.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

struct link_map;

/* builtin_malloc_detected -- intercept the malloc of an object, which is called without ours.
 *
 * object  of ld.so's list; NULL: it is not known, and only noted.
 * path    of the object.
 * note    enum mu_note: set if the malloc is not intercepted.
 * is_new  the object was just mapped.
 */
void builtin_malloc_detected(const struct link_map *object, const char *path, unsigned int note,
			     bool is_new);

/* builtin_malloc_detect -- look for a malloc that the program calls in place of ours.
 *
 * Also finds objects that bind a malloc of their own (-Bsymbolic). Call from the constructor. Not
 * async-signal-safe.
 */
void builtin_malloc_detect(void);

/* builtin_malloc_detect_opened -- note that an object is being opened in a way that bypasses us.
 *
 * file  as given to dlopen, may be NULL: nothing is noted then.
 * note  MU_NOTE_DEEPBIND or MU_NOTE_NAMESPACE.
 */
void builtin_malloc_detect_opened(const char *file, unsigned int note);
