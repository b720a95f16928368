/* remote_pages.c -- The command pages of memusage --pid.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/remote/remote_pages.h"

#include <stdlib.h>

#include "cli/message.h"
#include "memusage/common/child.h"
#include "memusage/examine/pages_check.h"
#include "memusage/remote/remote_report.h"

static void execute_memusageprint(const struct remote *r, int recording)
{
	struct opt_list a = { .count = 0 };

	opt_list_append(&a, "memusageprint");
	remote_append_options(&a, r);
	settings_append_place_options(&a, r->settings);
	if (r->settings->debuginfod)
		opt_list_append(&a, "--debuginfod");
	opt_list_append(&a, "--fragmentation");
	opt_list_append(&a, "--");
	opt_list_append(&a, child_pass_file(recording));
	child_execute(&a, "");
}

static int print_report(struct remote *r, int recording)
{
	pid_t pid = child_fork("memusageprint");

	if (pid == 0)
		execute_memusageprint(r, recording);
	return child_finish(pid, "memusageprint", "its report");
}

/* Pages would seem free whose blocks were not recorded. */
static const char *find_why_not(const struct remote *r)
{
	const uint32_t flags = r->contact.live.view.head.config.flags;

	if (flags & MU_CFG_SAMPLE)
		return "only samples of its blocks are recorded: start it without --sample";
	if (flags & MU_CFG_START_PAUSED)
		return "it was started paused, so that older blocks are not known";
	if (flags & (MU_CFG_PAGES | MU_CFG_COPIES | MU_CFG_AD_HOC))
		return "its blocks are not recorded (--pages-as-heap or --mode)";
	if (!(flags & MU_CFG_STACKS))
		return "no call stacks are recorded: start it with --fragmentation, --record or "
		       "--top";
	if (r->owner && r->operand)
		return "a file can be written by its owner only: give no FILE";
	return NULL;
}

int remote_pages_run(struct remote *r)
{
	const struct examined_process p = {
		&r->contact.live, r->pid, (enum snapshot_kind)r->settings->leak_check.snapshot
	};
	const struct pages_check_options o = { .is_at_end = false };
	const char *why = find_why_not(r);
	struct mu_pages *pages;
	struct mu_error err;
	int result;

	if (why) {
		warn("process %d: %s", (int)r->pid, why);
		return -1;
	}
	pages = examination_run(&pages_check, &p, &o, &err);
	if (!pages) {
		warn("process %d: %s", (int)r->pid, err.text);
		return -1;
	}
	r->pages = pages;
	result = r->operand ? remote_report_record(r) : remote_report_copied(r, print_report);
	r->pages = NULL;
	free(pages);
	return result;
}
