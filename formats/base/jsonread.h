/* jsonread.h -- read JSON, one token at a time.
 *
 *	struct jsonread j;
 *
 *	jsonread_open(&j, &textfile);
 *	while ((token = jsonread_next(&j, &err)) > JSON_END)
 *		...;
 *	jsonread_close(&j);
 *
 * The grammar is RFC 8259's, to the letter, but for bytes that are no UTF-8, which are passed on:
 * programs write file names as they are. Memory is bounded by the longest string allowed, depth
 * by JSONREAD_DEPTH.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/base/textfile.h"
#include "profile/base/error.h"

enum {
	JSONREAD_DEPTH = 64,
	JSONREAD_STRING_MAX = 16 << 20	/* bytes; C++ names of 100 kB have been seen */
};

enum json_token {
	JSON_ERROR = -1,
	JSON_END = 0,		/* of the input, behind a whole value */
	JSON_OBJECT,		/* { */
	JSON_OBJECT_END,	/* } */
	JSON_ARRAY,		/* [ */
	JSON_ARRAY_END,		/* ] */
	JSON_KEY,		/* text: name of the member whose value follows */
	JSON_STRING,		/* text */
	JSON_NUMBER,		/* number, and whole if it is an integer */
	JSON_TRUE,
	JSON_FALSE,
	JSON_NULL
};

/* `text` to `offset` describe the token that was read last. */
struct jsonread {
	const char *text;	/* terminated; U+0000 in it has become U+FFFD */
	size_t length;
	double number;
	bool is_whole;		/* an integer that fits: magnitude and is_negative hold it */
	bool is_negative;
	uint64_t magnitude;
	uint64_t offset;	/* of its first byte in the input */
	/* private */
	struct textfile *in;
	char *buffer;		/* of text */
	size_t room;
	unsigned char chunk[4096];
	size_t at, end;
	uint64_t read;		/* bytes of the input before chunk */
	uint64_t inside;	/* a bit per level: 1 object, 0 array; the lowest: innermost */
	unsigned int depth;
	int state;
};

/* jsonread_open -- begin.
 *
 * in  borrowed; its lines must not have been read.
 */
void jsonread_open(struct jsonread *j, struct textfile *in);

/* jsonread_next -- the next token.
 *
 * Returns JSON_ERROR with ERR: MU_ERROR_FORMAT with the offset, MU_ERROR_TRUNCATED when the input
 * ends inside a value, or what reading it brought. After an error every call returns one.
 */
enum json_token jsonread_next(struct jsonread *j, struct mu_error *err);

/* jsonread_skip -- Skips the value that begins with the token that was read last.
 *
 * For values of unknown keys. Returns 0, or -1 with ERR.
 */
int jsonread_skip(struct jsonread *j, enum json_token first, struct mu_error *err);

/* jsonread_close -- release memory; the input stays open. */
void jsonread_close(struct jsonread *j);
