/* page_template.h -- the HTML page without its data.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

/* A text of so many bytes that has PAGE_TEMPLATE_MARK once. Empty if no page was built. */
extern const char page_template[];
extern const uint64_t page_template_size;

#define PAGE_TEMPLATE_MARK "@@MEMUSAGE-DATA@@"
