/* protobuf.h -- Writer of Protocol Buffers messages, for profiles only.
 *
 * Source Protocol Buffers, "Encoding".
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* A message that grows. Zeroed, it is empty. */
struct protobuf {
	unsigned char *data;
	size_t size;
	size_t room;
};

/* protobuf_varint -- append a number without a field, as in packed lists. */
void protobuf_varint(struct protobuf *m, uint64_t value);

/* protobuf_number -- append a field of an integer type; a value of 0 needs no bytes.
 *
 * value  a negative int64 as the unsigned number of the same bits.
 */
void protobuf_number(struct protobuf *m, unsigned int field, uint64_t value);

/* protobuf_fixed64 -- append a field of type fixed64, also if it is 0. */
void protobuf_fixed64(struct protobuf *m, unsigned int field, uint64_t value);

/* protobuf_text -- append a field of a zero-terminated text; an empty one needs no bytes. */
void protobuf_text(struct protobuf *m, unsigned int field, const char *text);

/* protobuf_bytes -- append a field of SIZE bytes: a string. */
void protobuf_bytes(struct protobuf *m, unsigned int field, const void *data, size_t size);

/* protobuf_message -- append another message, or a packed list, as a field; that is empty then,
 * to be used again. */
void protobuf_message(struct protobuf *m, unsigned int field, struct protobuf *inner);

/* protobuf_free -- release it. */
void protobuf_free(struct protobuf *m);
