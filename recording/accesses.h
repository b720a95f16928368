/* accesses.h -- the part of a recording that counts reads and writes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

/* The engine that counts reads and writes. */
enum mu_access_engine { MU_ENGINE_NONE = 0, MU_ENGINE_HOOKS = 1, MU_ENGINE_EMULATE = 2 };

/* Reads and writes of one thread in the blocks of one site; unused entries are all zero. */
struct mu_access {
	uint32_t site;
	uint32_t state; /* enum mu_access_state: what this thread knows of the site */
	uint64_t read_bytes;
	uint64_t written_bytes;
	uint64_t length; /* of the blocks, bytes; with counts or in state EXACT */
	uint64_t counts; /* offset of uint16_t[counted], 0 none: accesses per byte, saturating */
	uint64_t counted; /* length, or 0 without counts */
	uint64_t reserved[2];
};
enum mu_access_state {
	MU_ACCESS_UNKNOWN = 0,
	MU_ACCESS_EXACT = 1, /* the site's first block had this length */
	MU_ACCESS_MIXED = 2  /* a later one had another length: counts of this site mean nothing */
};

_Static_assert(sizeof(struct mu_access) == 64, "mu_access must be a cache line");
