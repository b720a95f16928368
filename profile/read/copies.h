/* copies.h -- names of the functions that copy.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef PROFILE_READ_COPIES_H
#define PROFILE_READ_COPIES_H

#include <stdint.h>

/* copies_name -- of a site where bytes are copied.
 *
 * fn  mu_site.fn.
 * Returns "memcpy"; "copy" for what a compiler copied inline; "" for other sites.
 */
const char *copies_name(uint16_t fn);

#endif
