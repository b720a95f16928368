/* export.h -- marks a function that takes the place of libc's or a C++ runtime's.
 *
 * The version script alone does not export what -fvisibility=hidden hid: both are needed.
 * tests/lint/symbols.t holds the list.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#define EXPORT __attribute__((visibility("default")))
