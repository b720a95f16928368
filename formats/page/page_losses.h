/* page_losses.h -- The leak checks of a process, for a page: the member "leaks".
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "formats/export.h"
#include "formats/page/page_json.h"
#include "formats/page/page_tree.h"

/* page_losses_put -- Writes the member "leaks" if there was a leak check.
 *
 * c  the nodes of the page: the losses of all sites of a node are one row for each kind.
 * The first and the last of many checks are written. Blocks that earlier checks called lost have
 * rows, too; their own kinds tell what became of them (MU_LOSS_CALLED and on).
 */
void page_losses_put(struct page_json *j, const struct export *e, const struct page_cut *c);
