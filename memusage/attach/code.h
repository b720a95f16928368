/* code.h -- Changing the code of functions while all threads are stopped, and changing it back.
 *
 * A thread that is in the bytes that are replaced goes on in the thunk that has them, and the
 * other way round. So does one that a signal handler will return to. A return address cannot be in
 * them: only whole instructions are moved, and no call but at their end.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "memusage/attach/target.h"

/* The contents of a process that is attached to. */
struct code {
	struct mu_own_mapping text; /* the recorder's code */
	struct mu_own_mapping stack; /* on which it began */
	uint32_t inside, key;	    /* as in struct mu_attach */
	uint64_t generation;
	uint32_t areas, entries;
	struct mu_own_mapping area[MU_ATTACH_AREAS];
	struct mu_attach_entry entry[MU_ATTACH_ENTRIES];
};

/* code_take -- Copies what the recorder has told, which any process may have written.
 *
 * Returns false if it makes no sense.
 */
bool code_take(struct code *c, const struct mu_attach *told);

/* code_is_unchanged -- Tells whether the bytes that will be replaced are those of the file: no
 * other tool has changed them. */
bool code_is_unchanged(const struct target *t, const struct code *c);

/* code_move_in -- Moves the threads that are in bytes to be replaced; thunks are written before.
 *
 * Changes nothing unless it returns TARGET_OK; else with ERR.
 */
enum target_result code_move_in(struct target *t, const struct code *c, struct mu_error *err);

/* code_write -- Writes the jumps. Returns false, with all bytes as they were, if it cannot. */
bool code_write(const struct target *t, const struct code *c);

/* code_restore -- Gives the functions back their first bytes, where the jump is still there. */
void code_restore(const struct target *t, const struct code *c);

/* code_move_out -- Moves the threads that are in thunks back; code_restore() comes before.
 *
 * Returns TARGET_BUSY with ERR if a call through the recorder is under way in some thread.
 */
enum target_result code_move_out(struct target *t, const struct code *c, struct mu_error *err);
