/* builtin_malloc_detect.h -- noticing a malloc that this library does not see.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_PATCH_BUILTIN_MALLOC_DETECT_H
#define LIBMEMUSAGE_PATCH_BUILTIN_MALLOC_DETECT_H

#include <stdbool.h>

struct link_map;

/* foreign_found -- an object's malloc is called without passing by ours: have it seen, or note it.
 *
 * path      of the object. note  what to say if it is not seen: an enum mu_note.
 * is_fresh  the object was just mapped.
 */
void foreign_found(const struct link_map *object, const char *path, unsigned int note,
		   bool is_fresh);

/* foreign_check -- note in the image whose malloc the program calls, if not ours.
 *
 * Also finds objects that bind a malloc of their own (-Bsymbolic). Call from the
 * constructor. Not async-signal-safe.
 */
void foreign_check(void);

/* foreign_opened -- note that an object is being opened in a way that bypasses us.
 *
 * file  as given to dlopen, may be NULL; note one of MU_NOTE_DEEPBIND, MU_NOTE_NAMESPACE.
 */
void foreign_opened(const char *file, unsigned int note);

#endif
