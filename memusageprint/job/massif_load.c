/* massif_load.c -- Reads a massif.out for a report, or the part that a cut file still has.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/job/massif_load.h"

#include "cli/message.h"

int massif_load(struct massif_file *m, struct input *in)
{
	struct mu_error err;

	if (massif_read(m, &in->text, &err) == 0)
		return 0;
	if (err.code == MU_ERROR_TRUNCATED && m->count > 0) {
		warn("%s: %s; whole snapshots before: %zu", in->name, err.text, m->count);
		return -1;
	}
	warn("%s: %s", in->name, err.text);
	massif_free(m);
	return -1;
}
