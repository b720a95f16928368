/* page_template.h -- the HTML page without its data.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FORMATS_PAGE_TEMPLATE_H
#define FORMATS_PAGE_TEMPLATE_H

/* [begin, end): a text in which PAGE_TEMPLATE_MARK stands once. Empty if no page was built. */
extern const char page_template_begin[], page_template_end[];

#define PAGE_TEMPLATE_MARK "@@MEMUSAGE-DATA@@"

#endif
