/* largefile.h -- a growing file that spares the disk's allocator and the page cache.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef MEMUSAGE_RECORD_LARGEFILE_H
#define MEMUSAGE_RECORD_LARGEFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A file that grows by sequential writes. All zero before the first use. Private. */
struct largefile {
	uint64_t reserved; /* bytes for which there are blocks on the disk */
	uint64_t started;  /* bytes whose way to the disk has begun */
	bool not_direct;   /* the file system wants the page cache */
};

/* largefile_is_large -- whether a file of so many bytes is one; for others nothing is done. */
bool largefile_is_large(uint64_t bytes);

/* largefile_grow -- say that the file is about to reach END bytes; before the write.
 *
 * fd   of the file, open for writing; anything but a regular file on a disk is left as it is.
 * end  position behind the write.
 * Takes disk blocks in advance: ext4 then needs 5 ns per 24-byte record instead of 8. Nothing
 * is done for small files. Cannot fail: what the file system cannot do is not tried again.
 * The size of the file stays as it is.
 */
void largefile_grow(struct largefile *f, int fd, uint64_t end);

/* largefile_direct -- write past the page cache, if that is possible.
 *
 * at     position in the file, where FD stands; multiple of MU_PAGE, as SIZE and DATA must be.
 * Returns the bytes that were written, and moves FD by as many; 0 if it is not possible here, or
 * went wrong: then write as usual, which says what is wrong. Waits for the disk. Measured on ext4:
 * a 24-byte record costs 2 ns in pieces of 768 KiB, 5 in pieces of 192 KiB; 7 to 9 through the page
 * cache. Small files go through the cache.
 */
size_t largefile_direct(struct largefile *f, int fd, uint64_t at, const void *data, size_t size);

/* largefile_wrote -- say that the file has END bytes; after the write.
 *
 * Sends older parts to the disk and out of the page cache: what nobody reads soon shall not
 * drive out the files of the profiled program, and pages that come back at once are warm. On a
 * virtual machine whose free pages return to the host, a first touch costs microseconds: with
 * this, 24-byte records cost 5.5 ns each instead of 14 to 47. Cannot fail.
 */
void largefile_wrote(struct largefile *f, int fd, uint64_t end);

/* largefile_end -- give back the blocks behind the end; before the close. 0, or -1 and errno. */
int largefile_end(struct largefile *f, int fd);

#endif
