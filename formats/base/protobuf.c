/* protobuf.c -- Writer of Protocol Buffers messages, for profiles only.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/base/protobuf.h"

#include <stdlib.h>
#include <string.h>

enum { WIRE_VARINT = 0, WIRE_BYTES = 2, VARINT_MAX = 10 };

static bool reserve_message_bytes(struct protobuf *m, size_t bytes)
{
	size_t room = m->room ? m->room : 256;
	unsigned char *data;

	while (room - m->size < bytes)
		room *= 2;
	if (room == m->room)
		return true;
	data = realloc(m->data, room);
	if (!data) {
		m->has_failed = true;
		return false;
	}
	m->data = data;
	m->room = room;
	return true;
}

void protobuf_varint(struct protobuf *m, uint64_t value)
{
	if (!reserve_message_bytes(m, VARINT_MAX))
		return;
	for (; value >= 0x80; value >>= 7)
		m->data[m->size++] = (unsigned char)(value | 0x80);
	m->data[m->size++] = (unsigned char)value;
}

void protobuf_number(struct protobuf *m, unsigned int field, uint64_t value)
{
	if (value == 0)
		return;
	protobuf_varint(m, field << 3 | WIRE_VARINT);
	protobuf_varint(m, value);
}

void protobuf_bytes(struct protobuf *m, unsigned int field, const void *data, size_t size)
{
	protobuf_varint(m, field << 3 | WIRE_BYTES);
	protobuf_varint(m, size);
	if (size == 0 || !reserve_message_bytes(m, size))
		return;
	memcpy(m->data + m->size, data, size);
	m->size += size;
}

void protobuf_message(struct protobuf *m, unsigned int field, struct protobuf *inner)
{
	m->has_failed |= inner->has_failed;
	protobuf_bytes(m, field, inner->data, inner->size);
	inner->size = 0;
}

void protobuf_free(struct protobuf *m)
{
	free(m->data);
	*m = (struct protobuf){ .size = 0 };
}
