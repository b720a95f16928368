/* page_states.h -- Which pages of a process are in memory.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* page_states_scan -- Reads the state of consecutive pages by the ioctl PAGEMAP_SCAN.
 *
 * pagemap     descriptor of /proc/PID/pagemap.
 * start, end  addresses; multiples of the page size.
 * state       enum page_state of each page, overwritten. Pages of zeros that the process has only
 *             read count as untouched, as they do for the kernel's sum.
 * Returns false, with nothing done, where the kernel has no such call.
 * Source Linux 6.7, Documentation/admin-guide/mm/pagemap.rst.
 */
bool page_states_scan(int pagemap, uint64_t start, uint64_t end, uint8_t *state);

/* page_states_read -- Reads the same from the file, as in older kernels: huge pages are not told
 * from others, nor pages of zeros from those that were written. Returns false if that fails. */
bool page_states_read(int pagemap, uint64_t start, uint64_t end, uint8_t *state);

/* page_states_count -- Returns the resident bytes of a range; UINT64_MAX if they are not known. */
uint64_t page_states_count(int pagemap, uint64_t start, uint64_t end);

typedef void page_run_fn(void *data, uint64_t start, uint64_t end);

/* page_states_visit -- Calls VISIT for runs of pages that are in memory or swapped out.
 *
 * start, end  addresses; multiples of the page size.
 * own_only    without pages of files and of shared memory.
 * Neighbours may be in two runs. Returns the address up to which the range was visited: START where
 * the kernel has no ioctl PAGEMAP_SCAN. Costs no time for what was never touched: a sanitizer
 * reserves 15 TB, whose pages to read one by one takes 14 s.
 */
uint64_t page_states_visit(int pagemap, uint64_t start, uint64_t end, bool own_only,
			   page_run_fn *visit, void *data);

/* page_states_add_nodes -- Adds the NUMA node of each resident page to its state.
 *
 * Returns false, with nothing done, if there is one node only, or the kernel refuses.
 */
bool page_states_add_nodes(pid_t pid, uint64_t start, uint64_t end, uint8_t *state);
