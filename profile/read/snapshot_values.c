/* snapshot_values.c -- Reads the values of each site at a snapshot.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/read/snapshot_values.h"

#include <stddef.h>
bool snapshot_values_are_known(const struct mu_snapshot *shot)
{
	return shot->values != 0 || shot->packed != 0 || shot->heap == 0;
}

void snapshot_values_open(struct snapshot_values *v, const struct image *image,
		     const struct mu_snapshot *shot)
{
	*v = (struct snapshot_values){ .image = image, .piece = shot->packed };
	if (shot->packed == 0) {
		v->array = shot->values;
		v->left = shot->value_count;
	}
}

static bool next_array_value(struct snapshot_values *v, struct mu_site_value *value)
{
	if (!v->left || !image_copy(v->image, v->array, value, sizeof(*value)))
		return false;
	v->array += sizeof(*value);
	v->left--;
	return true;
}

/* An empty piece is the end: so a chain that leads to itself ends too, as sites cannot ascend for
 * ever. */
static bool enter_next_piece(struct snapshot_values *v)
{
	struct mu_values head;

	if (!v->piece || !image_copy(v->image, v->piece, &head, sizeof(head)))
		return false;
	v->at = image_at(v->image, v->piece + offsetof(struct mu_values, byte), head.used);
	v->end = v->at ? v->at + head.used : NULL;
	v->piece = head.next;
	return v->at != v->end;
}

static bool decode_number(struct snapshot_values *v, uint64_t *result)
{
	unsigned int shift = 0;

	*result = 0;
	for (; v->at < v->end && shift < 64; shift += 7) {
		uint8_t byte = *v->at++;
		*result |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

static int64_t decode_zigzag(uint64_t number)
{
	return (int64_t)(number >> 1 ^ (0 - (number & 1)));
}

static bool next_packed_value(struct snapshot_values *v, struct mu_site_value *value)
{
	uint64_t distance, bytes, blocks;

	if (v->at == v->end && !enter_next_piece(v))
		return false;
	if (!decode_number(v, &distance) || !decode_number(v, &bytes) ||
	    !decode_number(v, &blocks) || distance > UINT32_MAX - v->site) {
		*v = (struct snapshot_values){ .image = v->image };
		return false;
	}
	*value = (struct mu_site_value){ (uint32_t)(v->site + distance), 0, decode_zigzag(bytes),
					 decode_zigzag(blocks) };
	v->site = (uint64_t)value->site + 1;
	return true;
}

bool snapshot_values_next(struct snapshot_values *v, struct mu_site_value *value)
{
	return v->left ? next_array_value(v, value) : next_packed_value(v, value);
}
