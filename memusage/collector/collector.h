/* collector.h -- The process that owns the recordings of a tree and writes their outputs.
 *
 * The launcher starts it before the program, in a session of its own. It lives as long as any
 * process of the tree. While the program only counts, it sleeps; it wakes when an image registers,
 * when a process forks and when one ends.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/record/session.h"

/* collector_run -- Runs the collector.
 *
 * s  as made by the launcher, s->wire being the collector's side.
 * Returns when no process of the tree is left, or after SIGTERM, with all outputs written.
 */
void collector_run(struct session *s);
