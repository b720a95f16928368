/* dat.c -- fuzz the reader of data files: any content is read or refused, and what is said
 * about the whole agrees with the records.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/dat.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int condition)
{
	if (!condition)
		abort();
}

/* Read to the end in batches of BATCH; the number of events, or -1. */
static int64_t read_all(struct dat_reader *r, size_t batch, int is_first)
{
	struct dat_record record[32];
	struct mu_error err;
	int64_t count = 0;
	ssize_t n;

	while ((n = dat_read(r, record, batch, &err)) > 0) {
		must((size_t)n <= batch);
		count += n;
		for (ssize_t i = 0; i < n && !is_first; i++) {
			must(record[i].heap <= r->info.heap_peak);
			must(record[i].stack <= r->info.stack_peak);
			must(record[i].heap + record[i].stack <= r->info.total_peak);
		}
	}
	return n < 0 ? -1 : count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	struct dat_reader r;
	struct mu_error err = { 0 };

	if (fd < 0)
		fd = memfd_create("fuzz", MFD_CLOEXEC);
	must(ftruncate(fd, 0) == 0 && pwrite(fd, data, size, 0) == (ssize_t)size);
	if (dat_open(&r, fd, &err) < 0) {
		must(err.code == MU_ERROR_FORMAT || err.code == MU_ERROR_TRUNCATED);
		must(err.offset <= size && err.text[0]);
		return 0;
	}
	must(r.info.records == size / 24 - 2 && r.info.cut_bytes == size % 24);
	must(read_all(&r, 32, 1) == (int64_t)r.info.records);
	must(r.info.start <= r.info.end && r.info.backward <= r.info.records);
	dat_rewind(&r);
	must(read_all(&r, 3, 0) == (int64_t)r.info.records);
	return 0;
}
