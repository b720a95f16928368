/* user.h -- whether a user that the kernel names by a number is the user of this process.
 *
 * Source  user_namespaces(7), "Unmapped user and group IDs".
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* user_is_known -- Tells whether UID is the number of one user only.
 *
 * In a user namespace that does not map all users, the kernel shows every other user under one
 * number, 65534: its owner is unknown.
 */
bool user_is_known(uid_t uid);

/* user_is_self -- whether UID, that of a peer or of a file, is our effective user. Anybody is not,
 * nor are we then, who may have that number ourselves. */
bool user_is_self(uid_t uid);
