/* not_examined.h -- Why a process has no result of an examination.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#include "memusageprint/job/report_subject.h"

enum examination_kind { EXAMINED_LEAKS, EXAMINED_PAGES, EXAMINED_HOLDERS };

/* not_examined_warn -- Says that a process was not examined, why, and what would do it.
 *
 * The reason is how the process ended if the run was to examine it then. A user who does not know
 * it would take a program that was killed for one without leaks.
 */
void not_examined_warn(const struct report_subject *s, enum examination_kind kind);

/* not_examined_forks -- Says which forked children of a run with --leak-check-forks=yes have no
 * leak check because they ended by a signal, or otherwise not by exit or _exit. */
void not_examined_forks(const struct recording *r);
