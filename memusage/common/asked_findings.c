/* asked_findings.c -- What clients have found out about a process, for a recording of it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/common/asked_findings.h"

#include <stdlib.h>

#include "memusage/common/asked_holders.h"
#include "profile/read/leak_checks.h"

void asked_findings_read(struct asked_findings *f, int checks, int holders,
			 struct asked_image image)
{
	*f = (struct asked_findings){ .holders = asked_holders_read(holders, image) };
	asked_checks_read(&f->checks, checks, image);
}

static uint64_t time_of_last_check(const struct image *im)
{
	struct leak_checks all;
	uint64_t time;

	leak_checks_read(&all, im);
	time = all.count > 0 ? all.check[all.count - 1].head.mono_ns : 0;
	leak_checks_free(&all);
	return time;
}

/* A later check of the process itself has brought the last of them into the image. */
void asked_findings_attach_checks(const struct asked_findings *f, struct image *im)
{
	const struct mu_leak_check *const check[] = { f->checks.before, f->checks.last };
	const uint64_t last = time_of_last_check(im);

	for (unsigned int i = 0; i < sizeof(check) / sizeof(*check); i++) {
		if (check[i] && check[i]->mono_ns > last && !im->outside_check[i])
			im->outside_check[i] = check[i];
	}
}

void asked_findings_attach(struct asked_findings *f, struct image *im)
{
	asked_findings_attach_checks(f, im);
	if (!f->holders || im->holder_count > 0)
		return;
	f->moment[0] = f->holders;
	im->holders = f->moment;
	im->holder_count = 1;
}

void asked_findings_detach(const struct asked_findings *f, struct image *im)
{
	for (unsigned int i = 0; i < IMAGE_OUTSIDE_CHECKS; i++) {
		if (im->outside_check[i] &&
		    (im->outside_check[i] == f->checks.before ||
		     im->outside_check[i] == f->checks.last))
			im->outside_check[i] = NULL;
	}
	if (im->holders == f->moment) {
		im->holders = NULL;
		im->holder_count = 0;
	}
}

void asked_findings_free(struct asked_findings *f)
{
	asked_checks_free(&f->checks);
	free(f->holders);
	*f = (struct asked_findings){ .holders = NULL };
}
