/* dhat_read.c -- Reads a profile of DHAT.
 *
 * Points come before the table of frames that their numbers refer to, so these are checked at the
 * end. Usually every frame is in the table once; if not, all points are added again.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/dhat.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "formats/base/jsonread.h"
#include "profile/base/array.h"

enum {
	VERSION = 2,
	EXPANDED_MAX = 1 << 30	/* a run of 65536 counts takes ten bytes of the file */
};

struct dhat_reader {
	struct jsonread json;
	struct dhat *d;
	struct mu_error *err;
	uint64_t version;
	uint32_t seen;		/* bits of the keys of the file, by their row in keys[] */
	uint32_t all;		/* bits of the keys that every point has, by row in figures[] */
	uint32_t *frame;	/* of the point being read */
	uint32_t frames, frames_room;
	uint16_t *count;
	uint32_t counts;
	uint32_t *number;	/* of the table's frames in the pool */
	uint32_t numbers, numbers_room;
	uint32_t largest;	/* frame that a point has */
	uint64_t expanded;	/* access counts of all runs */
};

static int refuse_value(struct dhat_reader *r, const char *what)
{
	unsigned long long at = r->json.offset;

	return mu_error_set(r->err, MU_ERROR_FORMAT, at, "byte %llu: %s", at, what);
}

static enum json_token next_token(struct dhat_reader *r)
{
	return jsonread_next(&r->json, r->err);
}

/* ---- values ------------------------------------------------------------------------------ */

static int read_number_field(struct dhat_reader *r, enum json_token token, uint64_t *value)
{
	const struct jsonread *j = &r->json;

	if (token == JSON_ERROR)
		return -1;
	if (token != JSON_NUMBER || (j->is_negative && j->number < 0))
		return refuse_value(r, "not a number of something");
	if (j->is_whole)
		*value = j->magnitude;
	else if (j->number < 18446744073709551616.0)
		*value = (uint64_t)j->number;
	else
		return refuse_value(r, "too large a number");
	return 0;
}

static int read_text_field(struct dhat_reader *r, enum json_token token, char **field)
{
	if (token == JSON_ERROR)
		return -1;
	if (token != JSON_STRING)
		return refuse_value(r, "not a text");
	dhat_set(field, r->json.text);
	return 0;
}

static int read_bool_field(struct dhat_reader *r, enum json_token token, bool *field)
{
	if (token == JSON_ERROR)
		return -1;
	if (token != JSON_TRUE && token != JSON_FALSE)
		return refuse_value(r, "neither true nor false");
	*field = token == JSON_TRUE;
	return 0;
}

/* ---- points ------------------------------------------------------------------------------ */

static int read_frame_list(struct dhat_reader *r, enum json_token token)
{
	if (token != JSON_ARRAY)
		return token == JSON_ERROR ? -1 : refuse_value(r, "not a list of frames");
	r->frames = 0;
	while ((token = next_token(r)) != JSON_ARRAY_END) {
		uint64_t number;

		if (read_number_field(r, token, &number) < 0)
			return -1;
		if (number >= DHAT_FRAMES_MAX || r->frames >= DHAT_STACKED_MAX)
			return refuse_value(r, "too many frames");
		array_reserve(&r->frame, &r->frames_room, r->frames + 1, sizeof(*r->frame));
		r->frame[r->frames++] = (uint32_t)number;
		if (number > r->largest)
			r->largest = (uint32_t)number;
	}
	return 0;
}

/* A count, or the length of a run, negative, and its count. */
static int read_access_counts(struct dhat_reader *r, enum json_token token)
{
	uint64_t run = 1;

	if (token != JSON_ARRAY)
		return token == JSON_ERROR ? -1 : refuse_value(r, "not a list of access counts");
	r->counts = 0;
	while ((token = next_token(r)) != JSON_ARRAY_END) {
		const struct jsonread *j = &r->json;

		if (token == JSON_ERROR)
			return -1;
		if (token != JSON_NUMBER || !j->is_whole)
			return refuse_value(r, "not an access count");
		if (j->is_negative && run == 1 && j->magnitude > 0) {
			run = j->magnitude;
			continue;
		}
		if (j->is_negative || j->magnitude > DHAT_COUNT_MAX)
			return refuse_value(r, "too large an access count");
		if (run > DHAT_ACCESSES_MAX - r->counts)
			return refuse_value(r, "access counts of too large a block");
		r->expanded += run;
		if (r->expanded > EXPANDED_MAX)
			return refuse_value(r, "too many access counts");
		for (; run > 0; run--)
			r->count[r->counts++] = (uint16_t)j->magnitude;
		run = 1;
	}
	return run == 1 ? 0 : refuse_value(r, "a run of access counts without a count");
}

