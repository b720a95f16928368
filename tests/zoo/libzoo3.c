/* libzoo3.c -- a shared object that is loaded and unloaded, with frames of 1000 bytes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#define FLAVOUR 3
#define FRAME 1000

#include "tests/zoo/libzoo.h"
