/* attached_state.c -- what libmemusage_attach.so knows of itself and of each thread.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/attach/attached_state.h"

struct attached attached;
__thread struct attached_thread attached_thread;
