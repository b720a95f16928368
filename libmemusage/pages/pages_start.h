/* pages_start.h -- what is mapped when pages begin to be counted, what ld.so maps later, and what
 * the kernel says in the end.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef LIBMEMUSAGE_PAGES_PAGES_START_H
#define LIBMEMUSAGE_PAGES_PAGES_START_H

/* pages_start -- with MU_CFG_PAGES: count what is mapped, and what will be.
 *
 * The recorder's own mappings are left out. Cost 0.2 ms. From recorder_start(), or where a child of
 * a raw clone() begins, when the gate is open.
 */
void pages_start(void);

/* pages_exit -- note by how much the kernel's account differs: mu_drops.
 *
 * Left out: the recorder's own mappings, and the main stack, which the kernel makes grow.
 */
void pages_exit(void);

#endif
