/* export_formats.c -- a recording in the formats of other tools.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/export/export_formats.h"

#include <stdlib.h>

#include "cli/message.h"
#include "cli/version.h"
#include "formats/callgrind.h"
#include "formats/export.h"
#include "formats/folded.h"
#include "formats/json.h"
#include "formats/pprof.h"
#include "memusageprint/export/dhat_export.h"
#include "memusageprint/export/massif_export.h"

static int write_folded(FILE *out, struct subject *s, const struct settings *settings,
			const struct export *e, struct mu_error *err)
{
	if (subject_weigh(s, settings_metric(settings), settings->tree) < 0)
		return -2;
	return folded_write(out, e, s->weight, false, err);
}

static int write_with(FILE *out, struct subject *s, const struct settings *settings,
		      const struct export *e, struct mu_error *err)
{
	switch (settings->report) {
	case REPORT_TO_FOLDED:
		return write_folded(out, s, settings, e, err);
	case REPORT_TO_CALLGRIND:
		return callgrind_write(out, e, err);
	case REPORT_TO_PPROF:
		return pprof_write(out, e, err);
	default:
		json_write(out, e);
		return 0;
	}
}

int exports_write(FILE *out, struct subject *s, const struct settings *settings)
{
	const struct mu_process *process = &s->image.head.process;
	uint64_t start = process->start_mono_ns, end = process->exit_mono_ns;
	char *command;
	struct export e = {
		.filter = &s->filter,
		.image = &s->image,
		.version = MEMUSAGE_VERSION,
		.pid = (uint32_t)s->pid,
		.start_real_ns = segment_start_ns(&s->recording->segment, &s->image),
		.duration_ns = end > start ? end - start : 0,
	};
	struct mu_error err;
	int result;

	if (settings->report == REPORT_TO_MASSIF)
		return massif_export(out, s, settings);
	if (settings->report == REPORT_TO_DHAT)
		return dhat_export(out, s, settings);
	e.command = command = subject_command(s);
	result = write_with(out, s, settings, &e, &err);
	if (result == -1)
		warn("%s: %s", s->recording->name, err.text);
	free(command);
	return result < 0 ? -1 : 0;
}
