/* remote_holders.c -- The command holders of memusage --pid.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/remote/remote_holders.h"

#include <stdlib.h>

#include "memusage/examine/holders_check.h"
#include "memusage/remote/remote_examination.h"
#include "memusage/remote/remote_report.h"

static void append_form(struct opt_list *list, const struct remote *r)
{
	settings_append_place_options(list, r->settings);
	opt_list_append(list, "--holders");
}

/* Memory that is not recorded may hold the rest, which would seem lost. */
static const char *find_why_not(const struct remote *r)
{
	const char *missing = remote_examination_find_missing(r);

	if (missing)
		return missing;
	if (__atomic_load_n(&r->contact.live.shared->stopped, __ATOMIC_RELAXED))
		return "recording is stopped: blocks that it does not know may hold others";
	if (!(r->contact.live.view.head.config.flags & MU_CFG_STACKS))
		return "no call stacks are recorded: start it with --holders, --record or --top";
	if (r->owner && r->operand)
		return "a file can be written by its owner only: give no FILE";
	return NULL;
}

int remote_holders_run(struct remote *r)
{
	const struct holders_check_options o = { .flags = MU_HOLDERS_ON_DEMAND };
	struct mu_holders *holders =
		remote_examination_run(r, &holders_check, find_why_not(r), &o);
	int result;

	if (!holders)
		return -1;
	r->holders = holders;
	result = r->operand ? remote_report_record(r) : remote_report_print_as(r, append_form);
	r->holders = NULL;
	free(holders);
	return result;
}
