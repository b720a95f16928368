/* earlier_list.c -- The blocks of a process from before memusage attached, as its examiner needs
 * them.
 *
 * They are all blocks that malloc has given to the program, and the recording does not know.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/attach/earlier_list.h"

#include <stdlib.h>
#include <string.h>

#include "cli/xmalloc.h"
#include "memusage/allocator/allocator_kind.h"
#include "memusage/allocator/glibc_heap.h"
#include "profile/base/array.h"
#include "recording/attach.h"

#define FILE_START "/memfd:" MU_ATTACH_FILE " " /* in /proc/PID/maps */

struct earlier_list {
	const struct block_set *known;
	struct heap_block *block;
	uint32_t count, room;
	uint32_t site;
};

static bool is_attached(const struct snapshot *s)
{
	for (uint32_t i = 0; i < s->space.count; i++) {
		if (strncmp(s->space.area[i].name, FILE_START, strlen(FILE_START)) == 0)
			return true;
	}
	return false;
}

/* Returns 0 if their place is not in the image, as that of a forked child. */
static uint32_t find_site(const struct image *im)
{
	const uint64_t count = image_count(im, MU_SEC_SITES);
	struct mu_site site;

	for (uint64_t i = 0; i < count; i++) {
		if (image_copy_entry(im, MU_SEC_SITES, i, &site, sizeof(site)) &&
		    site.fn == MU_SITE_FN_BEFORE)
			return (uint32_t)i;
	}
	return 0;
}

static bool is_known(const struct block_set *known, uint64_t address)
{
	uint32_t low = 0, high = known->count;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (known->block[middle].start < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < known->count && known->block[low].start == address;
}

static void append_chunk(void *data, const struct heap_chunk *chunk)
{
	struct earlier_list *l = data;

	if (chunk->state != CHUNK_USED || is_known(l->known, chunk->address))
		return;
	array_reserve(&l->block, &l->room, l->count + UINT64_C(1), sizeof(*l->block));
	l->block[l->count++] = (struct heap_block){ .start = chunk->address,
						    .size = chunk->usable, .site = l->site };
}

static bool read_snapshot(const void *data, uint64_t address, void *to, size_t size)
{
	return address_space_read(data, address, to, size) == size;
}

static enum heap_result walk_heap(struct earlier_list *l, const struct snapshot *s, char *why)
{
	const uint32_t count = s->tracee.count;
	uint64_t *thread = xcalloc(count + UINT64_C(1), sizeof(*thread));
	const struct heap_memory m = { .space = &s->space, .thread = thread, .threads = count,
				       .read = read_snapshot, .data = &s->space };
	const struct heap_walk walk = { .release = glibc_layout_release(&m),
					.visit = append_chunk, .data = l };
	enum heap_result result = HEAP_REFUSED;
	struct glibc_heap h = { .why = "the release of its glibc is not known" };

	for (uint32_t i = 0; i < count; i++)
		thread[i] = tracee_base(&s->tracee.thread[i]);
	if (walk.release)
		result = glibc_heap_walk(&h, &m, &walk);
	memcpy(why, h.why, sizeof(h.why));
	glibc_heap_free(&h);
	free(thread);
	return result;
}

static enum examination_more take_blocks(struct snapshot *s, const struct earlier_list *l,
					 struct mu_error *err)
{
	for (uint32_t i = 0; i < l->count; i++) {
		if (!block_set_add(&s->blocks, &l->block[i])) {
			mu_error_set(err, MU_ERROR_FORMAT, 0, "it has too many blocks");
			return EXAMINATION_REFUSED;
		}
	}
	block_set_finish(&s->blocks);
	return EXAMINATION_COMPLETE;
}

enum examination_more earlier_list_add(struct snapshot *s, struct mu_error *err)
{
	struct earlier_list l = { .known = &s->blocks };
	enum examination_more more = EXAMINATION_REFUSED;
	struct mu_error reason;
	struct glibc_heap h;
	enum heap_result result;

	if (!is_attached(s))
		return EXAMINATION_COMPLETE;
	if (allocator_kind_check(&s->space, s->tracee.pid, &reason) < 0) {
		mu_error_set(err, MU_ERROR_FORMAT, 0,
			     "its blocks from before the attach may hold others, and are not "
			     "known: %.120s", reason.text);
		return EXAMINATION_REFUSED;
	}
	l.site = find_site(&s->image);
	result = walk_heap(&l, s, h.why);
	if (result == HEAP_OK)
		more = take_blocks(s, &l, err);
	else
		mu_error_set(err, MU_ERROR_FORMAT, 0,
			     "its blocks from before the attach may hold others, and cannot be "
			     "listed: %.120s", h.why);
	free(l.block);
	return result == HEAP_BUSY ? EXAMINATION_BUSY : more;
}
