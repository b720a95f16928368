/* massif_convert.c -- a massif.out in another format.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/export/massif_convert.h"

#include "cli/message.h"
#include "cli/version.h"
#include "formats/massif_convert.h"
#include "memusageprint/job/massif_load.h"

/* The snapshot with the tree to be converted, or NULL after a warning. */
static const struct massif_snapshot *find_tree(const struct report_job *job,
					       const struct massif_file *m)
{
	const struct massif_snapshot *s = massif_peak(m);

	if (!s)
		warn("%s: no snapshot has a tree: there are no stacks to convert", job->in->name);
	return s;
}

static int convert_peak(const struct report_job *job, const struct massif_file *m)
{
	const struct massif_snapshot *s = find_tree(job, m);
	struct mu_error err;

	if (!s)
		return -1;
	if (job->settings->report == REPORT_TO_FOLDED) {
		massif_to_folded(report_begin(job), m, s);
	} else if (massif_to_callgrind(report_begin(job), m, s, MEMUSAGE_VERSION, &err) < 0) {
		warn("%s: %s", job->in->name, err.text);
		return -1;
	}
	return 0;
}

static int convert(const struct report_job *job, const struct massif_file *m)
{
	if (job->settings->report == REPORT_TO_JSON)
		massif_to_json(report_begin(job), m);
	else if (job->settings->report == REPORT_TO_MASSIF)
		massif_write(report_begin(job), m);
	else
		return convert_peak(job, m);
	return 0;
}

int massif_convert_print(const struct report_job *job)
{
	struct massif_file m;
	int result = massif_load(&m, job->in);

	if (m.count > 0 && convert(job, &m) < 0)
		result = -1;
	massif_free(&m);
	return result;
}