static const struct {
	const char *key;
	size_t offset;
} figures[] = {
	{ "tb", offsetof(struct dhat_point, total_bytes) },
	{ "tbk", offsetof(struct dhat_point, total_blocks) },
	{ "fs", 0 },
	{ "tl", offsetof(struct dhat_point, lifetimes) },
	{ "mb", offsetof(struct dhat_point, max_bytes) },
	{ "mbk", offsetof(struct dhat_point, max_blocks) },
	{ "gb", offsetof(struct dhat_point, peak_bytes) },
	{ "gbk", offsetof(struct dhat_point, peak_blocks) },
	{ "eb", offsetof(struct dhat_point, end_bytes) },
	{ "ebk", offsetof(struct dhat_point, end_blocks) },
	{ "rb", offsetof(struct dhat_point, read_bytes) },
	{ "wb", offsetof(struct dhat_point, written_bytes) },
};
enum {
	FIGURES = sizeof(figures) / sizeof(*figures),
	FRAMES_ROW = 2,
	ALWAYS = 0x7,		/* rows that every point has */
	WITH_LIFETIMES = 0x3f8,
	WITH_ACCESSES = 0xc00
};

static int read_point_member(struct dhat_reader *r, struct dhat_point *p, uint32_t *seen)
{
	size_t row = 0;
	bool is_counts;
	enum json_token token;

	while (row < FIGURES && strcmp(figures[row].key, r->json.text) != 0)
		row++;
	is_counts = row == FIGURES && strcmp(r->json.text, "acc") == 0;
	token = next_token(r);
	if (is_counts)
		return read_access_counts(r, token);
	if (row == FIGURES)
		return jsonread_skip(&r->json, token, r->err);
	*seen |= 1u << row;
	if (row == FRAMES_ROW)
		return read_frame_list(r, token);
	return read_number_field(r, token, (uint64_t *)((char *)p + figures[row].offset));
}

static int read_program_point(struct dhat_reader *r, enum json_token token)
{
	struct dhat_point p = { .total_bytes = 0 };
	struct dhat_stack stack;
	uint32_t seen = 0;

	if (token != JSON_OBJECT)
		return token == JSON_ERROR ? -1 : refuse_value(r, "not a program point");
	r->frames = r->counts = 0;
	while ((token = next_token(r)) == JSON_KEY) {
		if (read_point_member(r, &p, &seen) < 0)
			return -1;
	}
	if (token == JSON_ERROR)
		return -1;
	r->all &= seen;
	stack = (struct dhat_stack){ r->frame, r->frames, r->count, r->counts };
	return dhat_add(r->d, &p, &stack, r->err);
}

static int read_program_points(struct dhat_reader *r, enum json_token token)
{
	if (token != JSON_ARRAY)
		return token == JSON_ERROR ? -1 : refuse_value(r, "not a list of program points");
	while ((token = next_token(r)) != JSON_ARRAY_END) {
		if (read_program_point(r, token) < 0)
			return -1;
	}
	return 0;
}

static int read_frame_table(struct dhat_reader *r, enum json_token token)
{
	if (token != JSON_ARRAY)
		return token == JSON_ERROR ? -1 : refuse_value(r, "not a list of frames");
	while ((token = next_token(r)) != JSON_ARRAY_END) {
		if (token != JSON_STRING)
			return token == JSON_ERROR ? -1 :
						     refuse_value(r, "not the text of a frame");
		if (r->numbers > DHAT_FRAMES_MAX)
			return refuse_value(r, "too many frames");
		array_reserve(&r->number, &r->numbers_room, r->numbers + 1, sizeof(*r->number));
		/* Number 0 is the root, whatever the file calls it. */
		r->number[r->numbers] = r->numbers ? dhat_frame(r->d, r->json.text) : 0;
		r->numbers++;
	}
	return 0;
}

/* ---- the file ---------------------------------------------------------------------------- */

enum value_kind { TEXT, BOOL, NUMBER, VERSION_NUMBER, POINTS, TABLE };
enum need { OPTIONAL, NEEDED, NEEDED_WITH_LIFETIMES };

#define AT(field) offsetof(struct dhat, field)

static const struct {
	const char *key;
	size_t offset;
	enum value_kind kind;
	enum need need;
} keys[] = {
	{ "dhatFileVersion", 0, VERSION_NUMBER, NEEDED },
	{ "mode", AT(mode), TEXT, NEEDED },
	{ "verb", AT(verb), TEXT, NEEDED },
	{ "bklt", AT(has_lifetimes), BOOL, NEEDED },
	{ "bkacc", AT(has_accesses), BOOL, NEEDED },
	{ "bu", AT(byte), TEXT, OPTIONAL },
	{ "bsu", AT(bytes), TEXT, OPTIONAL },
	{ "bksu", AT(blocks), TEXT, OPTIONAL },
	{ "tu", AT(time_unit), TEXT, NEEDED },
	{ "Mtu", AT(time_mega), TEXT, NEEDED },
	{ "tuth", AT(short_lived), NUMBER, NEEDED_WITH_LIFETIMES },
	{ "cmd", AT(command), TEXT, NEEDED },
	{ "pid", AT(pid), NUMBER, NEEDED },
	{ "te", AT(end_time), NUMBER, NEEDED },
	{ "tg", AT(peak_time), NUMBER, NEEDED_WITH_LIFETIMES },
	{ "pps", 0, POINTS, NEEDED },
	{ "ftbl", 0, TABLE, NEEDED },
};
enum { KEYS = sizeof(keys) / sizeof(*keys) };

