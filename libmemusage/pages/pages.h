/* pages.h -- --pages-as-heap: which pages are mapped, and by whom.
 *
 * A list of all mappings, each with the site that made it. What the heap, snapshots and cells of
 * sites are told follows Massif: every page is a block of its own, but a whole range offers one
 * snapshot, when it grows after its last page, when it goes at its first (docs/compat.md).
 *
 * All of it is under the lock of mu_heap, so that figures are exact with any number of threads;
 * signals are blocked meanwhile, as a handler may map.
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

/* Who calls: sp from hook_sp() or its like, and the address after the system call in the function
 * that is called, which is the innermost frame; 0: none. */
struct pages_place {
	uint64_t sp;
	uint64_t pc;
};

/* pages_site -- the site of a call, to be found before the lock is taken: it may wait. Moves the
 * tick of the segment, too, which nobody else does when pages are the heap.
 *
 * is_free  the site of a release, for reports about who frees.
 */
uint32_t pages_site(struct thread *thread, const struct pages_place *place, bool is_free);

/* pages_site_of_start -- the site of what was mapped before anything was called.
 *
 * object  an address of the object that is mapped there, 0: it is none.
 */
uint32_t pages_site_of_start(struct thread *thread, uint64_t object);

/* pages_lock, pages_unlock -- around what follows. False: not got within the bound (counted). */
bool pages_lock(void);
void pages_unlock(void);

/* pages_add -- whole pages were mapped by a site. What was there before is gone.
 *
 * Returns the change of the sum in bytes. Under the lock.
 */
int64_t pages_add(struct thread *thread, uint32_t site, uint64_t start, uint64_t end);

/* pages_drop -- whole pages are gone.
 *
 * of_site  only those of this site, or PAGES_ANY_SITE; by the site of a release, 0 none.
 * Returns the bytes that were known. Under the lock.
 */
uint64_t pages_drop(struct thread *thread, uint64_t start, uint64_t end, uint32_t of_site,
		    uint32_t by);

/* pages_hold -- take pages out of the list that a system call is about to unmap or move, before
 * another thread can get their addresses. Sums stay. Under the lock.
 *
 * Returns a number for the next three, 0 if no page was known.
 */
uint32_t pages_hold(uint64_t start, uint64_t end);

/* pages_put_back -- what is held goes back where it was: the call failed. Under the lock. */
void pages_put_back(uint32_t held);

/* pages_put_back_below -- the part below an address goes back; the rest stays held. */
void pages_put_back_below(uint32_t held, uint64_t end);

/* pages_release_held -- the part of what is held below an address is released. As pages_drop(). */
uint64_t pages_release_held(struct thread *thread, uint32_t held, uint64_t end, uint32_t by);

/* pages_done -- after the lock: stack and log.
 *
 * change  of the sum, bytes.
 */
void pages_done(struct thread *thread, int64_t change, uint64_t sp);

/* pages_live -- the list. Under the lock. */
const struct ranges *pages_live(void);

/* pages_forget -- an empty list: of a new image. */
void pages_forget(void);

/* pages_forked -- in a forked child: what others held is not known to be there. */
void pages_forked(void);

/* pages_up -- bytes of the pages that `length` bytes take. */
static inline uint64_t pages_up(uint64_t length)
{
	return (length + MU_PAGE - 1) & -(uint64_t)MU_PAGE;
}

#endif
