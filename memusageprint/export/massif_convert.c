/* massif_convert.c -- Converts a massif.out to another format.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/export/massif_convert.h"

#include "cli/message.h"
#include "cli/version.h"
#include "formats/massif_convert.h"

/* Returns the snapshot whose tree is to be converted, or NULL after a warning. */
static const struct massif_snapshot *find_snapshot(const struct report_job *job,
						   const struct massif_file *m)
{
	const struct massif_snapshot *s = massif_peak(m);

	if (!s)
		warn("%s: no snapshot has a tree: there are no stacks to convert", job->in->name);
	return s;
}

int massif_convert_to_massif(const struct report_job *job, const struct massif_file *m)
{
	massif_write(report_job_begin(job), m);
	return 0;
}

int massif_convert_to_json(const struct report_job *job, const struct massif_file *m)
{
	massif_to_json(report_job_begin(job), m);
	return 0;
}

int massif_convert_to_folded(const struct report_job *job, const struct massif_file *m)
{
	const struct massif_snapshot *s = find_snapshot(job, m);

	if (!s)
		return -1;
	massif_to_folded(report_job_begin(job), m, s);
	return 0;
}

int massif_convert_to_callgrind(const struct report_job *job, const struct massif_file *m)
{
	const struct massif_snapshot *s = find_snapshot(job, m);
	struct mu_error err;

	if (!s)
		return -1;
	if (massif_to_callgrind(report_job_begin(job), m, s, MEMUSAGE_VERSION, &err) == 0)
		return 0;
	warn("%s: %s", job->in->name, err.text);
	return -1;
}
