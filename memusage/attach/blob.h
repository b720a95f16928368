/* blob.h -- The recorder's library as it is put into a process: mapped and relocated from outside.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#include "memusage/attach/borrow.h"

struct blob {
	unsigned char *file;
	uint64_t file_size;
	unsigned char *image; /* as it is in memory */
	uint64_t size;	      /* of that, bytes */
	uint64_t begin;	      /* of attach_begin(), from its start */
	struct mu_own_mapping text; /* likewise */
};

/* blob_read -- Reads and checks the library FILE. Returns 0, or -1 with ERR; blob_free() it. */
int blob_read(struct blob *blob, const char *file, struct mu_error *err);

/* Where the library comes to be in a process. */
struct blob_place {
	uint64_t start;	 /* address of a range that is mapped already and not in use */
	uint64_t offset; /* of the library in a memory file */
	int file, remote_file; /* its descriptors here and in the process */
};

/* blob_load -- Maps it in a process by a borrowed thread.
 *
 * What is never written is mapped from the file, the rest is anonymous, as the recorder wants it
 * to be wiped in forked children. Its thread-local variables are at MU_ATTACH_TLS of each thread.
 * Returns 0, or -1 with ERR.
 */
int blob_load(struct blob *blob, struct borrowed *b, const struct blob_place *place,
	      struct mu_error *err);

/* blob_free -- Releases everything here. Accepts a zeroed struct. */
void blob_free(struct blob *blob);
