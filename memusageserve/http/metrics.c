/* metrics.c -- The figures of all processes for Prometheus.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageserve/http/metrics.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/version.h"
#include "formats/base/utf8.h"
#include "formats/json_run.h"
#include "profile/read/site_errors.h"

/* A figure of one process. *IS_KNOWN is true before the call. */
typedef double metric_fn(const struct look_process *p, bool *is_known);

struct metric {
	const char *name;	/* without "memusage_" and, of a counter, "_total" */
	const char *unit;	/* the end of the name, or NULL */
	const char *help;
	bool is_counter;
	metric_fn *value;
};

/* ---- figures ------------------------------------------------------------------------------- */

static double heap(const struct look_process *p, bool *is_known)
{
	return (double)p->result.heap_now;
}

static struct sampled_interval peak_interval(const struct look_process *p, bool *is_known)
{
	*is_known = p->result.sample_distance > 0;
	return sampled_bytes_interval(&p->result.errors.peak, (double)p->result.heap_peak,
				      p->result.sample_distance);
}

static double peak_low(const struct look_process *p, bool *is_known)
{
	return peak_interval(p, is_known).low;
}

static double peak_high(const struct look_process *p, bool *is_known)
{
	return peak_interval(p, is_known).high;
}

static double heap_peak(const struct look_process *p, bool *is_known)
{
	return (double)p->result.heap_peak;
}

static struct sampled_interval heap_interval(const struct look_process *p, bool *is_known)
{
	*is_known = p->result.sample_distance > 0;
	return sampled_bytes_interval(&p->result.errors.live, (double)p->result.heap_now,
				      p->result.sample_distance);
}

static double heap_low(const struct look_process *p, bool *is_known)
{
	return heap_interval(p, is_known).low;
}

static double heap_high(const struct look_process *p, bool *is_known)
{
	return heap_interval(p, is_known).high;
}

static double live_blocks(const struct look_process *p, bool *is_known)
{
	const struct sites *s = &p->profile.sites;
	int64_t sum = 0;

	*is_known = p->image.head.features & MU_FEATURE(MU_SEC_CELLS);
	for (uint32_t i = 0; i < s->count; i++) {
		if (sites_is_counted(&s->site[i]))
			sum += s->site[i].live_blocks;
	}
	return sum > 0 ? (double)sum : 0;
}

static struct sampled_interval blocks_interval(const struct look_process *p, bool *is_known)
{
	const double blocks = live_blocks(p, is_known);

	*is_known = *is_known && p->result.sample_distance > 0;
	return sampled_blocks_interval(&p->result.errors.live, blocks);
}

static double blocks_low(const struct look_process *p, bool *is_known)
{
	return floor(blocks_interval(p, is_known).low);
}

static double blocks_high(const struct look_process *p, bool *is_known)
{
	return ceil(blocks_interval(p, is_known).high);
}

static double requested(const struct look_process *p, bool *is_known)
{
	return (double)counters_heap_total(&p->result.counters);
}

/* The last sample of the timeline, or NULL. */
static const struct mu_sample *last_sample(const struct look_process *p, struct timeline *t,
					   bool *is_known)
{
	*is_known = timeline_load(t, &p->image, NULL) == 0 && t->count > 0;
	return *is_known ? &t->sample[t->count - 1] : NULL;
}

static double resident(const struct look_process *p, bool *is_known)
{
	struct timeline t;
	const struct mu_sample *last = last_sample(p, &t, is_known);
	double value = last ? (double)timeline_resident(last) : 0;

	timeline_free(&t);
	return value;
}

static double resident_peak(const struct look_process *p, bool *is_known)
{
	*is_known = p->result.rss_peak > 0;
	return (double)p->result.rss_peak;
}

static struct memory_split split_now(const struct look_process *p, bool *is_known)
{
	struct memory_split split = { .resident = 0 };
	struct timeline t;

	if (last_sample(p, &t, is_known))
		timeline_split(&t, t.count - 1, &split);
	timeline_free(&t);
	return split;
}

static double stacks(const struct look_process *p, bool *is_known)
{
	return (double)split_now(p, is_known).stacks;
}

static double recorder_memory(const struct look_process *p, bool *is_known)
{
	return (double)split_now(p, is_known).recorder;
}

static double stack_peak(const struct look_process *p, bool *is_known)
{
	return (double)p->result.stack_peak;
}

