/* remote_pages.c -- The command pages of memusage --pid.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/remote/remote_pages.h"

#include <stdlib.h>

#include "memusage/examine/pages_check.h"
#include "memusage/remote/remote_examination.h"
#include "memusage/remote/remote_report.h"

static void append_form(struct opt_list *list, const struct remote *r)
{
	settings_append_place_options(list, r->settings);
	opt_list_append(list, "--fragmentation");
}

/* Pages would seem free whose blocks were not recorded. */
static const char *find_why_not(const struct remote *r)
{
	const uint32_t flags = r->contact.live.view.head.config.flags;
	const char *missing = remote_examination_find_missing(r);

	if (missing)
		return missing;
	if (!(flags & MU_CFG_STACKS))
		return "no call stacks are recorded: start it with --fragmentation, --record or "
		       "--top";
	return NULL;
}

int remote_pages_run(struct remote *r)
{
	const struct pages_check_options o = { .is_at_end = false };
	struct mu_pages *pages = remote_examination_run(r, &pages_check, find_why_not(r), &o);
	int result;

	if (!pages)
		return -1;
	r->pages = pages;
	result = r->operand ? remote_report_record(r) : remote_report_print_as(r, append_form);
	r->pages = NULL;
	free(pages);
	return result;
}
