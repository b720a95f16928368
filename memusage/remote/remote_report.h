/* remote_report.h -- Reports of now: the commands of memusage --pid that memusageprint and
 * memusagestat answer, from a copy of the recording.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/remote/remote_command.h"

/* remote_report_print -- Has memusageprint print the text that has the command's name as an option
 * ("--top"). Returns 0, or -1 after a message. */
int remote_report_print(struct remote *r);

/* remote_report_page -- Has memusagestat write the HTML page. As above. */
int remote_report_page(struct remote *r);

/* remote_report_record -- Writes the copy itself. As above. */
int remote_report_record(struct remote *r);

/* remote_report_add_running -- Adds the processes that run to a copy of the recording that their
 * collector, r->pid, is writing.
 *
 * Returns 0, or -1, without a message if this collector writes no such recording.
 */
int remote_report_add_running(struct remote *r);

/* remote_report_copied -- Copies the recording of now, which gets r->leak_check, to a nameless file
 * and has WRITE make a report of it. Returns what WRITE returns, or -1 after a message. */
int remote_report_copied(struct remote *r, int (*write)(struct remote *r, int recording));