static double recorder_seconds(const struct look_process *p, bool *is_known)
{
	*is_known = p->result.sample_distance > 0;
	return (double)p->image.head.sampling.slow_ns / 1e9;
}

static double sample_distance(const struct look_process *p, bool *is_known)
{
	*is_known = p->result.sample_distance > 0;
	return p->result.sample_distance;
}

static double samples(const struct look_process *p, bool *is_known)
{
	*is_known = p->result.sample_distance > 0;
	return (double)p->result.samples;
}

static double lost_samples(const struct look_process *p, bool *is_known)
{
	*is_known = p->result.sample_distance > 0;
	return (double)p->result.sample_losses;
}

static double threads(const struct look_process *p, bool *is_known)
{
	return (double)p->image.head.heap.threads;
}

static double start_time(const struct look_process *p, bool *is_known)
{
	*is_known = p->export.start_real_ns > 0;
	return (double)p->export.start_real_ns / 1e9;
}

static double is_recording(const struct look_process *p, bool *is_known)
{
	const struct mu_image *head = &p->image.head;

	return head->stopped || (head->recorded.began_asleep && head->recorded.starts == 0) ? 0 : 1;
}

static const struct metric metrics[] = {
	{ "heap_bytes", "bytes", "Bytes of all blocks that are live", false, heap },
	{ "heap_low_bytes", "bytes", "With samples: lower 95 % bound of heap_bytes", false,
	  heap_low },
	{ "heap_high_bytes", "bytes", "With samples: upper 95 % bound of heap_bytes", false,
	  heap_high },
	{ "heap_blocks", NULL, "Blocks that are live", false, live_blocks },
	{ "heap_low_blocks", NULL, "With samples: lower 95 % bound of heap_blocks", false,
	  blocks_low },
	{ "heap_high_blocks", NULL, "With samples: upper 95 % bound of heap_blocks", false,
	  blocks_high },
	{ "heap_peak_bytes", "bytes", "Largest heap_bytes so far", false, heap_peak },
	{ "heap_peak_low_bytes", "bytes", "With samples: lower 95 % bound of heap_peak_bytes",
	  false, peak_low },
	{ "heap_peak_high_bytes", "bytes", "With samples: upper 95 % bound of heap_peak_bytes",
	  false, peak_high },
	{ "requested_bytes", "bytes", "Bytes that the program has asked for in all", true,
	  requested },
	{ "resident_bytes", "bytes", "Resident memory (RSS), the recorder's included", false,
	  resident },
	{ "resident_peak_bytes", "bytes", "Most resident memory so far", false, resident_peak },
	{ "stacks_bytes", "bytes", "Resident memory of stacks", false, stacks },
	{ "stack_peak_bytes", "bytes", "Deepest stack of a thread so far", false, stack_peak },
	{ "threads", NULL, "Threads that have allocated and run", false, threads },
	{ "start_time_seconds", "seconds", "Start of the process since 1970", false, start_time },
	{ "recording", NULL, "1: the process is recorded; 0: it is asleep or paused", false,
	  is_recording },
	{ "recorder_bytes", "bytes", "Resident memory that would not be there without memusage",
	  false, recorder_memory },
	{ "recorder_cpu_seconds", "seconds", "With samples: time that recording them took, about",
	  true, recorder_seconds },
	{ "sample_distance_bytes", "bytes", "With samples: mean bytes between two of them", false,
	  sample_distance },
	{ "samples", NULL, "With samples: blocks that were recorded", true, samples },
	{ "samples_lost", NULL, "With samples: blocks that could not be recorded", true,
	  lost_samples },
};

/* ---- text ---------------------------------------------------------------------------------- */

/* In both forms only these characters of a label are special. */
static void put_label_text(FILE *out, const char *text)
{
	char *clean = utf8_clean(text, "");

	for (const char *c = clean; *c; c++) {
		if (*c == '"' || *c == '\\')
			fputc('\\', out);
		fputc(*c, out);
	}
	free(clean);
}

static void put_labels(FILE *out, const struct look_process *p)
{
	fprintf(out, "pid=\"%d\",process=\"", (int)p->pid);
	put_label_text(out, p->result.name);
	fputc('"', out);
}

