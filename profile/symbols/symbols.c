/* symbols.c -- names for code addresses: functions, files, lines, inlined calls.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/symbols/symbols.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "profile/base/array.h"
#include "profile/symbols/symbols_child.h"
#include "profile/symbols/symbols_read.h"

/* Limits of the memory that files can make us use. Beyond them addresses stay without names. */
enum {
	TEXT_LIMIT = 512 << 20,		/* bytes of different texts */
	LEVELS_LIMIT = 32 << 20,
	PROGRESS_EVERY = 256		/* requests */
};

struct resolving {
	struct symbols *s;
	const struct symbols_options *o;
	const struct symbols_job *job;
	const struct symbols_request *request;
	size_t done;
	size_t text_bytes;	/* of different texts */
};

static void reserve_levels(struct symbols *s, size_t count)
{
	array_reserve(&s->level, &s->level_room, s->level_count + count, sizeof(*s->level));
}

static uint32_t number_of_text(struct resolving *r, const char *text)
{
	uint32_t number, before = r->s->strings.count;
	size_t length = text ? strlen(text) : 0;

	if (length == 0 || length > TEXT_LIMIT - r->text_bytes)
		return 0;
	number = strings_add(&r->s->strings, text, length);
	if (r->s->strings.count > before)
		r->text_bytes += length;
	return number;
}

/* The position inside a text that a child sends is checked. */
static uint32_t base_of_raw_level(const struct raw_level *raw)
{
	return raw->file && raw->base < strlen(raw->file) ? raw->base : 0;
}

static void tell_progress(struct resolving *r)
{
	if (r->o->progress)
		r->o->progress(r->done, r->s->count, r->o->data);
}

static void store_found_levels(size_t request, const struct raw_level *raw, size_t count,
			       void *data)
{
	struct resolving *r = data;
	struct symbols *s = r->s;

	/* A child may tell of one twice: the first one stays. */
	if (s->symbol[request].count > 0 || count > LEVELS_LIMIT - s->level_count)
		return;
	reserve_levels(s, count);
	s->symbol[request] = (struct symbol){ .first = s->level_count, .count = (uint32_t)count };
	for (size_t i = 0; i < count; i++)
		s->level[s->level_count++] =
			(struct symbols_level){ .name = number_of_text(r, raw[i].name),
						.full = number_of_text(r, raw[i].full),
						.file = number_of_text(r, raw[i].file),
						.base = base_of_raw_level(&raw[i]),
						.line = raw[i].line };
	if (r->done++ % PROGRESS_EVERY == 0)
		tell_progress(r);
}

static void set_module_state(size_t job, enum symbols_state state, void *data)
{
	struct resolving *r = data;

	r->s->state[r->request[r->job[job].first].module] = (uint8_t)state;
	r->done = r->job[job].end;
	tell_progress(r);
}

/* One job per module that is asked for. Returns how many. */
static size_t cut_into_jobs(struct resolving *r, const struct symbols_module *module,
			    uint32_t modules, struct symbols_job *job)
{
	size_t count = 0, end;

	for (size_t first = 0; first < r->s->count; first = end) {
		uint32_t m = r->request[first].module;

		for (end = first; end < r->s->count && r->request[end].module == m; end++)
			;
		if (m < modules && count < modules)
			job[count++] = (struct symbols_job){ .module = &module[m],
							     .request = r->request,
							     .first = first,
							     .end = end,
							     .options = r->o,
							     .found = store_found_levels,
							     .data = r };
	}
	return count;
}

static int run_symbol_jobs(struct resolving *r, struct symbols_job *job, size_t count,
			   struct mu_error *err)
{
	r->job = job;
	if (!r->o->in_process)
		return symbols_child_run(job, count, set_module_state, err);
	for (size_t i = 0; i < count; i++)
		set_module_state(i, symbols_read(&job[i]), r);
	return 0;
}

int symbols_resolve(struct symbols *s, const struct symbols_module *module, uint32_t count,
		    const struct symbols_request *request, size_t requests,
		    const struct symbols_options *o, struct mu_error *err)
{
	static const struct symbols_options defaults;
	struct resolving r = { .s = s, .o = o ? o : &defaults, .request = request };
	struct symbols_job *job = xcalloc((size_t)count + 1, sizeof(*job));
	int result;

	*s = (struct symbols){ .count = requests, .modules = count };
	s->symbol = xcalloc(requests + 1, sizeof(*s->symbol));
	s->state = xcalloc((size_t)count + 1, 1);
	result = run_symbol_jobs(&r, job, cut_into_jobs(&r, module, count, job), err);
	free(job);
	return result;
}

void symbols_name(struct symbols *s, size_t request, const char *full)
{
	if (s->symbol[request].count > 0)
		return;
	reserve_levels(s, 1);
	s->symbol[request] = (struct symbol){ .first = s->level_count, .count = 1 };
	s->level[s->level_count++] = (struct symbols_level){
		.full = strings_add(&s->strings, full, strlen(full)) };
}

void symbols_free(struct symbols *s)
{
	strings_free(&s->strings);
	free(s->level);
	free(s->symbol);
	free(s->state);
	*s = (struct symbols){ .count = 0 };
}

const char *symbols_text(const struct symbols *s, uint32_t number)
{
	return strings_get(&s->strings, number);
}

const char *symbols_state_text(enum symbols_state state)
{
	switch (state) {
	case SYMBOLS_MISSING:
		return "no names: the file is not there";
	case SYMBOLS_OTHER_BUILD:
		return "no names: the file has changed since: its build-id differs";
	case SYMBOLS_DOUBTFUL:
		return "names may be wrong: the file was changed since, and has no build-id";
	case SYMBOLS_FAILED:
		return "no names: its symbols or debug information are damaged, or take too long "
		       "to read";
	case SYMBOLS_UNREAD:
	case SYMBOLS_READ:
		break;
	}
	return NULL;
}

static const char *strip_file_path(const struct symbols_place *place, const char *const *strip,
				   size_t count)
{
	if (!strip)
		return place->file + place->base;
	for (size_t i = 0; i < count; i++) {
		const char *at = strstr(place->file, strip[i]);

		if (at)
			return at + strlen(strip[i]);
	}
	return place->file;
}

void symbols_put_massif(FILE *out, const struct symbols_place *place, const char *const *strip,
			size_t count)
{
	fprintf(out, "0x%" PRIX64 ": %s", place->address, *place->name ? place->name : "???");
	if (*place->file)
		fprintf(out, " (%s:%" PRIu32 ")", strip_file_path(place, strip, count),
			place->line);
	else if (place->object && *place->object)
		fprintf(out, " (in %s)", place->object);
	else if (*place->name)
		fputs(" (in ??" "?)", out);
}
