/* sites.h -- what was done at each site, added up over all threads.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "profile/base/error.h"
#include "profile/read/image.h"

enum {
	SITES_CLASSES = 8,
	SITES_MAX = 1 << 23	/* believed of a recording: more would be a hostile one */
};

/* Bytes are those that the program asked for. Sums of a damaged recording may be negative. */
struct site {
	uint32_t stack;		/* of profile->stack; less than its count */
	uint8_t fn;		/* enum mu_fn; 255: none that is known */
	bool is_booked;		/* snapshots may have bytes here that no block has */
	uint16_t flags;		/* enum mu_site_flag */
	uint32_t label;		/* set of labels of the thread, 0: none; labels.h */
	uint32_t first;		/* tick of its first event, as in struct mu_snapshot */
	int64_t live_bytes;	/* now: at the end, if the process has ended */
	int64_t live_blocks;
	int64_t peak_bytes;	/* when the heap was largest */
	int64_t peak_blocks;
	int64_t max_bytes;	/* the most that was live here; several threads: not less */
	uint64_t total_bytes;	/* ever allocated */
	uint64_t total_blocks;
	uint64_t temporary;	/* blocks freed by their thread before it allocated again */
	int64_t life;		/* of all blocks, sum in ticks; after sites_lifetimes() */
	int64_t life_blocks;	/* live blocks in the unit of life until then */
};

/* Blocks by size: up to 16, 64, 256, 1024, 4096, 64 Ki, 1 Mi bytes, and larger. */
struct sites_classes {
	uint64_t blocks[SITES_CLASSES];
};

struct sites {
	struct site *site;
	uint32_t count;
	bool has_lifetimes;	/* sites_lifetimes() was called */
};

/* sites_load -- add up the cells of an image.
 *
 * stacks  how many there are; a site with another is counted at stack 0.
 * Returns 0, or -1 with ERR without memory; release S in either case.
 * Cost O(cells), 88 bytes per site.
 * Source docs/format.md, section 4: value at the peak.
 */
int sites_load(struct sites *s, const struct image *im, uint32_t stacks, struct mu_error *err);

/* sites_load_own -- adds up the cells of a process alone: of a forked child those that it did not
 * begin with, if mu_image.fork_cells tells them apart. Blocks of its parent that it
 * freed count as less than nothing. As above. */
int sites_load_own(struct sites *s, const struct image *im, uint32_t stacks, struct mu_error *err);

/* sites_classes -- blocks of every site by size, added up as sites_load() does.
 *
 * Returns one entry per site, to be freed.
 */
struct sites_classes *sites_classes(const struct sites *s, const struct image *im);

/* sites_is_copy -- whether bytes were copied there (copy mode), and nothing allocated. */
bool sites_is_copy(const struct site *site);

/* sites_is_counted -- whether a site has a place in reports: it allocated, and is neither ignored
 * nor nested in another nor one of frees. */
bool sites_is_counted(const struct site *site);

#define SITES_TICK_NS 1e6	/* of the coarse clock, about: docs/format.md, section 5 */

/* sites_first_tick -- when a site was met first, in ticks since the segment began. */
uint64_t sites_first_tick(const struct image *im, uint32_t number);

/* sites_end_tick -- when the process ended, or was seen last, likewise. Cost O(sites). */
uint64_t sites_end_tick(const struct sites *s, const struct image *im);

/* sites_lifetimes -- turn sums of times into sums of lifetimes.
 *
 * A cell holds free times minus birth times; blocks that still live do so to the end. After
 * sites_load(); a second call does nothing.
 */
void sites_lifetimes(struct sites *s, const struct image *im);

/* sites_free -- release everything. Fine for a zeroed struct. */
void sites_free(struct sites *s);

/* The quantity that a report shows. */
enum metric_kind {
	METRIC_PEAK,		/* live when the heap was largest */
	METRIC_LIVE,		/* live at the end: leaks, and blocks left to the exit */
	METRIC_TOTAL,		/* ever allocated */
	METRIC_TEMPORARY,	/* blocks that were freed before their thread allocated again */
	METRIC_SNAPSHOT,	/* live at a snapshot */
	METRIC_AD_HOC,		/* ad hoc events: their weights for bytes, events for blocks */
	METRIC_GROWTH		/* between two moments; of moment_growth(), not of sites_weigh() */
};

struct sampled_error;	/* site_errors.h */

/* The worth of a site in a metric. */
struct weight {
	int64_t bytes;		/* METRIC_TEMPORARY: of all blocks of the site, for comparison */
	int64_t blocks;
	bool is_there;		/* the site counts, and had allocated by then, if only to free it */
	const struct sampled_error *error;	/* of an estimate; NULL: none is known. Only
						 * site_errors_weigh() sets it */
};

/* sites_weigh -- the metric of every site.
 *
 * weight    one per site. Sites that do not count (ignored, nested, of frees) weigh nothing.
 * snapshot  index in the image's table, for METRIC_SNAPSHOT; others ignore it.
 * Returns 0, or -1 if there is no such snapshot, or it kept no values (docs/format.md,
 * section 8).
 */
int sites_weigh(const struct sites *s, const struct image *im, enum metric_kind kind,
		uint64_t snapshot, struct weight *weight);
