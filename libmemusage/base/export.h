/* export.h -- which names other objects can see.
 *
 * EXPORT marks a function that takes the place of libc's or a C++ runtime's. The version script
 * alone does not export what -fvisibility=hidden hid: both are needed. tests/lint/symbols.t holds
 * the list.
 *
 * HIDDEN marks the declaration of a variable that another file defines. -fvisibility=hidden is
 * about definitions only: without HIDDEN the compiler expects the variable in any object, and each
 * use of it has an instruction more, which looks up the address.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#define EXPORT __attribute__((visibility("default")))
#define HIDDEN __attribute__((visibility("hidden")))
