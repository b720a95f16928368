/* dhat_write.c -- write a profile as DHAT does: JSON, commas in front.
 *
 * Source  files of Valgrind 3.19; the keys and what they mean are in dhat.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/dhat.h"

#include <inttypes.h>

#include "formats/json.h"

static void put_text(FILE *out, const char *before, const char *key, const char *text)
{
	fprintf(out, "%s\"%s\":", before, key);
	json_put_string(out, text);
}

static void put_bool(FILE *out, const char *key, bool value)
{
	fprintf(out, ",\"%s\":%s", key, value ? "true" : "false");
}

static void put_number(FILE *out, const char *key, uint64_t value)
{
	fprintf(out, ",\"%s\":%" PRIu64 "\n", key, value);
}

static void put_pair(FILE *out, const char *key, uint64_t bytes, uint64_t blocks)
{
	fprintf(out, "  ,\"%sb\":%" PRIu64 ",\"%sbk\":%" PRIu64 "\n", key, bytes, key, blocks);
}

/* A run of equal counts is its length, negative, and the count. */
static void put_counts(FILE *out, const uint16_t *count, uint32_t counts)
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

static void put_stack(FILE *out, const struct dhat *d, const struct dhat_point *p)
{
	fputs("  ,\"fs\":[", out);
	for (uint32_t i = 0; i < p->frames; i++)
		fprintf(out, "%s%" PRIu32, i ? "," : "", d->stacked[p->first_frame + i]);
	fputs("]\n  }\n", out);
}

static void put_point(FILE *out, const struct dhat *d, const struct dhat_point *p)
{
	fprintf(out, "{\"tb\":%" PRIu64 ",\"tbk\":%" PRIu64 "\n", p->total_bytes,
		p->total_blocks);
	if (d->has_lifetimes) {
		fprintf(out, "  ,\"tl\":%" PRIu64 "\n", p->lifetimes);
		put_pair(out, "m", p->max_bytes, p->max_blocks);
		put_pair(out, "g", p->peak_bytes, p->peak_blocks);
		put_pair(out, "e", p->end_bytes, p->end_blocks);
	}
	if (d->has_accesses) {
		fprintf(out, "  ,\"rb\":%" PRIu64 ",\"wb\":%" PRIu64 "\n", p->read_bytes,
			p->written_bytes);
		if (p->counts)
			put_counts(out, d->access + p->first_count, p->counts);
	}
	put_stack(out, d, p);
}

static void put_head(FILE *out, const struct dhat *d)
{
	fputs("{\"dhatFileVersion\":2\n", out);
	put_text(out, ",", "mode", d->mode);
	put_text(out, ",", "verb", d->verb);
	putc('\n', out);
	put_bool(out, "bklt", d->has_lifetimes);
	put_bool(out, "bkacc", d->has_accesses);
	putc('\n', out);
	if (d->byte && d->bytes && d->blocks) {
		put_text(out, ",", "bu", d->byte);
		put_text(out, ",", "bsu", d->bytes);
		put_text(out, ",", "bksu", d->blocks);
		putc('\n', out);
	}
	put_text(out, ",", "tu", d->time_unit);
	put_text(out, ",", "Mtu", d->time_mega);
	putc('\n', out);
	if (d->has_lifetimes)
		put_number(out, "tuth", d->short_lived);
	put_text(out, ",", "cmd", d->command);
	putc('\n', out);
	put_number(out, "pid", d->pid);
	put_number(out, "te", d->end_time);
	if (d->has_lifetimes)
		put_number(out, "tg", d->peak_time);
}

/* Numbers of frames are those of the pool: they were given when a stack first had them. */
void dhat_write(FILE *out, const struct dhat *d)
{
	put_head(out, d);
	fputs(",\"pps\":\n [", out);
	for (uint32_t i = 0; i < d->count; i++) {
		fputs(i ? " ," : "", out);
		put_point(out, d, &d->point[i]);
	}
	fputs(" ]\n,\"ftbl\":\n [\"[root]\"\n", out);
	for (uint32_t i = 1; i <= d->frame.count; i++) {
		fputs(" ,", out);
		json_put_string(out, dhat_text(d, i));
		putc('\n', out);
	}
	fputs(" ]\n}\n", out);
}
