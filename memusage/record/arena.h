/* arena.h -- The shared memory that a process tree records into.
 *
 * One sparse memfd for the whole tree, divided into slots, one for each process image; see
 * docs/format.md, section 1. The collector creates it and the programs map it. With --durable it is
 * a file: durable.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "memusage/record/ledger.h"
#include "profile/base/error.h"
#include "profile/read/segment.h"
#include "recording/recording.h"

/* view.head is the geometry as it was created: the shared header, which programs can change, is not
 * read again. */
struct arena {
	int fd;				/* -1 if closed */
	struct segment view;
	struct mu_segment *shared;	/* the header, which every process can write */
	struct mu_slot *slot;		/* slot_count entries */
	char *name;			/* of its file, owned; NULL: it is in memory */
	struct ledger ledger;		/* behind the segment, if it is a file */
};

/* arena_create -- Creates, sizes, seals and maps the memory.
 *
 * It is as large as the kernel and RLIMIT_AS permit, a sparse TiB at most. No page of it is
 * allocated yet, and core dumps exclude it.
 * Returns 0, or -1 with ERR.
 */
int arena_create(struct arena *a, const struct mu_config *config, struct mu_error *err);

/* arena_create_in -- The same in an empty memory file that the process to be recorded has made.
 *
 * fd  becomes the arena's; it can be sealed.
 */
int arena_create_in(struct arena *a, int fd, const struct mu_config *config, struct mu_error *err);

/* arena_adopt -- Maps an arena that another process has just made by arena_create_in().
 *
 * fd  becomes the arena's. Returns 0, or -1 with ERR; arena_close() it in either case.
 */
int arena_adopt(struct arena *a, int fd, struct mu_error *err);

/* arena_create_file -- The same in the new file NAME, which is not sealed.
 *
 * It has room for a ledger behind the segment, which is not written yet.
 * Returns 0, or -1 with ERR; there is no file then.
 */
int arena_create_file(struct arena *a, const struct mu_config *config, const char *name,
		      struct mu_error *err);

/* arena_rename -- Gives the file of A the name TO. Returns false with errno. */
bool arena_rename(struct arena *a, const char *to);

/* arena_remove -- Removes the file of A; nothing for an arena in memory. */
void arena_remove(struct arena *a);

/* arena_close -- Unmaps and closes the memory. Processes that have mapped it keep it. */
void arena_close(struct arena *a);

/* arena_discard -- Removes the file of A, and closes it. */
void arena_discard(struct arena *a);

/* arena_leave_header -- Unmaps all but the header, which stays until the process ends.
 *
 * A leak checker reads everything that is mapped, and would allocate pages for the whole arena
 * (valgrind: 22 GB).
 */
void arena_leave_header(struct arena *a);

/* arena_claim -- Claims a free slot for a process that asked for one.
 *
 * Returns its index, with state CLAIMED and its memory zeroed, or -1 if no slot is free.
 */
int arena_claim(struct arena *a);

/* arena_state -- Returns the current state of slot K. */
enum mu_slot_state arena_state(const struct arena *a, uint32_t k);

/* arena_share_start -- Gives A the start times of FIRST, since images move between the arenas. */
void arena_share_start(struct arena *a, const struct arena *first);

/* arena_copy_slot -- Copies the memory and the state of slot FROM_K of another arena to slot K of
 * A.
 *
 * k  CLAIMED, with its memory zeroed. The other slot becomes CLAIMED: its process will release it.
 * Returns false if the slots of the arenas differ in size, or if there is no memory.
 */
bool arena_copy_slot(struct arena *a, uint32_t k, const struct arena *from, uint32_t from_k);

/* arena_image -- Reads the state of the image in slot K. Returns false if it cannot be read. */
bool arena_image(const struct arena *a, uint32_t k, struct image *im);

/* arena_retire -- Marks slot K as one whose owner has ended; its memory stays. */
void arena_retire(struct arena *a, uint32_t k);

/* arena_free -- Releases the memory of slot K and marks the slot as free.
 *
 * A small image in a file is overwritten instead: to release blocks, ext4 first waits until their
 * pages are on the disk (1 ms here), and the next process would wait for its registration.
 */
void arena_free(struct arena *a, uint32_t k);
