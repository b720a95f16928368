/* themed_picture.c -- Draws a picture in the light or dark theme from any input.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusagestat/themed_picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/version.h"
#include "cli/xmalloc.h"
#include "formats/page/page_foreign.h"
#include "formats/page/page_image.h"
#include "memusagestat/curve_chart.h"
#include "memusagestat/data_input.h"
#include "memusagestat/flame.h"
#include "memusagestat/histogram.h"
#include "memusagestat/input_file.h"
#include "memusagestat/recorded_process.h"
#include "profile/read/timeline.h"

enum { SNAPSHOTS_MIN = 2, BATCH = 8192, WIDTH = 1000, HEIGHT = 560, FLAME_WIDTH = 1200 };

struct themed_picture {
	const struct settings *settings;
	const struct theme *theme;
	struct input_file source;
	struct drawing drawing;
	char *command;
};

static struct point picture_size(const struct themed_picture *p, double width, double height)
{
	return (struct point){ p->settings->has_width ? p->settings->width : width,
			       p->settings->has_height ? p->settings->height : height };
}

static const char *picture_title(const struct themed_picture *p)
{
	return p->settings->title ? p->settings->title : p->command ? p->command :
	       p->source.name;
}

static void refuse_picture_kind(const struct themed_picture *p, const char *kind)
{
	die("%s: %s holds no %s", p->source.name, kind,
	    p->settings->kind == PICTURE_HISTOGRAM ? "sizes of blocks: use a recording" :
	    p->settings->kind == PICTURE_FLAME ? "call stacks: use a recording" :
						 "memory over time");
}

/* ---- flame graphs -------------------------------------------------------------------------- */

static const struct {
	const char *word, *what;
	enum page_metric metric;
} moments[] = {	/* in the order of the words of --flame */
	{ "peak", "live at the peak", PAGE_PEAK_BYTES },
	{ "end", "live at the end", PAGE_END_BYTES },
	{ "total", "allocated in total", PAGE_TOTAL_BYTES },
	{ "temporary", "were temporary", PAGE_TEMPORARY },
};

static void draw_flame_graph(struct themed_picture *p, const struct page_tree *tree,
			     const struct page_sites *sites)
{
	struct point size = picture_size(p, FLAME_WIDTH, 0);
	const struct flame f = {
		.tree = tree, .sites = sites, .metric = moments[p->settings->flame].metric,
		.title = picture_title(p), .what = moments[p->settings->flame].what,
		.width = size.x, .height = size.y,
	};

	if (!(sites->metrics >> f.metric & 1))
		die("%s: holds no figures for --flame=%s", p->source.name,
		    moments[p->settings->flame].word);
	flame_draw(&p->drawing, &f, p->theme);
}

/* ---- curves -------------------------------------------------------------------------------- */

/* Points of up to CURVE_CHART_LINES curves with one x. */
struct curve_points {
	double *x, *y[CURVE_CHART_LINES];
	size_t count;
};

static void curve_points_init(struct curve_points *p, size_t count)
{
	p->count = count;
	p->x = xcalloc(count + 1, sizeof(*p->x));
	for (int i = 0; i < CURVE_CHART_LINES; i++)
		p->y[i] = xcalloc(count + 1, sizeof(*p->y[i]));
}

static void curve_points_free(struct curve_points *p)
{
	free(p->x);
	for (int i = 0; i < CURVE_CHART_LINES; i++)
		free(p->y[i]);
}

static struct chart_curve make_chart_curve(const struct themed_picture *p,
					   const struct curve_points *from, int number,
					   const char *name)
{
	/* Dashes distinguish them where colours do not. */
	static const double dash[CURVE_CHART_LINES] = { 0, 5, 2, 9, 3 };
	static const int color[CURVE_CHART_LINES] = { 0, 8, 2, 12, 18 };

	return (struct chart_curve){
		.x = from->x, .y = from->y[number], .count = from->count, .name = name,
		.color = chart_color(p->theme, color[number]), .dash = dash[number],
		.is_filled = number == 0,
	};
}

