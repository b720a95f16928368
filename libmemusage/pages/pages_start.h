/* pages_start.h -- mappings that are there when pages begin to be counted, that ld.so makes later,
 * and that the kernel lists at the end.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* pages_start -- count present and future mappings, with MU_CFG_PAGES.
 *
 * The recorder's own mappings are left out. Cost 0.2 ms. From recorder_start(), or where a child of
 * a raw clone() begins, when the gate is open.
 */
void pages_start(void);

/* pages_exit -- note in mu_drops by how much the kernel's account differs.
 *
 * Left out: the recorder's own mappings, and the main stack, which the kernel makes grow.
 */
void pages_exit(void);
