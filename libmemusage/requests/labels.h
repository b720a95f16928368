/* labels.h -- labels that the program gives to what a thread allocates.
 *
 * The labels of a thread at one time are a set, which has a number; sites_find() takes sites of
 * different sets apart. At most MU_LABELS_MAX sets are kept. A label beyond them gets the
 * value MU_LABEL_MORE and is counted, so a program that gives each request a number fills neither
 * the image nor the table of sites.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

#include "libmemusage/image/thread.h"

/* labels_init -- forget all sets: a new image begins. */
void labels_init(void);

/* labels_set -- change one label of the calling thread.
 *
 * key    text of the program, of which MU_LABEL_KEY bytes are read at most.
 * value  likewise, MU_LABEL_VALUE bytes; NULL or empty: the thread has no such label any more.
 * Returns false if there is no key. Call it inside the hook. Async-signal-safe.
 * Cost 50 ns for each label of the set.
 */
bool labels_set(struct thread *thread, const char *key, const char *value);
