/* libzoo1.c -- a shared object that is loaded and unloaded, with frames of 40 bytes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#define FLAVOUR 1
#define FRAME 40

#include "tests/zoo/libzoo.h"
