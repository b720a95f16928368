/* export_formats.c -- The table of formats that --to names.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageprint/export/export_formats.h"

#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "cli/version.h"
#include "formats/callgrind.h"
#include "formats/file_type.h"
#include "formats/folded.h"
#include "formats/json.h"
#include "formats/pprof.h"
#include "memusageprint/export/dhat_export.h"
#include "memusageprint/export/massif_convert.h"
#include "memusageprint/export/massif_export.h"
#include "memusageprint/job/massif_load.h"

static struct export describe_image(const struct report_subject *s, const char *command)
{
	const struct mu_process *process = &s->image.head.process;
	uint64_t start = process->start_mono_ns, end = process->exit_mono_ns;

	return (struct export){
		.filter = &s->filter,
		.image = &s->image,
		.command = command,
		.version = MEMUSAGE_VERSION,
		.pid = (uint32_t)s->pid,
		.start_real_ns = segment_start_ns(&s->recording->segment, &s->image),
		.duration_ns = end > start ? end - start : 0,
	};
}

static int warn_on_error(const struct report_subject *s, int result, const struct mu_error *err)
{
	if (result < 0)
		warn("%s: %s", s->recording->name, err->text);
	return result;
}

/* ---- writers with a signature of their own ------------------------------------------------ */

static int write_json(FILE *out, const struct export *e, struct mu_error *err)
{
	(void)err;
	json_write(out, e);
	return 0;
}

/* Folded stacks have one weight: the others write every metric. */
static int write_folded(FILE *out, struct report_subject *s, const struct settings *settings)
{
	const struct export e = describe_image(s, "");
	struct mu_error err;

	if (report_subject_weigh(s, settings_metric(settings), settings->tree) < 0)
		return -1;
	return warn_on_error(s, folded_write(out, &e, s->weight, false, &err), &err);
}

/* ---- the table ---------------------------------------------------------------------------- */

static const struct export_format formats[] = {
	{
		.name = "massif",
		.write_image = massif_export,
		.convert_massif = massif_convert_to_massif,
	}, {
		.name = "folded",
		.write_image = write_folded,
		.convert_massif = massif_convert_to_folded,
	}, {
		.name = "callgrind",
		.write = callgrind_write,
		.convert_massif = massif_convert_to_callgrind,
	}, {
		.name = "json",
		.write = write_json,
		.convert_massif = massif_convert_to_json,
	}, {
		.name = "pprof",
		.write = pprof_write,
		.massif_lacks = "has neither addresses in files nor counts of blocks, which pprof "
				"needs: keep a recording (memusage --record), or use --to=folded "
				"or --to=callgrind",
	}, {
		.name = "dhat",
		.write_image = dhat_export,
	},
};

enum { FORMAT_COUNT = sizeof(formats) / sizeof(*formats) };

const struct export_format *export_formats_find(const char *name)
{
	for (size_t i = 0; i < FORMAT_COUNT; i++) {
		if (strcmp(formats[i].name, name) == 0)
			return &formats[i];
	}
	return NULL;
}

char *export_formats_names(char *buffer, size_t size, const char *separator)
{
	size_t length = 0;

	*buffer = '\0';
	for (size_t i = 0; i < FORMAT_COUNT && length < size; i++)
		length += (size_t)snprintf(buffer + length, size - length, "%s%s",
					   i > 0 ? separator : "", formats[i].name);
	return buffer;
}

int export_formats_write(FILE *out, struct report_subject *s, const struct settings *settings)
{
	const struct export_format *format = export_formats_find(settings->format);
	struct export e;
	struct mu_error err;
	char *command;
	int result;

	if (format->write_image)
		return format->write_image(out, s, settings);
	command = report_subject_command(s);
	e = describe_image(s, command);
	result = warn_on_error(s, format->write(out, &e, &err), &err);
	free(command);
	return result;
}

int export_formats_convert_massif(const struct report_job *job)
{
	const struct export_format *format = export_formats_find(job->settings->format);
	const char *type = file_type_name(job->in->kind);
	struct massif_file m;
	int result;

	if (!format->convert_massif) {
		if (format->massif_lacks)
			warn("%s: %s %s", job->in->name, type, format->massif_lacks);
		else
			warn("%s: this is %s: --to=%s does not suit it", job->in->name, type,
			     format->name);
		return -1;
	}
	result = massif_load(&m, job->in);
	if (m.count > 0 && format->convert_massif(job, &m) < 0)
		result = -1;
	massif_free(&m);
	return result;
}
