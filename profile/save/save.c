/* save.c -- write a kept recording: the file, its header and its table of images.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/save/save.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile/base/crc32.h"
#include "profile/base/file.h"
#include "profile/save/save_image.h"

enum { FIRST_ROOM = 64 };

static int write_at_offset(const struct save *k, const void *data, size_t size, uint64_t offset,
			   struct mu_error *err)
{
	if (!file_write_at(k->fd, data, size, offset))
		return mu_error_set(err, MU_ERROR_SYSTEM, offset, "%m");
	return 0;
}

/* The header comes last: until then the file is the recording it was before. */
static int write_segment_head(struct save *k, struct mu_error *err)
{
	char page[MU_PAGE] = "";

	k->head.size = k->end;
	k->head.checksum = 0;
	k->head.checksum = crc32_add(0, &k->head, sizeof(k->head));
	memcpy(page, &k->head, sizeof(k->head));
	return write_at_offset(k, page, sizeof(page), 0, err);
}

/* Writes a table with twice as many entries behind everything else. */
static int grow_slot_table(struct save *k, struct mu_error *err)
{
	uint32_t room = k->room ? 2 * k->room : FIRST_ROOM;
	struct mu_slot *slot = reallocarray(k->slot, room, sizeof(*slot));

	if (!slot)
		return mu_error_memory(err);
	memset(slot + k->room, 0, (room - k->room) * sizeof(*slot));
	k->slot = slot;
	if (write_at_offset(k, slot, room * sizeof(*slot), k->end, err) < 0)
		return -1;
	k->room = room;
	k->head.slot_table = k->end;
	k->end += room * sizeof(*slot);
	return write_segment_head(k, err);
}

int save_begin(struct save *k, int fd, const struct mu_segment *from, struct mu_error *err)
{
	*k = (struct save){ .fd = fd, .end = MU_PAGE };
	k->head = (struct mu_segment){
		.magic = MU_SEGMENT_MAGIC,
		.version = mu_version(from->config.flags),
		.header_size = sizeof(k->head),
		.kind = MU_KIND_KEPT,
		.start_mono_ns = from->start_mono_ns,
		.start_real_ns = from->start_real_ns,
		.start_tsc = from->start_tsc,
		.collector_pid = from->collector_pid,
		.config = from->config,
		.rank = from->rank,
	};
	memcpy(k->head.host, from->host, sizeof(k->head.host));
	return grow_slot_table(k, err);
}

static bool read_segment_head(struct mu_segment *head, int fd)
{
	struct mu_segment zeroed;

	if (pread(fd, head, sizeof(*head), 0) != (ssize_t)sizeof(*head) ||
	    head->magic != MU_SEGMENT_MAGIC ||
	    head->version != mu_version(head->config.flags) ||
	    head->header_size != sizeof(*head) || head->kind != MU_KIND_KEPT ||
	    head->slot_count > SEGMENT_SLOTS_MAX)
		return false;
	zeroed = *head;
	zeroed.checksum = 0;
	return crc32_add(0, &zeroed, sizeof(zeroed)) == head->checksum;
}

/* An image that was being added when the other process ended is behind the end, and is
 * overwritten. */
bool save_resume(struct save *k, int fd, const struct mu_segment *since)
{
	struct save found = { .fd = fd, .room = FIRST_ROOM };
	size_t size;

	if (!read_segment_head(&found.head, fd) ||
	    found.head.start_mono_ns < since->start_mono_ns ||
	    found.head.start_real_ns < since->start_real_ns)
		return false;
	while (found.room < found.head.slot_count)
		found.room *= 2;
	found.end = found.head.size;
	size = found.head.slot_count * sizeof(*found.slot);
	found.slot = calloc(found.room, sizeof(*found.slot));
	if (!found.slot ||
	    pread(fd, found.slot, size, (off_t)found.head.slot_table) != (ssize_t)size) {
		free(found.slot);
		return false;
	}
	*k = found;
	return true;
}

int save_add(struct save *k, const struct image *im, const struct mu_slot *slot,
	     struct mu_error *err)
{
	uint32_t index = k->head.slot_count;
	uint64_t start, length, features;
	struct mu_slot *entry;
	uint64_t place;

	if (index == SEGMENT_SLOTS_MAX)
		return mu_error_set(err, MU_ERROR_FORMAT, 0, "too many images");
	if (index == k->room && grow_slot_table(k, err) < 0)
		return -1;
	start = (k->end + MU_PAGE - 1) & ~(uint64_t)(MU_PAGE - 1);
	if (save_image(k->fd, start, im, &length, &features, err) < 0)
		return -1;
	entry = &k->slot[index];
	*entry = *slot;
	entry->state = MU_SLOT_ENDED;
	entry->offset = start;
	entry->length = length;
	place = k->head.slot_table + index * sizeof(*entry);
	if (write_at_offset(k, entry, sizeof(*entry), place, err) < 0)
		return -1;
	k->end = start + length;
	k->head.slot_count++;
	k->head.features |= features;
	return write_segment_head(k, err);
}

int save_set_writer(struct save *k, pid_t pid, struct mu_error *err)
{
	k->head.writer = (uint32_t)pid;
	return write_segment_head(k, err);
}

bool save_ends_with(const struct save *k, const struct mu_slot *slot)
{
	return k->room > 0 && k->head.slot_count > 0 &&
	       segment_is_same(&k->slot[k->head.slot_count - 1], slot);
}

void save_end(struct save *k)
{
	free(k->slot);
	*k = (struct save){ .fd = -1 };
}

/* The checksum covers the entries of a table, not the data that they point to. */
static int verify_section_table(const struct image *im, unsigned int section, struct mu_error *err)
{
	const struct mu_table *t = &im->head.table[section];
	uint64_t length;
	const void *entries;

	if (__builtin_mul_overflow(t->count, (uint64_t)t->entry_size, &length))
		length = UINT64_MAX;
	entries = image_at(im, t->extent[0], length);
	if (!entries)
		return mu_error_set(err, MU_ERROR_TRUNCATED, t->extent[0],
				    "section %u is not whole", section);
	if (crc32_add(0, entries, length) != t->checksum)
		return mu_error_set(err, MU_ERROR_FORMAT, t->extent[0],
				    "section %u is damaged: its checksum is wrong", section);
	return 0;
}

int save_verify(const struct segment *s, const struct image *im, struct mu_error *err)
{
	if (save_image_check(im, err) < 0)
		return -1;
	if (s->head.kind != MU_KIND_KEPT)
		return 0;
	for (unsigned int section = 0; section < MU_SEC_COUNT; section++) {
		const struct mu_table *t = &im->head.table[section];

		if (t->entry_size == 0 || t->count == 0)
			continue;
		if (verify_section_table(im, section, err) < 0)
			return -1;
		image_forget(im);
	}
	return 0;
}
