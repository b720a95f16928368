/* asked_holders.h -- What held the blocks of a process when a client last asked for it.
 *
 * The collector keeps it in a file in memory that every client gets, as in asked_checks.h: the next
 * report tells what holds more than then.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/common/asked_checks.h"
#include "recording/holders.h"

/* asked_holders_read -- Returns the result in FD, to be freed; NULL if there is none, if it is of
 * another image, or if the client that wrote it was killed.
 *
 * Its tables are as the client wrote them: holder_moments_read() checks them.
 */
struct mu_holders *asked_holders_read(int fd, struct asked_image image);

/* asked_holders_write -- Replaces what is in FD. Returns false with errno. */
bool asked_holders_write(const struct mu_holders *h, int fd, struct asked_image image);
