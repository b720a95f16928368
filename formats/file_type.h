/* file_type.h -- Recognises the type of a file by its first bytes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>

enum input_kind {
	INPUT_UNKNOWN,
	INPUT_MASSIF,		/* massif.out */
	INPUT_RECORDING,	/* kept by memusage --record */
	INPUT_DHAT,		/* JSON of DHAT */
	INPUT_DATA,		/* data file of memusage --data */
	INPUT_PPROF,		/* profile.proto */
	INPUT_KINDS
};

/* file_type_of -- Recognises the first SIZE bytes of a file; 4096 of them are enough. */
enum input_kind file_type_of(const char *data, size_t size);

/* A guess at a file that is of no type of ours. */
struct file_guess {
	const char *what;	/* "text", "a program or a library" */
	const char *advice;	/* what to do with it; NULL: nothing that is special for it */
};

/* file_type_guess -- Guesses what a file is that file_type_of() does not recognise.
 *
 * data  its first SIZE bytes.
 * Returns a static structure. WHAT is NULL if the bytes tell nothing.
 */
struct file_guess file_type_guess(const char *data, size_t size);

/* file_type_name -- Returns a type's name for messages, "a massif.out". */
const char *file_type_name(enum input_kind kind);
