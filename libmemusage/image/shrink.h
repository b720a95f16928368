/* shrink.h -- mapping less of the segment than there is.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

/* shrink_for_lock -- unmap everything of the segment but this image and some room.
 *
 * For mlockall(), which populates all that is mapped or will be. The image's capacity
 * becomes what is left; forked children then ask the collector for a slot of their own.
 * Idempotent. Waits until no other thread is in the hook.
 */
void shrink_for_lock(void);

/* shrink_to_contents -- unmap everything of the segment but what this image has now.
 *
 * What an event of this thread is about to take stays (arena_extent()). Call it when no other
 * thread is in the hook.
 */
void shrink_to_contents(void);

/* shrink_for_limit -- unmap as much before setrlimit(RLIMIT_AS), if the new limit is that low.
 *
 * bytes  the new limit, of which a sixteenth is taken; RLIM_INFINITY is no limit.
 * Beyond the limit the program would get no memory any more. As shrink_for_lock().
 */
void shrink_for_limit(uint64_t bytes);

/* shrink_for_data -- the same before setrlimit(RLIMIT_DATA), for what is prepared for a sandbox. */
void shrink_for_data(uint64_t bytes);
