/* dhat.c -- fuzz the reader of DHAT's profiles: any content is read or refused, what was read is
 * sound, and what is written of it is read again as the same.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/dhat.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "formats/stack_import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int condition)
{
	if (!condition)
		abort();
}

static int read_from(struct dhat *d, const void *data, size_t size, struct mu_error *err)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC), result;
	struct textfile in;

	must(fd >= 0 && pwrite(fd, data, size, 0) == (ssize_t)size);
	must(textfile_open(&in, fd, err) == 0);
	result = dhat_read(d, &in, err);
	textfile_close(&in);
	close(fd);
	return result;
}

static void check(const struct dhat *d)
{
	uint64_t blocks = 0;

	must(d->mode && d->verb && d->time_unit && d->time_mega && d->command);
	for (uint32_t i = 0; i < d->count; i++) {
		const struct dhat_point *p = &d->point[i];

		must(p->first_frame <= d->stacked_count &&
		     p->frames <= d->stacked_count - p->first_frame);
		must(!p->counts || (p->first_count <= d->access_count &&
				    p->counts <= d->access_count - p->first_count));
		for (uint32_t k = 0; k < p->frames; k++)
			must(*dhat_text(d, d->stacked[p->first_frame + k]) != '\0');
		blocks += p->total_blocks;
	}
	must(dhat_sum(d).total_blocks == blocks);
}

static void check_same(const struct dhat *a, const struct dhat *b)
{
	must(a->count == b->count && a->stacked_count == b->stacked_count);
	must(a->end_time == b->end_time && a->pid == b->pid);
	for (uint32_t i = 0; i < a->count; i++) {
		must(a->point[i].total_bytes == b->point[i].total_bytes);
		must(a->point[i].frames == b->point[i].frames);
		must(!a->has_accesses || a->point[i].counts == b->point[i].counts);
	}
}

/* Names that are no UTF-8 may become equal, and their points one. */
static void check_round_trip(const struct dhat *d)
{
	struct dhat again, third;
	struct mu_error err;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	dhat_write(out, d);
	must(fclose(out) == 0);
	must(read_from(&again, text, size, &err) == 0);
	must(again.count <= d->count);
	free(text);
	out = open_memstream(&text, &size);
	dhat_write(out, &again);
	must(fclose(out) == 0);
	must(read_from(&third, text, size, &err) == 0);
	check_same(&again, &third);
	dhat_free(&again);
	dhat_free(&third);
	free(text);
}

static void check_places(const struct dhat *d)
{
	struct stack_import stacks;
	struct mu_error err;

	must(stack_import_dhat(&stacks, d, NULL, &err) == 0);
	stack_import_filter(&stacks, true, NULL);
	must(stacks.profile.sites.count == d->count);
	must(stacks.program.profile.stack_count == d->count);
	stack_import_free(&stacks);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dhat d;
	struct mu_error err = { 0 };

	if (read_from(&d, data, size, &err) == 0) {
		check(&d);
		check_round_trip(&d);
		check_places(&d);
	} else {
		must(err.code != MU_ERROR_NONE && err.text[0]);
	}
	dhat_free(&d);
	return 0;
}
