/* dwarf_reader.h -- reading the numbers in unwind tables.
 *
 * All functions stay within the reader: beyond its end they return zeros and set `bad`. They are
 * async-signal-safe.
 * Source: LSB 5.0 Core, "DWARF Exception Header Encoding"; DWARF 4, section 7.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Encodings of pointers in .eh_frame. */
enum {
	ENC_ABSOLUTE = 0,
	ENC_ULEB = 1,
	ENC_U16 = 2,
	ENC_U32 = 3,
	ENC_U64 = 4,
	ENC_SLEB = 9,
	ENC_S16 = 10,
	ENC_S32 = 11,
	ENC_S64 = 12,
	ENC_PC_RELATIVE = 0x10,
	ENC_DATA_RELATIVE = 0x30,
	ENC_INDIRECT = 0x80,
	ENC_OMIT = 0xff
};

/* A position in a table, and the table's end. */
struct dwarf_reader {
	const uint8_t *at, *end;
	bool bad;
};

/* dwarf_read_bytes -- read an unsigned number of SIZE bytes, 8 at most. */
static inline uint64_t dwarf_read_bytes(struct dwarf_reader *r, unsigned int size)
{
	uint64_t value = 0;

	if ((size_t)(r->end - r->at) < size) {
		r->bad = true;
		return 0;
	}
	memcpy(&value, r->at, size);
	r->at += size;
	return value;
}

/* dwarf_read_uleb -- read an unsigned number of variable length. Source: DWARF 4, section 7.6. */
static inline uint64_t dwarf_read_uleb(struct dwarf_reader *r)
{
	uint64_t value = 0;

	for (unsigned int shift = 0;; shift += 7) {
		uint64_t byte = dwarf_read_bytes(r, 1);
		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
}

/* dwarf_read_sleb -- read a signed number of variable length. */
static inline int64_t dwarf_read_sleb(struct dwarf_reader *r)
{
	uint64_t value = 0;
	unsigned int shift = 0;
	uint64_t byte;

	do {
		byte = dwarf_read_bytes(r, 1);
		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (shift < 64 && byte & 0x40)
		value |= ~UINT64_C(0) << shift;
	return (int64_t)value;
}

/* dwarf_read_pointer -- read a pointer.
 *
 * encoding   enum of the ENC_ values above, added up.
 * data_base  what ENC_DATA_RELATIVE is relative to.
 */
static inline uint64_t dwarf_read_pointer(struct dwarf_reader *r, int encoding, uint64_t data_base)
{
	uint64_t base = (uint64_t)r->at;
	uint64_t value;

	switch (encoding & 15) {
	case ENC_U16:
		value = dwarf_read_bytes(r, 2);
		break;
	case ENC_U32:
		value = dwarf_read_bytes(r, 4);
		break;
	case ENC_S16:
		value = (uint64_t)(int64_t)(int16_t)dwarf_read_bytes(r, 2);
		break;
	case ENC_S32:
		value = (uint64_t)(int64_t)(int32_t)dwarf_read_bytes(r, 4);
		break;
	case ENC_ULEB:
		value = dwarf_read_uleb(r);
		break;
	case ENC_SLEB:
		value = (uint64_t)dwarf_read_sleb(r);
		break;
	default:
		value = dwarf_read_bytes(r, 8);
	}
	if (value && (encoding & 0x70) == ENC_PC_RELATIVE)
		value += base;
	else if (value && (encoding & 0x70) == ENC_DATA_RELATIVE)
		value += data_base;
	return value;
}
