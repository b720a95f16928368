/* libbump.c -- a malloc that signal handlers may call, to be preloaded.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tests/lib/bump.h"
