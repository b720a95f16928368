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
#pragma once

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

/* pages_site -- return the site of a call of the mmap family.
 *
 * is_free  it is a release: its site is for reports of what frees; 0 if these are not wanted.
 * Call it before the lock is taken, as it may wait. It also moves the coarse clock of the segment,
 * which nothing else does when pages are the heap. Async-signal-safe.
 */
uint32_t pages_site(struct thread *thread, const struct pages_place *place, bool is_free);

/* pages_site_of_start -- return the site of mappings that were there at the start.
 *
 * object  an address of the object that is mapped there, 0: it is no object.
 */
uint32_t pages_site_of_start(struct thread *thread, uint64_t object);

/* pages_lock, pages_unlock -- guard the functions that follow.
 *
 * pages_lock() returns false if it did not get the lock within the bound (counted as a drop): then
 * do not call pages_unlock(). Both are async-signal-safe.
 */
bool pages_lock(void);
void pages_unlock(void);

/* pages_add -- add whole pages that a site mapped, in place of the pages that were there before.
 *
 * start, end  addresses, multiples of a page.
 * Returns the change of the sum in bytes, which may be negative. Under the lock.
 */
int64_t pages_add(struct thread *thread, uint32_t site, uint64_t start, uint64_t end);

/* pages_drop -- release whole pages.
 *
 * of_site  only those of this site, or PAGES_ANY_SITE.
 * by       the site of the release, from pages_site(); 0: none.
 * Returns the bytes that were known. Under the lock.
 */
uint64_t pages_drop(struct thread *thread, uint64_t start, uint64_t end, uint32_t of_site,
		    uint32_t by);

/* pages_hold -- take pages out of the list that a system call is about to unmap or move.
 *
 * Another thread can get their addresses before that call returns. Sums stay.
 * Returns a number for the next three functions, 0 if no page was known. Under the lock.
 */
uint32_t pages_hold(uint64_t start, uint64_t end);

/* pages_put_back -- put all held pages back into the list: the call failed. Under the lock. */
void pages_put_back(uint32_t held);

/* pages_put_back_below -- put the part below `end` back; the rest stays held. Under the lock. */
void pages_put_back_below(uint32_t held, uint64_t end);

/* pages_release_held -- release the held part below `end`, as pages_drop().
 *
 * Returns the bytes that were held there. Under the lock.
 */
uint64_t pages_release_held(struct thread *thread, uint32_t held, uint64_t end, uint32_t by);

/* pages_done -- record the stack's depth and the log entry of a call, after the lock.
 *
 * change  of the sum, bytes.
 * sp      as in struct pages_place.
 */
void pages_done(struct thread *thread, int64_t change, uint64_t sp);

/* pages_live -- return the list. Under the lock. */
const struct ranges *pages_live(void);

/* pages_forget -- empty the list, for a new image. */
void pages_forget(void);

/* pages_forked -- drop, in a forked child, the pages that other threads held.
 *
 * Their calls may have been made or not.
 */
void pages_forked(void);

/* pages_up -- round `length` bytes up to whole pages. */
static inline uint64_t pages_up(uint64_t length)
{
	return (length + MU_PAGE - 1) & -(uint64_t)MU_PAGE;
}
