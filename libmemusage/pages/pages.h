/* pages.h -- --pages-as-heap: which pages are mapped, and by which sites.
 *
 * A list of all mappings, each with the site that made it. The heap, the snapshots and the cells of
 * sites follow Massif: every page is a block of its own, but a whole range offers one snapshot,
 * after its last page when it is mapped, at its first when it is released (docs/compat.md).
 *
 * The lock of mu_heap guards all of it, so figures are exact with any number of threads. Signals
 * are blocked meanwhile, as a handler may map.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_PAGES_PAGES_H
#define LIBMEMUSAGE_PAGES_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "libmemusage/base/ranges.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/image/thread.h"

#define PAGES_ANY_SITE UINT32_MAX

/* The place of a call: sp from hook_sp() or its like, and the address after the system call in
 * libc's function, which is the innermost frame; 0: none. */
struct pages_place {
	uint64_t sp;
	uint64_t pc;
};

/* pages_site -- returns the site of a call. Call it before the lock is taken, as it may wait. It
 * also moves the coarse clock of the segment, which nothing else does when pages are the heap.
 *
 * is_free  find the site of a release, for reports of what frees.
 */
uint32_t pages_site(struct thread *thread, const struct pages_place *place, bool is_free);

/* pages_site_of_start -- returns the site of mappings that were there at the start.
 *
 * object  an address of the object that is mapped there, 0: it is no object.
 */
uint32_t pages_site_of_start(struct thread *thread, uint64_t object);

/* pages_lock, pages_unlock -- guard the functions that follow. False: the wait ended without the
 * lock (counted as a drop). */
bool pages_lock(void);
void pages_unlock(void);

/* pages_add -- adds whole pages that a site mapped, in place of the pages that were there before.
 *
 * Returns the change of the sum in bytes. Under the lock.
 */
int64_t pages_add(struct thread *thread, uint32_t site, uint64_t start, uint64_t end);

/* pages_drop -- releases whole pages.
 *
 * of_site  only those of this site, or PAGES_ANY_SITE; by the site of a release, 0 none.
 * Returns the bytes that were known. Under the lock.
 */
uint64_t pages_drop(struct thread *thread, uint64_t start, uint64_t end, uint32_t of_site,
		    uint32_t by);

/* pages_hold -- takes pages out of the list that a system call is about to unmap or move, before
 * another thread can get their addresses. Sums stay. Under the lock.
 *
 * Returns a number for the next three, 0 if no page was known.
 */
uint32_t pages_hold(uint64_t start, uint64_t end);

/* pages_put_back -- puts held pages back into the list, as the call failed. Under the lock. */
void pages_put_back(uint32_t held);

/* pages_put_back_below -- puts the part below an address back; the rest stays held. */
void pages_put_back_below(uint32_t held, uint64_t end);

/* pages_release_held -- releases the held part below an address, as pages_drop(). */
uint64_t pages_release_held(struct thread *thread, uint32_t held, uint64_t end, uint32_t by);

/* pages_done -- records stack and log, after the lock.
 *
 * change  of the sum, bytes.
 */
void pages_done(struct thread *thread, int64_t change, uint64_t sp);

/* pages_live -- returns the list. Under the lock. */
const struct ranges *pages_live(void);

/* pages_forget -- empties the list, for a new image. */
void pages_forget(void);

/* pages_forked -- drops, in a forked child, the pages that other threads held: their calls may have
 * been made or not. */
void pages_forked(void);

/* pages_up -- rounds `length` bytes up to whole pages. */
static inline uint64_t pages_up(uint64_t length)
{
	return (length + MU_PAGE - 1) & -(uint64_t)MU_PAGE;
}

#endif
