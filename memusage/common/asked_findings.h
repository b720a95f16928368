/* asked_findings.h -- What clients have found out about a process, for a recording of it.
 *
 * A leak check that was asked for by --pid, and what held the blocks then, belong to the recording
 * of the run, to the page that memusageserve makes of now, and to copies.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/common/asked_checks.h"
#include "profile/read/image.h"
#include "recording/holders.h"

struct asked_findings {
	struct asked_checks checks; /* owned */
	struct mu_holders *holders; /* owned; NULL: none */
	const struct mu_holders *moment[1];
};

/* asked_findings_read -- Reads the files of asked_checks.h and asked_holders.h.
 *
 * checks, holders  descriptors, -1: none.
 * f  overwritten; asked_findings_free() it.
 */
void asked_findings_read(struct asked_findings *f, int checks, int holders,
			 struct asked_image image);

/* asked_findings_attach_checks -- Adds those leak checks to an image that are newer than its own.
 *
 * im  borrows them until asked_findings_detach().
 */
void asked_findings_attach_checks(const struct asked_findings *f, struct image *im);

/* asked_findings_attach -- Does so, and adds what held the blocks. IM has no other moments. */
void asked_findings_attach(struct asked_findings *f, struct image *im);

/* asked_findings_detach -- Takes them off the image again. */
void asked_findings_detach(const struct asked_findings *f, struct image *im);

/* asked_findings_free -- Releases everything. Accepts a zeroed struct. */
void asked_findings_free(struct asked_findings *f);
