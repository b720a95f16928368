/* largefile.c -- a growing file that spares the disk's allocator and the page cache.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/largefile.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

/* Files below this are left to the kernel. */
#define LARGE (UINT64_C(4) << 20)

#define RESERVE_STEP (UINT64_C(64) << 20)

/* Pages leave the cache in such pieces, this many pieces after their writing began: by then
 * it has ended, as only clean pages can go. Measured: pieces of 1 MiB cost 9 to 14 ns per
 * record, of 4 MiB 5.5, of 8 MiB 5.5 to 7.5. */
#define PIECE (UINT64_C(4) << 20)
#define LAG 2

void largefile_grow(struct largefile *f, int fd, uint64_t end)
{
	uint64_t from = f->reserved > end ? f->reserved : end;

	if (end < LARGE || end + RESERVE_STEP / 4 < f->reserved)
		return;
	if (fallocate(fd, FALLOC_FL_KEEP_SIZE, (off_t)from, (off_t)RESERVE_STEP) < 0)
		f->reserved = UINT64_MAX;
	else
		f->reserved = from + RESERVE_STEP;
}

void largefile_wrote(struct largefile *f, int fd, uint64_t end)
{
	const off_t piece = (off_t)PIECE;

	while (f->started != UINT64_MAX && end - f->started >= PIECE) {
		off_t start = (off_t)f->started;

		if (sync_file_range(fd, start, piece, SYNC_FILE_RANGE_WRITE) < 0) {
			f->started = UINT64_MAX;
			return;
		}
		if (start >= LAG * piece)
			posix_fadvise(fd, start - LAG * piece, piece, POSIX_FADV_DONTNEED);
		f->started += PIECE;
	}
}

/* Truncation to the same size gives back what lies behind the end. */
int largefile_end(struct largefile *f, int fd)
{
	struct stat st;

	if (f->reserved == 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return 0;
	return ftruncate(fd, st.st_size);
}
