/* remote_findings.h -- What clients have found out about a process, as its collector keeps it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <sys/types.h>

#include "memusage/common/asked_findings.h"
#include "memusage/record/live.h"

/* remote_findings_ask -- Asks the collectors of our own user for the findings about process PID.
 *
 * f  overwritten; asked_findings_free() it. None are there unless they are about the image of L.
 */
void remote_findings_ask(struct asked_findings *f, const struct live *l, pid_t pid);
