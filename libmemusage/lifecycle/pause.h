/* pause.h -- recording that a client starts and stops, and a process that begins asleep.
 *
 * A pause of the program (marks.h) and one of a client are the same to events: MODE_PAUSED. A
 * process with MU_CFG_START_PAUSED begins in a pause of a client. Until the first start it sleeps
 * (image/asleep.h). After a stop it is not: frees of recorded blocks must be seen.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>

#include "libmemusage/image/thread.h"

/* pause_begin -- put the process to sleep, if it is configured so.
 *
 * thread  the calling one. For a new image, before recorder_open_gate(). Not thread-safe.
 */
void pause_begin(struct thread *thread);

/* pause_open_gate -- let events look whether the process is asleep. With the gate; any image. */
void pause_open_gate(void);

/* pause_start, pause_stop -- serve the requests MU_REQUEST_START and MU_REQUEST_STOP.
 *
 * Both may come twice. Inside the hook. Async-signal-safe.
 */
void pause_start(struct thread *thread);
void pause_stop(struct thread *thread);

/* pause_follow_probes -- start if a consumer of our probes has come, stop when it has gone.
 *
 * Only in a process that began asleep. A start of a client outlives the consumer. Inside the hook.
 * Async-signal-safe.
 */
void pause_follow_probes(struct thread *thread);

/* pause_holds -- return whether an event has nothing to do because the process is asleep.
 *
 * With MODE_PAUSED, outside the hook. Async-signal-safe.
 */
bool pause_holds(void);
