/* collector.h -- the process that owns the recordings of a tree and writes what they become.
 *
 * It is made before the program runs, in a session of its own, and lives as long as a process
 * of the tree does. While the program only counts it sleeps: it wakes when an image announces
 * itself, when a process forks and when one ends.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_COLLECTOR_COLLECTOR_H
#define MEMUSAGE_COLLECTOR_COLLECTOR_H

#include "memusage/record/session.h"

/* collector_run -- be the collector.
 *
 * s  as made by the launcher, s->wire being the collector's side.
 * Returns when no process of the tree is left, or after SIGTERM; everything is written then.
 */
void collector_run(struct session *s);

#endif
