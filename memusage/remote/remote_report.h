/* remote_report.h -- Reports of now: the commands of memusage --pid that memusageprint and
 * memusagestat answer, from a copy of the recording.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/remote/remote_run.h"

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

/* Appends the options that choose a report, in the process that executes memusageprint. */
typedef void remote_report_form(struct opt_list *list, const struct remote *r);

/* remote_report_print_as -- Has memusageprint make a report of a copy of the recording of now.
 *
 * The copy gets r->check and r->pages. Returns 0, or -1 after a message.
 */
int remote_report_print_as(struct remote *r, remote_report_form *append_form);
