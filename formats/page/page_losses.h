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
 * Of many checks the first and the last are written. What became of blocks that earlier checks
 * called lost has rows, too, with kinds of its own (MU_LOSS_CALLED and on).
 */
void page_losses_put(struct page_json *j, const struct export *e, const struct page_cut *c);