static void draw_data_curves(struct themed_picture *p)
{
	struct dat_record *batch = xmalloc(BATCH * sizeof(*batch));
	struct page_dat *kept = xmalloc(sizeof(*kept));
	struct page_dat_point *all = xcalloc(PAGE_DAT_POINTS, sizeof(*all));
	const bool by_time = p->settings->by_time;
	struct curve_points points;
	const struct dat_info *info;
	struct data_input in;
	size_t n;

	data_input_open(&in, p->source.path);
	info = &in.dat.info;
	page_dat_init(kept, info);
	while ((n = data_input_read(&in, batch, BATCH)) > 0)
		page_dat_add(kept, batch, n);
	curve_points_init(&points, page_dat_points(kept, all));
	for (size_t i = 0; i < points.count; i++) {
		const struct dat_record *r = &all[i].record;
		uint64_t time = dat_time(r);

		points.x[i] = by_time ? (time > info->start ? (double)(time - info->start) : 0) :
					(double)all[i].number;
		points.y[0][i] = (double)r->heap;
		points.y[1][i] = (double)r->stack;
		points.y[2][i] = (double)r->heap + (double)r->stack;
	}
	struct curve_chart c = {
		.line = { make_chart_curve(p, &points, 0, "heap"),
			  make_chart_curve(p, &points, 2, "heap + stack") },
		.lines = p->settings->with_total ? 2 : 1,
		.stack = make_chart_curve(p, &points, 1, "stack"),
		.x_end = by_time ? (double)(info->end - info->start) : (double)info->records,
		.x_label = by_time && info->is_ns ? chart_time : chart_count,
		.x_what = !by_time ? "calls" : info->is_ns ? NULL : "ticks",
		.caption = !by_time ? "calls of malloc, free and others" :
			   info->is_ns ? "time" : "ticks of the processor clock",
		.title = picture_title(p),
	};
	c.stack.dash = 0;
	curve_chart_draw(&p->drawing, &c, p->theme, picture_size(p, WIDTH, HEIGHT));
	curve_points_free(&points);
	data_input_close(&in);
	free(all);
	free(kept);
	free(batch);
}

static double time_since(uint64_t start, uint64_t now)
{
	return now > start ? (double)(now - start) : 0;
}

/* Loads the points of the snapshots, and the end of the run, which may be long after the last. */
static void load_snapshot_points(struct curve_points *shots, const struct recorded_process *r)
{
	const uint64_t start = r->image.head.process.start_mono_ns;
	size_t count = image_count(&r->image, MU_SEC_SNAPSHOTS);
	double extra = 0;

	curve_points_init(shots, count + 1);
	for (size_t i = 0; i < count; i++) {
		struct mu_snapshot s = { .mono_ns = start };

		image_snapshot(&r->image, i, &s);
		extra = (double)s.extra;
		shots->x[i] = time_since(start, s.mono_ns);
		shots->y[0][i] = (double)s.heap;
		shots->y[1][i] = (double)s.heap + extra;
	}
	shots->x[count] = fmax((double)r->export.duration_ns, count ? shots->x[count - 1] : 0);
	shots->y[0][count] = (double)r->result.heap_now;
	shots->y[1][count] = (double)r->result.heap_now + extra;
}

/* The first snapshot is taken at the start, and the next one when the heap changes. */
static void check_snapshots(const struct themed_picture *p, const struct image *im)
{
	const uint64_t count = image_count(im, MU_SEC_SNAPSHOTS);

	if (count >= SNAPSHOTS_MIN)
		return;
	if (count == 0)
		die("%s: holds no snapshots over time: memusage --record takes them",
		    p->source.name);
	die("%s: the program %s: there is %d snapshot, of its start, and a picture over time "
	    "needs %d", p->source.name, im->head.end == MU_END_RUNNING ?
	    "has not changed its heap yet" : "ended too soon, without a change of its heap",
	    (int)count, SNAPSHOTS_MIN);
}

