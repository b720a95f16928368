/* host.h -- Whether the name by which a browser reached us is ours.
 *
 * A page of a foreign site may have its own name point to 127.0.0.1 (DNS rebinding), and could then
 * read what is served there as its own. Such a request names the foreign site in the header Host.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

/* host_is_ours -- Tells whether a request by TCP may be answered.
 *
 * header  value of Host: "localhost:8080"; NULL: there was none, as in HTTP/1.0, which no browser
 *         speaks.
 * own     name in the address that is served, or NULL.
 * Addresses in numbers, localhost and OWN are ours: a rebinding needs a name of its own.
 */
bool host_is_ours(const char *header, const char *own);