static int read_file_version(struct dhat_reader *r, enum json_token token)
{
	if (read_number_field(r, token, &r->version) < 0)
		return -1;
	if (r->version == VERSION)
		return 0;
	return mu_error_set(r->err, MU_ERROR_VERSION, 0,
			    "version %llu of DHAT's format is not known, only %d",
			    (unsigned long long)r->version, VERSION);
}

static int read_profile_key(struct dhat_reader *r)
{
	enum json_token token;
	size_t row = 0;
	void *field;

	while (row < KEYS && strcmp(keys[row].key, r->json.text) != 0)
		row++;
	if (row < KEYS && r->seen & 1u << row)
		return refuse_value(r, "the same key once more");
	token = next_token(r);
	if (row == KEYS)
		return jsonread_skip(&r->json, token, r->err);
	r->seen |= 1u << row;
	field = (char *)r->d + keys[row].offset;
	switch (keys[row].kind) {
	case TEXT:
		return read_text_field(r, token, field);
	case BOOL:
		return read_bool_field(r, token, field);
	case NUMBER:
		return read_number_field(r, token, field);
	case VERSION_NUMBER:
		return read_file_version(r, token);
	case POINTS:
		return read_program_points(r, token);
	default:
		return read_frame_table(r, token);
	}
}

static int refuse_missing_key(struct dhat_reader *r, const char *key)
{
	return mu_error_set(r->err, MU_ERROR_FORMAT, 0, "the key \"%s\" is missing", key);
}

static int check_profile(struct dhat_reader *r)
{
	const struct dhat *d = r->d;
	uint32_t need = ALWAYS | (d->has_lifetimes ? WITH_LIFETIMES : 0) |
			(d->has_accesses ? WITH_ACCESSES : 0);

	for (size_t i = 0; i < KEYS; i++) {
		if (!(r->seen & 1u << i) &&
		    (keys[i].need == NEEDED ||
		     (keys[i].need == NEEDED_WITH_LIFETIMES && d->has_lifetimes)))
			return refuse_missing_key(r, keys[i].key);
	}
	for (size_t i = 0; i < FIGURES; i++) {
		if (need & 1u << i && !(r->all & 1u << i))
			return refuse_missing_key(r, figures[i].key);
	}
	if (d->count > 0 && r->largest >= r->numbers && r->largest > 0)
		return mu_error_set(r->err, MU_ERROR_FORMAT, 0,
				    "a program point has frame %u, but there are only %u",
				    r->largest, r->numbers);
	return 0;
}

/* Points whose frames have other numbers now are added to another profile, which merges them. */
static int renumber_frames(struct dhat_reader *r)
{
	struct dhat *d = r->d, other = *d;
	int result = 0;

	d->point = NULL;
	d->stacked = NULL;
	d->access = NULL;
	d->slot = NULL;
	d->count = d->stacked_count = d->access_count = 0;
	d->room = d->stacked_room = d->access_room = d->slots = 0;
	for (uint32_t i = 0; result == 0 && i < other.count; i++) {
		const struct dhat_point *p = &other.point[i];
		uint32_t *frame = p->frames ? other.stacked + p->first_frame : NULL;
		struct dhat_stack stack = { .frame = frame, .frames = p->frames,
					    .counts = p->counts };

		if (p->counts)
			stack.count = other.access + p->first_count;
		for (uint32_t k = 0; k < p->frames; k++)
			frame[k] = r->number[frame[k]];
		result = dhat_add(d, p, &stack, r->err);
	}
	free(other.point);
	free(other.stacked);
	free(other.access);
	free(other.slot);
	return result;
}

static int settle_frame_numbers(struct dhat_reader *r)
{
	if (check_profile(r) < 0)
		return -1;
	for (uint32_t i = 0; i < r->numbers; i++) {
		if (r->number[i] != i)
			return renumber_frames(r);
	}
	return 0;
}

static int read_profile(struct dhat_reader *r)
{
	enum json_token token = next_token(r);

	if (token == JSON_ERROR)
		return -1;
	if (token != JSON_OBJECT)
		return refuse_value(r, "not a profile of DHAT");
	while ((token = next_token(r)) == JSON_KEY) {
		if (read_profile_key(r) < 0)
			return -1;
	}
	if (token == JSON_ERROR || next_token(r) == JSON_ERROR)
		return -1;
	return settle_frame_numbers(r);
}

int dhat_read(struct dhat *d, struct textfile *in, struct mu_error *err)
{
	struct dhat_reader r = { .d = d, .err = err, .all = UINT32_MAX };
	int result;

	*d = (struct dhat){ .count = 0 };
	jsonread_open(&r.json, in);
	r.count = xreallocarray(NULL, DHAT_ACCESSES_MAX, sizeof(*r.count));
	result = read_profile(&r);
	jsonread_close(&r.json);
	free(r.frame);
	free(r.count);
	free(r.number);
	return result;
}
