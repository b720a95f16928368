/* interpose_sanitizer.c -- what AddressSanitizer's run-time asks the program.
 *
 * If that is a shared library (gcc's default), it ends the program unless it comes first in the
 * list of libraries. A preloaded one comes before it. Its functions are the next ones, which we
 * call, so it misses nothing.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/base/export.h"

const char *__asan_default_options(void);

/* A program's own function of that name is called in place of this one.
 * Source  sanitizer/asan_interface.h of LLVM; AddressSanitizerFlags; asan_linux.cpp. */
EXPORT const char *__asan_default_options(void)
{
	return "verify_asan_link_order=0";
}
