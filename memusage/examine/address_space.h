/* address_space.h -- The mappings of a process, and what is in them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "profile/base/error.h"

enum area_flag {
	AREA_READ = 1,
	AREA_WRITE = 2,
	AREA_CODE = 4,
	AREA_SHARED = 8,
	AREA_FILE = 16, /* a file, of whatever kind, is mapped there */
	AREA_SUPPLIED = 32 /* a process supplies missing pages (supplied_areas.h) */
};

/* One mapping. Their order is that of addresses. */
struct area {
	uint64_t start, end;
	unsigned int flags;
	const char *name; /* of the file, "[heap]", "[stack]", ..., or "" */
};

struct address_space {
	pid_t pid;     /* whose memory is read */
	pid_t touched; /* whose page tables tell which shared pages there are */
	int pagemap, touched_pagemap; /* descriptors, -1: unknown */
	struct area *area;
	uint32_t count, room;
	bool has_supplied; /* some area is AREA_SUPPLIED */
	char *names;	/* private */
};

/* address_space_open -- Reads the list of mappings of a process.
 *
 * pid      whose memory is to be read, which must not change: it is stopped, or a copy.
 * touched  the process that PID is a copy of, or PID itself.
 * Returns 0, or -1 with ERR; call address_space_close() in either case.
 */
int address_space_open(struct address_space *s, pid_t pid, pid_t touched, struct mu_error *err);

/* address_space_find -- Returns the mapping with an address, NULL if nothing is mapped there. */
const struct area *address_space_find(const struct address_space *s, uint64_t address);

/* address_space_read -- Copies memory of the process. Returns the bytes that could be read, from
 * ADDRESS on. Missing pages that a process would have to supply are zeros. */
size_t address_space_read(const struct address_space *s, uint64_t address, void *to, size_t size);

/* A part of a mapping whose pages are there; address and bytes. */
typedef void address_space_fn(void *data, uint64_t start, uint64_t end);

/* address_space_visit -- Calls VISIT for the parts of [start, end) that the process has touched.
 *
 * own_only  leave out pages of a private mapping that are still those of its file.
 */
void address_space_visit(const struct address_space *s, const struct area *area, uint64_t start,
			 uint64_t end, bool own_only, address_space_fn *visit, void *data);

/* address_space_visit_readable -- Calls VISIT for the touched parts of all mappings in [start, end)
 * that the process can read. */
void address_space_visit_readable(const struct address_space *s, uint64_t start, uint64_t end,
				  address_space_fn *visit, void *data);

/* address_space_close -- Releases everything. */
void address_space_close(struct address_space *s);