/* OpenMetrics names the family of a counter without "_total", Prometheus with it. */
static void put_family(FILE *out, const char *name, const char *unit, const char *help,
		       bool is_counter, bool is_openmetrics)
{
	const char *end = is_counter && !is_openmetrics ? "_total" : "";

	fprintf(out, "# TYPE memusage_%s%s %s\n", name, end, is_counter ? "counter" : "gauge");
	if (is_openmetrics && unit)
		fprintf(out, "# UNIT memusage_%s %s\n", name, unit);
	fprintf(out, "# HELP memusage_%s%s %s.\n", name, end, help);
}

static void put_metric(FILE *out, const struct look *l, const struct metric *m, bool is_openmetrics)
{
	bool has_family = false;

	for (size_t i = 0; i < l->count; i++) {
		const struct look_process *p = l->process[i];
		bool is_known = true;
		const double value = m->value(p, &is_known);

		if (!is_known)
			continue;
		if (!has_family)
			put_family(out, m->name, m->unit, m->help, m->is_counter, is_openmetrics);
		has_family = true;
		fprintf(out, "memusage_%s%s{", m->name, m->is_counter ? "_total" : "");
		put_labels(out, p);
		fprintf(out, "} %.17g\n", value);
	}
}

/* Calls by function. */
static void put_calls(FILE *out, const struct look *l, bool is_openmetrics, const char *name,
		      const char *help, size_t offset)
{
	put_family(out, name, NULL, help, true, is_openmetrics);
	for (size_t i = 0; i < l->count; i++) {
		const struct look_process *p = l->process[i];
		const uint64_t *value = (const uint64_t *)(const void *)
			((const char *)&p->result.counters + offset);

		for (int fn = 0; fn < MU_FN_COUNT; fn++) {
			fprintf(out, "memusage_%s_total{", name);
			put_labels(out, p);
			fprintf(out, ",function=\"%s\"} %" PRIu64 "\n", json_function_name(fn),
				value[fn]);
		}
	}
}

static void put_push_count(FILE *out, const char *name, const char *unit, const char *help,
			   uint64_t value, bool is_openmetrics)
{
	put_family(out, name, unit, help, true, is_openmetrics);
	fprintf(out, "memusage_%s_total %" PRIu64 "\n", name, value);
}

static void put_pushes(FILE *out, const struct push_counts *c, bool is_openmetrics)
{
	put_push_count(out, "push_profiles_sent", NULL, "Profiles that the server of --push took",
		       c->sent, is_openmetrics);
	put_push_count(out, "push_retries", NULL, "Times that it did not, and is asked again",
		       c->retries, is_openmetrics);
	put_push_count(out, "push_profiles_dropped", NULL, "Profiles that it refused", c->dropped,
		       is_openmetrics);
	put_push_count(out, "push_dropped_bytes", "bytes", "Bytes allocated in their time",
		       c->dropped_bytes, is_openmetrics);
	put_push_count(out, "push_profiles_failed", NULL, "Profiles that could not be made",
		       c->failed, is_openmetrics);
	put_push_count(out, "push_intervals_merged", NULL,
		       "Intervals that are in the next profile, since too many waited", c->merged,
		       is_openmetrics);
	put_family(out, "push_profiles_waiting", NULL, "Profiles that wait for the server", false,
		   is_openmetrics);
	fprintf(out, "memusage_push_profiles_waiting %" PRIu64 "\n", c->waiting);
}

void metrics_write(FILE *out, const struct look *l, const struct push_counts *pushes,
		   bool is_openmetrics)
{
	put_family(out, "build_info", NULL, "Version of memusage", false, is_openmetrics);
	fprintf(out, "memusage_build_info{version=\"%s\"} 1\n", MEMUSAGE_VERSION);
	put_family(out, "processes", NULL, "Processes that are recorded now", false,
		   is_openmetrics);
	fprintf(out, "memusage_processes %zu\n", l->count);
	for (size_t i = 0; i < sizeof(metrics) / sizeof(*metrics); i++)
		put_metric(out, l, &metrics[i], is_openmetrics);
	put_calls(out, l, is_openmetrics, "calls", "Calls of functions that allocate or free",
		  offsetof(struct counters, calls));
	put_calls(out, l, is_openmetrics, "failed_calls", "Calls that returned no memory",
		  offsetof(struct counters, failed));
	if (pushes)
		put_pushes(out, pushes, is_openmetrics);
	if (is_openmetrics)
		fputs("# EOF\n", out);
}
