/* protobuf.c -- Writer of Protocol Buffers messages, for profiles only.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/base/protobuf.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, VARINT_MAX = 10 };

static void reserve_message_bytes(struct protobuf *m, size_t bytes)
{
	size_t room = m->room ? m->room : 256;

	while (room - m->size < bytes)
		room *= 2;
	if (room == m->room)
		return;
	m->data = xreallocarray(m->data, room, 1);
	m->room = room;
}

void protobuf_varint(struct protobuf *m, uint64_t value)
{
	reserve_message_bytes(m, VARINT_MAX);
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

void protobuf_fixed64(struct protobuf *m, unsigned int field, uint64_t value)
{
	protobuf_varint(m, field << 3 | WIRE_FIXED64);
	reserve_message_bytes(m, sizeof(value));
	for (unsigned int i = 0; i < sizeof(value); i++)
		m->data[m->size++] = (unsigned char)(value >> 8 * i);
}

void protobuf_text(struct protobuf *m, unsigned int field, const char *text)
{
	if (*text)
		protobuf_bytes(m, field, text, strlen(text));
}

void protobuf_bytes(struct protobuf *m, unsigned int field, const void *data, size_t size)
{
	protobuf_varint(m, field << 3 | WIRE_BYTES);
	protobuf_varint(m, size);
	if (size == 0)
		return;
	reserve_message_bytes(m, size);
	memcpy(m->data + m->size, data, size);
	m->size += size;
}

void protobuf_message(struct protobuf *m, unsigned int field, struct protobuf *inner)
{
	protobuf_bytes(m, field, inner->data, inner->size);
	inner->size = 0;
}

void protobuf_free(struct protobuf *m)
{
	free(m->data);
	*m = (struct protobuf){ .size = 0 };
}
