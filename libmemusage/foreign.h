/* foreign.h -- noticing a malloc that this library does not see.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_FOREIGN_H
#define LIBMEMUSAGE_FOREIGN_H

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
