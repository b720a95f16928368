/* file_type.h -- Recognises the type of a file by its first bytes.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef FORMATS_FILE_TYPE_H
#define FORMATS_FILE_TYPE_H

#include <stddef.h>

enum input_kind {
	INPUT_UNKNOWN,
	INPUT_MASSIF,		/* massif.out */
	INPUT_RECORDING,	/* kept by memusage --record */
	INPUT_DHAT,		/* JSON of DHAT */
	INPUT_DATA,		/* data file of memusage --data */
	INPUT_KINDS
};

/* file_type_of -- Recognises the first SIZE bytes of a file; 4096 of them are enough. */
enum input_kind file_type_of(const char *data, size_t size);

/* file_type_name -- Returns a type's name for messages, "a massif.out". */
const char *file_type_name(enum input_kind kind);

#endif
