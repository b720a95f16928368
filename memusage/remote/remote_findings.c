/* remote_findings.c -- What clients have found out about a process, as its collector keeps it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/remote/remote_findings.h"

#include "memusage/common/control_wire.h"
#include "memusage/remote/contact.h"

void remote_findings_ask(struct asked_findings *f, const struct live *l, pid_t pid)
{
	const unsigned int flags = CONTROL_CHECKS | CONTROL_HOLDERS | CONTROL_EXISTING;
	const struct asked_image image = { l->slot, l->generation };
	struct contact c = CONTACT_CLOSED;

	contact_query(&c, pid, flags);
	asked_findings_read(f, c.checks, c.holders, image);
	contact_close(&c);
}
