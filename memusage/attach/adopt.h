/* adopt.h -- The recorder of an attacher that was killed, or that could not take it away.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "memusage/attach/attach.h"
#include "memusage/attach/stop.h"

enum adopt_result {
	ADOPT_NONE, /* there is none */
	ADOPT_GONE, /* there was one, and the process is as it was */
	ADOPT_FAILED
};

/* adopt_and_remove -- Takes the recorder of an earlier attacher away, from its children, too.
 *
 * is_ordered  the user wants that, even if the attacher may live where we cannot see it.
 * A living attacher is left alone: that is ADOPT_FAILED, with ERR, which names it. The
 * recording is complete after the removal, for a collector that lives.
 */
enum adopt_result adopt_and_remove(pid_t pid, bool is_ordered, struct mu_error *err);

/* adopt_file -- Returns the inode of the recorder's memory file that is mapped in a process, and
 * where; 0 if there is none. */
ino_t adopt_file(pid_t pid, uint64_t *start);

/* adopt_look_again -- Reads again what an earlier attacher has put into the process S has stopped.
 *
 * A child of an attacher that was killed may have been at work until the process was ours: what was
 * read before is of no use. Nothing is there any more if S->a->parameters is 0 then.
 * Returns TARGET_REFUSED with the reason if it cannot be taken away.
 */
enum target_result adopt_look_again(struct stop *s);

/* adopt_close_descriptors -- Closes those that a killed attacher has left in the process.
 *
 * Needs a borrowed thread.
 */
void adopt_close_descriptors(struct stop *s);

/* adopt_end_image -- Tells a collector that lives that the image of the process is complete.
 *
 * Needs a borrowed thread, and the mappings. The process records no more.
 */
void adopt_end_image(struct stop *s);
