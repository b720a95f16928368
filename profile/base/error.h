/* error.h -- Errors of profile/ and formats/, which neither print nor exit.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

enum mu_error_code {
	MU_ERROR_NONE = 0,
	MU_ERROR_SYSTEM,	/* a system call failed; text ends with the reason */
	MU_ERROR_MEMORY,	/* no memory */
	MU_ERROR_FORMAT,	/* not such a file, or damaged */
	MU_ERROR_TRUNCATED,	/* ends too early; what was read so far is good */
	MU_ERROR_VERSION,	/* made by a version that is not understood */
	MU_ERROR_DENIED		/* the kernel allows it to others only, or to nobody */
};

/* Text can follow "tool: FILE: ". */
struct mu_error {
	enum mu_error_code code;
	uint64_t offset;	/* byte in the file where it was noticed; 0 if that says nothing */
	char text[512];
};

/* mu_error_set -- Fills in an error.
 *
 * err     NULL allowed: then nothing happens.
 * offset  byte in the file, 0 if that says nothing.
 * format  printf's, with %m for the errno at the call.
 * Returns -1, so that `return mu_error_set(...)` ends a function.
 */
int mu_error_set(struct mu_error *err, enum mu_error_code code, uint64_t offset,
		 const char *format, ...) __attribute__((format(printf, 4, 5)));

/* mu_error_memory -- Says that there is no memory; ERR may be NULL. Returns -1. */
int mu_error_memory(struct mu_error *err);
