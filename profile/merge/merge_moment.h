/* merge_moment.h -- The moments of a process at which all its places are known.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* Such a moment of a process has a number: that of a snapshot, or one of these. */
enum merge_moment_kind { MERGE_EMPTY = -1, MERGE_PEAK = -2, MERGE_END = -3, MERGE_GONE = -4 };