/* The heap and the rounding come from the snapshots, what the kernel saw from its samples. */
static void draw_recording_curves(struct themed_picture *p, const struct recorded_process *r)
{
	const struct image *im = &r->image;
	const uint64_t start = im->head.process.start_mono_ns;
	struct curve_points shots, samples;
	struct timeline t;

	check_snapshots(p, im);
	if (timeline_load(&t, im, NULL) < 0)
		xno_memory();
	load_snapshot_points(&shots, r);
	curve_points_init(&samples, t.count);
	for (size_t i = 0; i < samples.count; i++) {
		samples.x[i] = time_since(start, t.sample[i].mono_ns);
		samples.y[2][i] = (double)t.sample[i].rss_anon;
	}
	struct curve_chart c = {
		.line = { make_chart_curve(p, &shots, 0, "heap"),
			  make_chart_curve(p, &shots, 1, "with rounding and admin"),
			  make_chart_curve(p, &samples, 2, "resident, anonymous") },
		.lines = samples.count > 1 ? 3 : 2,
		.x_end = (double)r->export.duration_ns,
		.x_label = chart_time, .caption = "time", .title = picture_title(p),
	};
	curve_chart_draw(&p->drawing, &c, p->theme, picture_size(p, WIDTH, HEIGHT));
	curve_points_free(&shots);
	curve_points_free(&samples);
	timeline_free(&t);
}

static void draw_massif_curves(struct themed_picture *p, const struct massif_file *m)
{
	double unit = m->unit == MASSIF_MS ? 1e6 : 1; /* times are drawn in ns */
	struct curve_points points;

	curve_points_init(&points, m->count);
	for (size_t i = 0; i < m->count; i++) {
		const struct massif_snapshot *s = &m->snapshots[i];

		points.x[i] = (double)s->time * unit;
		points.y[0][i] = (double)s->heap;
		points.y[1][i] = (double)s->heap + (double)s->extra;
		points.y[2][i] = (double)massif_total(s);
	}
	struct curve_chart c = {
		.line = { make_chart_curve(p, &points, 0, "heap"),
			  make_chart_curve(p, &points, 1, "with rounding and admin"),
			  make_chart_curve(p, &points, 2, "with stacks") },
		.lines = m->count && m->snapshots[m->count - 1].stacks ? 3 : 2,
		.x_end = m->count ? (double)m->snapshots[m->count - 1].time * unit : 0,
		.x_label = m->unit == MASSIF_MS ? chart_time :
			   m->unit == MASSIF_BYTES ? chart_bytes : chart_count,
		.x_what = m->unit == MASSIF_MS ? NULL : m->unit == MASSIF_BYTES ?
			  "allocated and freed" : "instructions",
		.caption = m->unit == MASSIF_MS ? "time" :
			   m->unit == MASSIF_BYTES ? "bytes allocated and freed" :
						     "instructions",
		.title = picture_title(p),
	};
	curve_chart_draw(&p->drawing, &c, p->theme, picture_size(p, WIDTH, HEIGHT));
	curve_points_free(&points);
}

/* ---- kinds of input ------------------------------------------------------------------------ */

static bool hides_runtime(const struct themed_picture *p)
{
	return p->settings->runtime_frames == RUNTIME_HIDE;
}

static void draw_recording(struct themed_picture *p)
{
	struct recorded_process *r = xmalloc(sizeof(*r));
	struct page_image what;
	struct page_sites sites;

	recorded_process_open(r, p->source.path, p->settings);
	p->source.is_cut = r->segment.missing > 0;
	p->command = xstrdup(r->command);
	if (p->settings->kind == PICTURE_HISTOGRAM) {
		histogram_draw(&p->drawing, &r->result.counters, p->theme, picture_title(p),
			       picture_size(p, 800, 0));
	} else if (p->settings->kind == PICTURE_RUN) {
		draw_recording_curves(p, r);
	} else {
		what = (struct page_image){
			.export = &r->export, .segment = &r->segment.head, .result = &r->result,
		};
		if (hides_runtime(p))
			recorded_process_hide_runtime(r, p->settings);
		page_image_init(&what);
		sites = page_image_sites(&what);
		draw_flame_graph(p, &what.stacks.tree, &sites);
		page_image_free(&what);
	}
	recorded_process_close(r);
	free(r);
}

