/* pprof.c -- fuzz the reader of pprof's profiles: any content is read or refused, and what was read
 * makes sound stacks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/base/pprof_read.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "formats/stack_import.h"
#include "profile/compare/comparison.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int condition)
{
	if (!condition)
		abort();
}

static int read_from(struct pprof_file *p, const void *data, size_t size, struct mu_error *err)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC), result;
	struct textfile in;

	must(fd >= 0 && pwrite(fd, data, size, 0) == (ssize_t)size);
	must(textfile_open(&in, fd, err) == 0);
	result = pprof_read(p, &in, err);
	textfile_close(&in);
	close(fd);
	return result;
}

/* A file is the same as itself, whatever it holds. */
static void check_comparison(const struct filter *f, const struct weight *weight)
{
	const struct compare_side side[SIDES] = { { f, weight }, { f, weight } };
	struct comparison c;

	comparison_init(&c, side);
	for (uint32_t i = 0; i < f->profile->sites.count; i++)
		must(c.site[SIDE_OLD][i] == c.site[SIDE_NEW][i]);
	comparison_free(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pprof_file p;
	struct stack_import s;
	struct mu_error err = { 0 };
	struct weight *weight;

	if (read_from(&p, data, size, &err) == 0) {
		must(stack_import_pprof(&s, &p, NULL, &err) == 0);
		must(s.profile.sites.count == p.samples);
		weight = calloc((size_t)p.samples + 1, sizeof(*weight));
		must(weight != NULL);
		stack_import_weigh_samples(&p, METRIC_TOTAL, weight);
		check_comparison(stack_import_filter(&s, true, NULL), weight);
		free(weight);
		stack_import_free(&s);
	} else {
		must(err.text[0] != '\0');
	}
	pprof_free(&p);
	return 0;
}
