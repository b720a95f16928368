/* access_request.h -- requests of the program to count accesses byte by byte.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

/* access_request_init -- start to count accesses and to serve such requests (request.h).
 *
 * Call it for each new image. Returns false without memory.
 */
bool access_request_init(void);

/* access_request_unknown -- count a request that named no live block. */
void access_request_unknown(void);
