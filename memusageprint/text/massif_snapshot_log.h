/* massif_snapshot_log.h -- what Massif says with -v -v and --stats=yes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGEPRINT_TEXT_MASSIF_SNAPSHOT_LOG_H
#define MEMUSAGEPRINT_TEXT_MASSIF_SNAPSHOT_LOG_H

#include <stdio.h>

#include "memusageprint/job/report_subject.h"

/* massif_snapshot_log_print -- print the lines of an image that was recorded with MU_CFG_JOURNAL.
 *
 * Which ones settings->massif_log and massif_stats say. Of a forked child those since its
 * fork; its counts include its parent's. Lines begin with `--PID-- Massif: `.
 * Source Valgrind 3.19: docs/compat.md.
 */
void massif_snapshot_log_print(FILE *out, const struct report_subject *s,
			       const struct settings *settings);

#endif
