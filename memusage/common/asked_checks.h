/* asked_checks.h -- The last leak checks that clients have asked for, of one process.
 *
 * The collector keeps them in a file in memory that every client gets: the next check is compared
 * with the last one of any client. The two are kept since the numbers of loss records depend on
 * the check before.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "profile/graph/lost_watch.h"
#include "recording/leaks.h"

struct asked_checks {
	struct mu_leak_check *last, *before; /* owned; NULL: none */
	struct lost_watch *watch; /* likewise: what any check has called lost */
};

/* The image that checks are about: they end with it. */
struct asked_image {
	uint32_t slot, generation;
};

/* asked_checks_bytes -- Returns the length of a check with its losses, and of what is behind
 * them. */
uint64_t asked_checks_bytes(const struct mu_leak_check *c);

/* asked_checks_read -- Reads what is in FD. None are there if they are about another image, or if
 * the client that wrote them was killed. Call asked_checks_free(). */
void asked_checks_read(struct asked_checks *c, int fd, struct asked_image image);

/* asked_checks_write -- Replaces what is in FD. Returns false with errno. */
bool asked_checks_write(const struct asked_checks *c, int fd, struct asked_image image);

/* asked_checks_take_watch -- Takes what the next check needs from a result that was just made.
 *
 * Returns it, to be freed; NULL: the one before stays good.
 */
struct lost_watch *asked_checks_take_watch(struct mu_leak_check *result);

/* asked_checks_join -- Puts the last check behind RESULT, a later one, which is given up for it.
 *
 * Returns both as one, with MU_LEAK_CHECK_PAIR, to be freed. A process that gets them compares its
 * own checks with those of clients.
 */
struct mu_leak_check *asked_checks_join(struct mu_leak_check *result,
					const struct mu_leak_check *last);

/* asked_checks_free -- Releases everything. Accepts a zeroed struct. */
void asked_checks_free(struct asked_checks *c);
