/* protobuf_read.c -- Reader of Protocol Buffers messages, field by field.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/base/protobuf_read.h"

#include <string.h>

enum { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

int protobuf_varint_next(struct protobuf_reader *r, uint64_t *value)
{
	*value = 0;
	if (r->at == r->end)
		return 0;
	for (unsigned int shift = 0; shift < 64; shift += 7) {
		if (r->at == r->end)
			return -1;
		*value |= (uint64_t)(*r->at & 0x7f) << shift;
		if (*r->at++ < 0x80)
			return 1;
	}
	return -1;
}

/* Numbers of fixed size are little-endian. */
static int read_fixed(struct protobuf_reader *r, size_t size, uint64_t *value)
{
	if ((size_t)(r->end - r->at) < size)
		return -1;
	*value = 0;
	for (size_t i = size; i-- > 0;)
		*value = *value << 8 | r->at[i];
	r->at += size;
	return 1;
}

int protobuf_next(struct protobuf_reader *r, struct protobuf_field *f)
{
	uint64_t tag;
	const int got = protobuf_varint_next(r, &tag);

	if (got <= 0)
		return got;
	*f = (struct protobuf_field){ .number = (uint32_t)(tag >> 3) };
	if (tag >> 3 == 0 || tag >> 3 > UINT32_MAX)
		return -1;
	switch (tag & 7) {
	case WIRE_VARINT:
		return protobuf_varint_next(r, &f->value) == 1 ? 1 : -1;
	case WIRE_64:
		return read_fixed(r, 8, &f->value);
	case WIRE_32:
		return read_fixed(r, 4, &f->value);
	case WIRE_BYTES:
		if (protobuf_varint_next(r, &f->value) != 1 || f->value > (size_t)(r->end - r->at))
			return -1;
		f->data = r->at;
		r->at += f->value;
		return 1;
	default:
		return -1;
	}
}

struct protobuf_reader protobuf_inner(const struct protobuf_field *f)
{
	return (struct protobuf_reader){ .at = f->data,
					 .end = f->data ? f->data + f->value : NULL };
}
