/* remote_examination.h -- The commands of memusage --pid that examine the process.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/examine/examination.h"
#include "memusage/remote/remote_run.h"

/* remote_examination_find_missing -- Tells why not all blocks of the process are in its recording.
 * Returns NULL if they are, by the options of the run. */
const char *remote_examination_find_missing(const struct remote *r);

/* remote_examination_answer -- Has the collector examine a process for the isolated one, which may
 * not ask: the answer of privsep_run().
 *
 * data        the struct remote, of whose process the collectors of our user are asked, whatever
 *             the message says.
 * connection  with the message.
 */
void remote_examination_answer(void *data, int connection);

/* remote_examination_run -- Examines the process as --snapshot says.
 *
 * why_not  a reason not to do it, or NULL.
 * options  of E.
 * Returns the result, to be freed, or NULL after a message.
 */
void *remote_examination_run(const struct remote *r, const struct examination *e,
			     const char *why_not, const void *options);
