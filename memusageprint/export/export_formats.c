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
#include "formats/holders/site_graph.h"
#include "formats/json.h"
#include "formats/massif.h"
#include "formats/massif_convert.h"
#include "formats/pprof/pprof.h"
#include "formats/viewers/perfetto.h"
#include "formats/viewers/speedscope.h"
#include "memusageprint/export/dhat_export.h"
#include "memusageprint/export/massif_export.h"
#include "memusageprint/job/growth_moments.h"
#include "memusageprint/job/massif_load.h"
#include "memusageprint/job/not_examined.h"
#include "profile/read/image_end.h"

static struct export describe_image(const struct report_subject *s, const char *command)
{
	return (struct export){
		.filter = &s->filter,
		.image = &s->image,
		.command = command,
		.version = MEMUSAGE_VERSION,
		.pid = (uint32_t)s->pid,
		.start_real_ns = segment_start_ns(&s->recording->segment, &s->image),
		.duration_ns = image_duration_ns(&s->image),
	};
}

/* Folded stacks have one weight: the others write every metric. */
static int write_folded(FILE *out, struct report_subject *s, const struct settings *settings)
{
	const struct export e = describe_image(s, "");

	if (report_subject_weigh(s, settings_metric(settings), settings->tree) < 0)
		return -1;
	folded_write(out, &e, s->weight, false);
	return 0;
}

static int build_graph(struct site_graph *g, struct report_subject *s)
{
	if (site_graph_build(g, &s->image, &s->filter, (uint32_t)s->pid))
		return 0;
	site_graph_free(g);
	not_examined_warn(s, EXAMINED_HOLDERS);
	return -1;
}

static int write_graph(FILE *out, struct report_subject *s, const struct settings *settings)
{
	struct site_graph g;
	char *command;

	(void)settings;
	if (build_graph(&g, s) < 0)
		return -1;
	command = report_subject_command(s);
	site_graph_write_json(out, &g, &s->image, MEMUSAGE_VERSION, (uint32_t)s->pid, command);
	free(command);
	site_graph_free(&g);
	return 0;
}

static int write_dot(FILE *out, struct report_subject *s, const struct settings *settings)
{
	struct site_graph g;

	if (build_graph(&g, s) < 0)
		return -1;
	site_graph_write_dot(out, &g, settings->threshold);
	site_graph_free(&g);
	return 0;
}

/* A merge is a recording already. */
static int write_recording(FILE *out, struct report_subject *s, const struct settings *settings)
{
	const struct segment *segment = &s->recording->segment;

	if (!s->recording->merge) {
		warn("%s: is a recording: --to=recording is for what --merge makes",
		     s->recording->name);
		return -1;
	}
	fwrite(segment->base, 1, segment->size, out);
	return 0;
}

/* ---- from a massif.out -------------------------------------------------------------------- */

static void write_massif_callgrind(FILE *out, const struct massif_file *m,
				   const struct massif_snapshot *s)
{
	massif_to_callgrind(out, m, s, MEMUSAGE_VERSION);
}

/* Returns 0, or -1 after a warning. */
static int convert_massif_file(const struct report_job *job, const struct export_format *format,
			       const struct massif_file *m)
{
	const struct massif_snapshot *s = massif_peak(m);

	if (format->convert_massif) {
		format->convert_massif(report_job_begin(job), m);
		return 0;
	}
	if (!s) {
		warn("%s: no snapshot has a tree: there are no stacks to convert", job->in->name);
		return -1;
	}
	format->convert_massif_tree(report_job_begin(job), m, s);
	return 0;
}

/* ---- the table ---------------------------------------------------------------------------- */

static const struct export_format formats[] = {
	{
		.name = "massif",
		.write_image = massif_export,
		.convert_massif = massif_write,
	}, {
		.name = "folded",
		.write_image = write_folded,
		.convert_massif_tree = massif_to_folded,
	}, {
		.name = "callgrind",
		.write = callgrind_write,
		.convert_massif_tree = write_massif_callgrind,
	}, {
		.name = "json",
		.write = json_write,
		.convert_massif = massif_to_json,
		.has_arrays = true,
	}, {
		.name = "pprof",
		.write = pprof_write,
		.massif_lacks = "has neither addresses in files nor counts of blocks, which pprof "
				"needs: keep a recording (memusage --record), or use --to=folded "
				"or --to=callgrind",
	}, {
		.name = "dhat",
		.write_image = dhat_export,
	}, {
		.name = "speedscope",
		.write = speedscope_write,
		.massif_lacks = "has one tree, for which --to=folded is enough: speedscope reads "
				"that too",
	}, {
		.name = "perfetto",
		.write = perfetto_write,
	}, {
		.name = "graph",
		.write_image = write_graph,
		.massif_lacks = "does not say what holds blocks",
	}, {
		.name = "dot",
		.write_image = write_dot,
		.massif_lacks = "does not say what holds blocks",
	}, {
		.name = "recording",
		.write_image = write_recording,
		.massif_lacks = "cannot become a recording",
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

void export_formats_names(char *buffer, size_t size, const char *separator)
{
	size_t length = 0;

	*buffer = '\0';
	for (size_t i = 0; i < FORMAT_COUNT && length < size; i++)
		length += (size_t)snprintf(buffer + length, size - length, "%s%s",
					   i > 0 ? separator : "", formats[i].name);
}

/* ---- arrays ------------------------------------------------------------------------------ */

/* Documents of this run. The output is one for all files. */
static unsigned int documents;

static bool is_in_array(const struct settings *settings)
{
	return settings->file_count > 1 && !settings->merge &&
	       export_formats_find(settings->format)->has_arrays;
}

static void begin_document(FILE *out, const struct settings *settings)
{
	if (is_in_array(settings))
		fputs(documents == 0 ? "[\n" : ",\n", out);
	documents++;
}

void export_formats_end(FILE *out, const struct settings *settings)
{
	if (is_in_array(settings) && documents > 0)
		fputs("]\n", out);
}

int export_formats_write(FILE *out, struct report_subject *s, const struct settings *settings,
			 const struct process_list *list)
{
	const struct export_format *format = export_formats_find(settings->format);
	struct growth_range growth;
	struct export e;
	char *command;
	int result;

	begin_document(out, settings);
	if (format->write_image)
		return format->write_image(out, s, settings);
	command = report_subject_command(s);
	e = describe_image(s, command);
	e.processes = list;
	e.by_bytes = report_subject_counts_bytes(s);
	e.growth = &growth;
	result = growth_moments_find(&growth, s, settings);
	if (result == 0)
		format->write(out, &e);
	free(command);
	return result;
}

int export_formats_convert_massif(const struct report_job *job)
{
	const struct export_format *format = export_formats_find(job->settings->format);
	const char *type = file_type_name(job->in->kind);
	struct massif_file m;
	int result;

	if (!format->convert_massif && !format->convert_massif_tree) {
		if (format->massif_lacks)
			warn("%s: %s %s", job->in->name, type, format->massif_lacks);
		else
			warn("%s: this is %s: --to=%s does not suit it", job->in->name, type,
			     format->name);
		return -1;
	}
	result = massif_load(&m, job->in);
	if (m.count > 0)
		begin_document(report_job_begin(job), job->settings);
	if (m.count > 0 && convert_massif_file(job, format, &m) < 0)
		result = -1;
	massif_free(&m);
	return result;
}
