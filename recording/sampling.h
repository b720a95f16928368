/* sampling.h -- Samples of blocks in a recording; docs/format.md, section 7.4.
 *
 * Part of recording.h, with the same rules.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

/* With MU_CFG_SAMPLE each block is recorded with a probability p, and counts 1/p blocks and size/p
 * bytes wherever a normal recording counts a block. R is the mean number of bytes between two
 * samples:
 *
 *   p(size, R) = 1 - exp(-(size + 1) / R), or 1 if size + 1 > mu_sample_exact(): 0.99 or more
 */
#define MU_SAMPLE_LOG2_MIN 10u	    /* of R: 1 KiB */
#define MU_SAMPLE_LOG2_MAX 28u	    /* 256 MiB */
#define MU_SAMPLE_LOG2_DEFAULT 17u  /* 128 KiB */
#define MU_SAMPLE_LIVE_MAX 32768u   /* live samples above which R doubles, unless configured */

/* mu_sample_exact -- Returns the size + 1 above which blocks are exact, bytes; R is 2^log2. */
static inline uint64_t mu_sample_exact(unsigned int log2)
{
	return UINT64_C(4716) << (log2 - 10);
}

/* Numbers of blocks in cells (mu_cell: live_blocks, total_blocks, peak_blocks, temporary, and the
 * unit of life) are in 1/1024 of a block. Everywhere else they are whole. */
#define MU_SAMPLE_BLOCK_BITS 10u

/* mu_sample_blocks -- Returns a number of blocks of a cell as a whole number.
 *
 * number  of its site. Sites round at different fractions, spread evenly: rounded to nearest, 1,000
 *         places with 1.4 blocks each would have 1,000 in all. All numbers of one site round alike,
 *         so that it has no more live blocks than blocks.
 */
static inline int64_t mu_sample_blocks(uint32_t number, int64_t fractions)
{
	const uint32_t golden = 2654435769u; /* 2^32 / 1.618: multiples modulo 2^32 are even */
	int64_t part = (number * golden) >> (32 - MU_SAMPLE_BLOCK_BITS);

	return (fractions + part) >> MU_SAMPLE_BLOCK_BITS;
}

/* Variances are in units of this many bytes squared, those of numbers of blocks in 1/16. */
#define MU_SAMPLE_VARIANCE_UNIT 4096u
#define MU_SAMPLE_BLOCK_VARIANCE_UNIT (1.0 / 16)

/* In mu_image. All 0 if the recording is not sampled. */
struct mu_sampling {
	uint32_t log2;	     /* R is 2^log2 bytes now; it only grows */
	uint32_t first_log2; /* ... and was at the start, or at the fork */
	uint64_t samples;    /* blocks that were recorded, exact ones too */
	uint64_t live;	     /* ... of which live now, those of p < 1 only */
	uint64_t thinned;    /* ... and that were given up, live, when R doubled */
	uint64_t slow_ns;    /* time that recording them took, about */
	uint64_t losses;     /* samples not recorded, or freed unseen: a lock was not to be had */
	uint64_t reserved[2];
};

/* Data for the error of a site's estimates: an entry of the table of cells with the flag
 * MU_CELL_ERROR, so `site`, `epoch` and `flags` are where mu_cell has them. A site has at most one.
 * For each of now (live), the peak of the heap, and all blocks ever:
 *
 *   samples         recorded blocks with p < 1
 *   exact_bytes     the part of the estimate that has no error: blocks with p = 1 ...
 *   exact_blocks    ... whole blocks
 *   variance        sum of size^2 (1 - p) / p^2 over the samples, in MU_SAMPLE_VARIANCE_UNIT
 *   block_variance  sum of (1 - p) / p^2, in MU_SAMPLE_BLOCK_VARIANCE_UNIT
 *
 * The values at the peak follow the rule of mu_cell: heap.now > heap.peak or epoch != heap.epoch
 * ? live : peak. Live and peak values may be negative for a moment in a live image. */
struct mu_error_cell {
	int64_t live_samples;
	int64_t live_exact_bytes;
	int64_t live_exact_blocks;
	int64_t live_variance;
	int64_t live_block_variance;
	uint64_t total_samples;
	uint64_t total_exact_bytes;
	uint32_t epoch;
	uint32_t site;
	uint64_t total_exact_blocks;
	uint64_t total_variance;
	uint64_t total_block_variance;
	int64_t peak_exact_bytes;
	int64_t peak_exact_blocks;
	int64_t peak_variance;
	int32_t peak_samples;
	uint32_t flags; /* MU_CELL_ERROR */
	int64_t peak_block_variance;
};
