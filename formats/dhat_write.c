/* dhat_write.c -- write a profile as DHAT does: JSON, commas in front.
 *
 * Source  files of Valgrind 3.19; the keys and what they mean are in dhat.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/dhat.h"

#include <inttypes.h>

#include "formats/json.h"

static void write_text_field(FILE *out, const char *before, const char *key, const char *text)
{
	fprintf(out, "%s\"%s\":", before, key);
	json_put_string(out, text);
}

static void write_bool_field(FILE *out, const char *key, bool value)
{
	fprintf(out, ",\"%s\":%s", key, value ? "true" : "false");
}

static void write_number_field(FILE *out, const char *key, uint64_t value)
{
	fprintf(out, ",\"%s\":%" PRIu64 "\n", key, value);
}

static void write_size_pair(FILE *out, const char *key, uint64_t bytes, uint64_t blocks)
{
	fprintf(out, "  ,\"%sb\":%" PRIu64 ",\"%sbk\":%" PRIu64 "\n", key, bytes, key, blocks);
}

/* A run of equal counts is its length, negative, and the count. */
static void write_access_counts(FILE *out, const uint16_t *count, uint32_t counts)
{
	fputs("  ,\"acc\":[", out);
	for (uint32_t i = 0, next; i < counts; i = next) {
		for (next = i + 1; next < counts && count[next] == count[i];)
			next++;
		fputs(i ? "," : "", out);
		if (next - i > 1)
			fprintf(out, "-%" PRIu32 ",", next - i);
		fprintf(out, "%u", (unsigned int)count[i]);
	}
	fputs("]\n", out);
}

static void write_frame_list(FILE *out, const struct dhat *d, const struct dhat_point *p)
{
	fputs("  ,\"fs\":[", out);
	for (uint32_t i = 0; i < p->frames; i++)
		fprintf(out, "%s%" PRIu32, i ? "," : "", d->stacked[p->first_frame + i]);
	fputs("]\n  }\n", out);
}

static void write_program_point(FILE *out, const struct dhat *d, const struct dhat_point *p)
{
	fprintf(out, "{\"tb\":%" PRIu64 ",\"tbk\":%" PRIu64 "\n", p->total_bytes,
		p->total_blocks);
	if (d->has_lifetimes) {
		fprintf(out, "  ,\"tl\":%" PRIu64 "\n", p->lifetimes);
		write_size_pair(out, "m", p->max_bytes, p->max_blocks);
		write_size_pair(out, "g", p->peak_bytes, p->peak_blocks);
		write_size_pair(out, "e", p->end_bytes, p->end_blocks);
	}
	if (d->has_accesses) {
		fprintf(out, "  ,\"rb\":%" PRIu64 ",\"wb\":%" PRIu64 "\n", p->read_bytes,
			p->written_bytes);
		if (p->counts)
			write_access_counts(out, d->access + p->first_count, p->counts);
	}
	write_frame_list(out, d, p);
}

static void write_profile_head(FILE *out, const struct dhat *d)
{
	fputs("{\"dhatFileVersion\":2\n", out);
	write_text_field(out, ",", "mode", d->mode);
	write_text_field(out, ",", "verb", d->verb);
	putc('\n', out);
	write_bool_field(out, "bklt", d->has_lifetimes);
	write_bool_field(out, "bkacc", d->has_accesses);
	putc('\n', out);
	if (d->byte && d->bytes && d->blocks) {
		write_text_field(out, ",", "bu", d->byte);
		write_text_field(out, ",", "bsu", d->bytes);
		write_text_field(out, ",", "bksu", d->blocks);
		putc('\n', out);
	}
	write_text_field(out, ",", "tu", d->time_unit);
	write_text_field(out, ",", "Mtu", d->time_mega);
	putc('\n', out);
	if (d->has_lifetimes)
		write_number_field(out, "tuth", d->short_lived);
	write_text_field(out, ",", "cmd", d->command);
	putc('\n', out);
	write_number_field(out, "pid", d->pid);
	write_number_field(out, "te", d->end_time);
	if (d->has_lifetimes)
		write_number_field(out, "tg", d->peak_time);
}

/* Numbers of frames are those of the pool: they were given when a stack first had them. */
void dhat_write(FILE *out, const struct dhat *d)
{
	write_profile_head(out, d);
	fputs(",\"pps\":\n [", out);
	for (uint32_t i = 0; i < d->count; i++) {
		fputs(i ? " ," : "", out);
		write_program_point(out, d, &d->point[i]);
	}
	fputs(" ]\n,\"ftbl\":\n [\"[root]\"\n", out);
	for (uint32_t i = 1; i <= d->frame.count; i++) {
		fputs(" ,", out);
		json_put_string(out, dhat_text(d, i));
		putc('\n', out);
	}
	fputs(" ]\n}\n", out);
}