static void draw_massif_file(struct themed_picture *p)
{
	struct massif_file m;
	struct page_massif what;
	struct mu_error err;
	struct page_sites sites;

	if (p->settings->kind == PICTURE_HISTOGRAM)
		refuse_picture_kind(p, "a massif.out");
	input_file_read_massif(&p->source, &m);
	p->command = xstrdup(m.cmd);
	if (p->settings->kind == PICTURE_RUN) {
		draw_massif_curves(p, &m);
	} else {
		if (page_massif_init(&what, &m, hides_runtime(p), &err) < 0)
			die("%s: %s", p->source.name, err.text);
		sites = page_massif_sites(&what);
		draw_flame_graph(p, &what.stacks.tree, &sites);
		page_massif_free(&what);
	}
	massif_free(&m);
}

static void draw_dhat_file(struct themed_picture *p)
{
	struct dhat d;
	struct page_dhat what;
	struct mu_error err;
	struct page_sites sites;

	if (p->settings->kind != PICTURE_FLAME)
		refuse_picture_kind(p, "a profile of DHAT");
	input_file_read_dhat(&p->source, &d);
	p->command = xstrdup(d.command ? d.command : "");
	if (page_dhat_init(&what, &d, hides_runtime(p), &err) < 0)
		die("%s: %s", p->source.name, err.text);
	sites = page_dhat_sites(&what);
	draw_flame_graph(p, &what.stacks.tree, &sites);
	page_dhat_free(&what);
	dhat_free(&d);
}

static void draw_input(struct themed_picture *p)
{
	const enum input_kind kind = input_file_kind(&p->source);

	switch (kind) {
	case INPUT_RECORDING:
		draw_recording(p);
		return;
	case INPUT_MASSIF:
		draw_massif_file(p);
		return;
	case INPUT_DHAT:
		draw_dhat_file(p);
		return;
	default:	/* data_input_open() refuses unknown kinds, with the reason */
		if (p->settings->kind != PICTURE_RUN && kind == INPUT_DATA)
			refuse_picture_kind(p, "a data file");
		draw_data_curves(p);
	}
}

/* Returns whether glibc's graph cannot be made of this file. */
static bool needs_themed_picture(const char *input)
{
	const bool is_stdin = strcmp(input, "-") == 0;
	enum input_kind kind = INPUT_UNKNOWN;
	struct input_file s;
	struct stat st;

	/* A pipe is read only once, and errors are reported then. */
	if ((is_stdin ? fstat(STDIN_FILENO, &st) : stat(input, &st)) < 0 ||
	    !S_ISREG(st.st_mode) || st.st_size == 0 || (!is_stdin && access(input, R_OK) < 0))
		return false;
	input_file_open(&s, input);
	kind = input_file_kind(&s);
	input_file_close(&s);
	return kind == INPUT_RECORDING || kind == INPUT_MASSIF || kind == INPUT_DHAT;
}

bool themed_picture_is_wanted(const struct settings *settings)
{
	if (settings->kind != PICTURE_RUN || settings->theme == THEME_LIGHT ||
	    settings->theme == THEME_DARK)
		return true;
	if (settings->theme == THEME_CLASSIC)
		return false;
	return settings->format != DRAWING_PNG || needs_themed_picture(settings->input);
}

int themed_picture_run(const struct settings *settings)
{
	struct themed_picture p = {
		.settings = settings,
		.theme = theme_find(settings->theme == THEME_DARK ? "dark" : "light"),
	};
	const struct png_note notes[] = {
		{ "Title", settings->title },
		{ "Software", "memusagestat (memusage) " MEMUSAGE_VERSION },
	};
	struct output out;
	int result;

	input_file_open(&p.source, settings->input);
	input_file_check_output(p.source.fd, settings->output, "picture");
	draw_input(&p);
	result = output_open(&out, settings->output, p.command ? 0 : OUTPUT_PUBLIC);
	if (result == 0) {
		drawing_write(&p.drawing, &out, settings->format, notes, 2);
		result = output_close(&out);
	}
	drawing_fini(&p.drawing);
	input_file_close(&p.source);
	free(p.command);
	return p.source.is_cut ? -1 : result;
}
