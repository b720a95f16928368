/* remote_examination.c -- The commands of memusage --pid that examine the process.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/remote/remote_examination.h"

#include "cli/message.h"
#include "memusage/attach/earlier_list.h"

const char *remote_examination_find_missing(const struct remote *r)
{
	const uint32_t flags = r->contact.live.view.head.config.flags;

	if (flags & MU_CFG_SAMPLE)
		return "only samples of its blocks are recorded: start it without --sample";
	if (flags & MU_CFG_START_PAUSED)
		return "it was started paused, so that older blocks are not known";
	if (flags & (MU_CFG_PAGES | MU_CFG_COPIES | MU_CFG_AD_HOC))
		return "its blocks are not recorded (--pages-as-heap or --mode)";
	return NULL;
}

void *remote_examination_run(const struct remote *r, const struct examination *e,
			     const char *why_not, const void *options)
{
	const struct examined_process p = {
		&r->contact.live, r->pid, (enum snapshot_kind)r->settings->leak_check.snapshot,
		earlier_list_add
	};
	struct mu_error err;
	void *result = why_not ? NULL : examination_run(e, &p, options, &err);

	if (!result)
		warn("process %d: %s", (int)r->pid, why_not ? why_not : err.text);
	return result;
}
