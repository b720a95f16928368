/* page_foreign.h -- what a report page shows of files that other tools write too: a massif.out, a
 * profile of DHAT, a data file.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "formats/dat.h"
#include "formats/dhat.h"
#include "formats/massif.h"
#include "formats/page/page.h"
#include "formats/page/page_stacks.h"
#include "formats/stack_import.h"

struct page_massif {
	const struct massif_file *file;
	struct stack_import *import;	/* private */
	struct page_stacks stacks;
	struct weight *peak, *end;	/* private; per site */
};

/* page_massif_init -- Makes the tree of the stacks of all snapshots.
 *
 * p  overwritten; page_massif_free() it in any case.
 * m  must outlive P.
 * hides_runtime  leave out frames of run-times; a page has them, with a flag.
 * Returns 0, or -1 with ERR if there are too many stacks (formats/stack_import.h).
 */
int page_massif_init(struct page_massif *p, const struct massif_file *m, bool hides_runtime,
		     struct mu_error *err);

/* page_massif_sites -- Returns the sites of the tree and their values; P must outlive them. */
struct page_sites page_massif_sites(const struct page_massif *p);

/* page_massif_fill -- the fill of struct page; DATA is a struct page_massif. */
void page_massif_fill(struct page_json *j, const void *data, const struct page_budget *b);

/* page_massif_free -- Releases it. */
void page_massif_free(struct page_massif *p);

struct page_dhat {
	const struct dhat *file;
	struct stack_import *import;	/* private */
	struct page_stacks stacks;
};

/* page_dhat_init, page_dhat_sites, page_dhat_fill, page_dhat_free -- the same of DHAT's. */
int page_dhat_init(struct page_dhat *p, const struct dhat *d, bool hides_runtime,
		   struct mu_error *err);
struct page_sites page_dhat_sites(const struct page_dhat *p);
void page_dhat_fill(struct page_json *j, const void *data, const struct page_budget *b);
void page_dhat_free(struct page_dhat *p);

/* A row of a data file that the curve needs. */
struct page_dat_point {
	uint64_t number;	/* of the event */
	struct dat_record record;
};

/* For each step of the run, by events and by time: the rows where the heap is lowest and highest
 * and the stack deepest. */
enum { PAGE_DAT_STEPS = 500, PAGE_DAT_KEPT = 3,
       PAGE_DAT_POINTS = 2 * PAGE_DAT_STEPS * PAGE_DAT_KEPT };

struct page_dat {
	const struct dat_info *info;	/* final */
	struct page_dat_point by_event[PAGE_DAT_STEPS][PAGE_DAT_KEPT];
	struct page_dat_point by_time[PAGE_DAT_STEPS][PAGE_DAT_KEPT];
	uint64_t next;		/* number of the next event, from 1 on */
};

/* page_dat_init -- begin; page_dat_add() all events in order, then. */
void page_dat_init(struct page_dat *p, const struct dat_info *info);

/* page_dat_add -- take COUNT events. Cost some 5 ns each. */
void page_dat_add(struct page_dat *p, const struct dat_record *record, size_t count);

/* page_dat_points -- what was kept, in the order of the run.
 *
 * all  room for PAGE_DAT_POINTS. Returns how many there are.
 */
size_t page_dat_points(const struct page_dat *p, struct page_dat_point *all);

/* page_dat_fill -- the fill of struct page; DATA is a struct page_dat. */
void page_dat_fill(struct page_json *j, const void *data, const struct page_budget *b);
