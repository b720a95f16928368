/* refusal.h -- Why memusage cannot attach to a process, before anything in it is changed.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/attach/target.h"

/* refusal_explain_denied -- Says what forbids to open a process, and what to do; errno as it was.
 *
 * Returns -1 with ERR.
 */
int refusal_explain_denied(pid_t pid, struct mu_error *err);

/* refusal_check -- Looks at a process that runs on. Reads its mappings, and finds the code.
 *
 * Returns TARGET_OK, or another result with ERR: the reason, and what to do.
 */
enum target_result refusal_check(struct target *t, struct mu_error *err);

/* refusal_check_reading -- Tells whether a process can be stopped and read, as refusal_check(). */
enum target_result refusal_check_reading(const struct target *t, struct mu_error *err);

/* refusal_check_mappings -- Looks for what cannot be recorded in the list of T->maps, as another
 * recorder. */
enum target_result refusal_check_mappings(const struct target *t, struct mu_error *err);

/* refusal_check_threads -- Looks at the stopped threads: is their C library the one we know, is it
 * in a state in which the recorder can begin?
 */
enum target_result refusal_check_threads(const struct target *t, struct mu_error *err);

/* refusal_locks_memory -- Tells whether the process locks all memory that it will map.
 *
 * address  of a mapping that was made just now.
 */
bool refusal_locks_memory(const struct target *t, uint64_t address);
