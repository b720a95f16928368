/* remote_holders.c -- The command holders of memusage --pid.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/remote/remote_holders.h"

#include <stdlib.h>

#include "cli/message.h"
#include "memusage/common/asked_holders.h"
#include "memusage/holders/holders_check.h"
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

static struct asked_image image_of(const struct remote *r)
{
	const struct live *l = &r->contact.live;

	return (struct asked_image){ l->slot, l->generation };
}

/* The report compares with the last time that a client asked, if there was one. */
static int report_holders(struct remote *r, struct mu_holders *before, struct mu_holders *now)
{
	int result;

	r->holders[0] = before ? before : now;
	r->holders[1] = before ? now : NULL;
	result = r->operand ? remote_report_record(r) : remote_report_print_as(r, append_form);
	r->holders[0] = r->holders[1] = NULL;
	return result;
}

int remote_holders_run(struct remote *r)
{
	const struct holders_check_options o = { .flags = MU_HOLDERS_ON_DEMAND };
	struct mu_holders *before, *now =
		remote_examination_run(r, &holders_check, find_why_not(r), &o);
	int result;

	if (!now)
		return -1;
	before = asked_holders_read(r->contact.holders, image_of(r));
	if (r->contact.holders >= 0 && !asked_holders_write(now, r->contact.holders, image_of(r)))
		warn("process %d: the next report will not be compared with this one: %m",
		     (int)r->pid);
	result = report_holders(r, before, now);
	free(before);
	free(now);
	return result;
}
