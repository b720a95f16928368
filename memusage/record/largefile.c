/* largefile.c -- Write a growing file with little load on the disk's allocator and the page cache.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/record/largefile.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* The kernel handles smaller files well enough. */
#define LARGE (UINT64_C(4) << 20)

/* Positions, sizes and addresses of direct writes are multiples of this. Disks need 512 or 4096. */
#define DIRECT 4096u

#define RESERVE_STEP (UINT64_C(64) << 20)

/* Pages leave the cache in pieces of this size, LAG pieces after their writing began: only clean
 * pages can go, and by then the writing has ended. Measured: pieces of 1 MiB cost 9 to 14 ns per
 * record, of 4 MiB 5.5, of 8 MiB 5.5 to 7.5. */
#define PIECE (UINT64_C(4) << 20)
#define LAG 2

bool largefile_is_large(uint64_t bytes)
{
	return bytes >= LARGE;
}

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

/* The flag is set for this write only, as later writes may have any size. */
size_t largefile_direct(struct largefile *f, int fd, uint64_t at, const void *data, size_t size)
{
	struct stat st;
	int flags;
	ssize_t n;

	if (f->not_direct || at + size < LARGE || size == 0 || (at | size) % DIRECT != 0)
		return 0;
	flags = fcntl(fd, F_GETFL);
	/* The flag has another meaning for a pipe. */
	if (flags < 0 || flags & O_APPEND || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ||
	    fcntl(fd, F_SETFL, flags | O_DIRECT) < 0) {
		f->not_direct = true;
		return 0;
	}
	n = write(fd, data, size);
	f->not_direct = n < 0;
	fcntl(fd, F_SETFL, flags);
	return n < 0 ? 0 : (size_t)n;
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

/* Truncation to the same size releases the blocks behind the end. */
int largefile_end(struct largefile *f, int fd)
{
	struct stat st;

	if (f->reserved == 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return 0;
	return ftruncate(fd, st.st_size);
}
