/* protobuf_read.h -- Reader of Protocol Buffers messages, field by field.
 *
 *	struct protobuf_reader r = { .at = data, .end = data + size };
 *	struct protobuf_field f;
 *	int got;
 *
 *	while ((got = protobuf_next(&r, &f)) > 0)
 *		use(f.number, f.value, f.data);
 *
 * Source Protocol Buffers, "Encoding".
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct protobuf_reader {
	const unsigned char *at, *end;
};

struct protobuf_field {
	uint32_t number;
	uint64_t value;			/* of a number; of bytes their length */
	const unsigned char *data;	/* of bytes, text or a message; NULL: a number */
};

/* protobuf_next -- Reads the next field of a message.
 *
 * Returns 1, 0 at the end, -1 if the message is damaged. Nothing beyond its end is read.
 */
int protobuf_next(struct protobuf_reader *r, struct protobuf_field *f);

/* protobuf_varint_next -- Reads a number of a packed list. Returns as above. */
int protobuf_varint_next(struct protobuf_reader *r, uint64_t *value);

/* protobuf_inner -- Returns a reader of the bytes of a field. */
struct protobuf_reader protobuf_inner(const struct protobuf_field *f);
