/* snapshot_memory.h -- The memory of a snapshot, for the heuristics of leak checks.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "memusage/examine/snapshot.h"
#include "profile/graph/leak_heuristics.h"

/* snapshot_memory -- Returns how leak_heuristics_explain() reads S, which is borrowed. */
struct leak_memory snapshot_memory(const struct snapshot *s);
