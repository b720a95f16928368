/* stop.h -- One stop of a process that memusage attaches to or leaves.
 *
 * It is made by a child of ours, so that its end releases all threads whatever has happened.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/attach/attach.h"
#include "memusage/attach/borrow.h"

#define STOP_STACK (UINT64_C(256) << 10) /* bytes of the stack on which the recorder begins */
#define STOP_ARENA "memusage"		 /* name of the memory file of the recording */

struct stop {
	struct attachment *a;
	struct target t;
	struct borrowed b;
	struct mu_attach *parameters; /* our copy, NULL none */
	uint64_t began_ns;
	int file;	 /* the memory file of its mappings, here; -1 none */
	int remote_file; /* ... and in the process; likewise */
	int remote_fd;	 /* of the arena, in the process; likewise */
};

/* Makes one stop. Returns TARGET_BUSY for one more try, TARGET_OWN_STACK for some more. */
typedef enum target_result stop_fn(struct attachment *a, void *data);

/* stop_try_often -- Runs WORK in a child of ours until it is not busy, or has been so for seconds.
 *
 * Returns TARGET_OK, or another result with A->err.
 */
enum target_result stop_try_often(struct attachment *a, stop_fn *work, void *data);

/* stop_begin -- Stops the process. If we have not let it go after 10 s, the kernel kills us.
 *
 * Returns as target_stop() does.
 */
enum target_result stop_begin(struct stop *s);

/* stop_refuse -- Notes the reason, with the text of an errno if that is not 0.
 *
 * Returns TARGET_REFUSED.
 */
enum target_result stop_refuse(struct stop *s, const char *why, long error);

/* stop_remove_recorder -- Unmaps all that the recorder and its attacher have mapped.
 *
 * Needs a borrowed thread, and the mappings as they are now. No other thread may use it. Should we
 * be killed meanwhile, the next attacher can go on with it.
 */
void stop_remove_recorder(struct stop *s);

/* stop_end -- Lets all threads go on, and notes how long they stood. */
void stop_end(struct stop *s);
