/* libzoo2.c -- a shared object that is loaded and unloaded, with frames of 136 bytes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#define FLAVOUR 2
#define FRAME 136

#include "tests/zoo/libzoo.h"
