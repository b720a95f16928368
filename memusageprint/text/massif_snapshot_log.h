/* massif_snapshot_log.h -- The lines that Massif prints with -v -v and --stats=yes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdio.h>

#include "memusageprint/job/report_subject.h"

/* massif_snapshot_log_print -- Prints the lines of an image recorded with MU_CFG_SNAPSHOT_LOG.
 *
 * settings->massif_log and massif_stats choose the lines. Those of a forked child begin at its
 * fork; its counts include its parent's. Lines begin with `--PID-- Massif: `.
 * Source Valgrind 3.19: docs/compat.md.
 */
void massif_snapshot_log_print(FILE *out, const struct report_subject *s,
			       const struct settings *settings);
