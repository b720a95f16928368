/* image.c -- checked access to one image of a recording.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/read/image.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "profile/read/batch.h"

const void *image_at(const struct image *im, uint64_t offset, uint64_t length)
{
	if (offset >= IMAGE_OUTSIDE) {
		offset -= IMAGE_OUTSIDE;
		if (!im->outside || offset > im->outside_size || length > im->outside_size - offset)
			return NULL;
		return im->outside + offset;
	}
	if (offset > im->size || length > im->size - offset || offset == 0)
		return NULL;
	if (im->backed && length > 0 && backed_run(im->backed, offset, length) < length)
		return NULL;
	return im->base + offset;
}

uint64_t image_bytes(const struct image *im)
{
	uint64_t backed = im->backed ? backed_bytes(im->backed) : im->size;
	uint64_t used = im->head.used < backed ? im->head.used : backed;

	for (unsigned int section = 0; section < MU_SEC_COUNT; section++)
		used += im->replaced[section].count * im->replaced[section].size;
	return used + im->outside_size;
}

void image_replace(struct image *im, enum mu_section section, const void *entries, uint64_t count,
		   size_t size)
{
	if (entries)
		im->replaced[section] = (struct image_table){ entries, count, size };
}

/* The barrier tells the compiler that the original has changed: it may not look there again instead
 * of at the copy. */
void image_copy_bytes(void *to, const void *from, size_t length)
{
	memcpy(to, from, length);
	__asm__ volatile("" : : : "memory");
}

bool image_copy(const struct image *im, uint64_t offset, void *to, size_t length)
{
	const void *from = image_at(im, offset, length);

	if (from)
		image_copy_bytes(to, from, length);
	return from != NULL;
}

void image_refresh(struct image *im)
{
	batch_take(im);
}

int image_load(struct image *im, const void *base, uint64_t size, struct backed *backed,
	       struct mu_error *err)
{
	uint64_t magic;

	*im = (struct image){ .base = base, .size = size, .backed = backed };
	if (size < sizeof(im->head))
		return mu_error_set(err, MU_ERROR_TRUNCATED, 0, "too short for an image");
	/* The magic is written last: what it covers is complete once it is seen. */
	magic = __atomic_load_n((const uint64_t *)base, __ATOMIC_ACQUIRE);
	if (magic != MU_IMAGE_MAGIC)
		return mu_error_set(err, MU_ERROR_FORMAT, 0, "no image was begun here");
	image_refresh(im);
	if (im->head.version != MU_VERSION ||
	    im->head.header_size < offsetof(struct mu_image, batch))
		return mu_error_set(err, MU_ERROR_VERSION, 0, "image of unknown version %u",
				    im->head.version);
	return 0;
}

/* Extents double: extent k begins at entry ((1 << k) - 1) << first_log2. */
static const void *entry_at_index(const struct image *im, const struct mu_table *t, uint64_t index)
{
	unsigned int extent;
	uint64_t inner, offset;

	if (t->first_log2 > 40 || index >> 40)
		return NULL;
	extent = 63 - (unsigned int)__builtin_clzll((index >> t->first_log2) + 1);
	if (extent >= MU_TABLE_EXTENTS)
		return NULL;
	inner = index - (((UINT64_C(1) << extent) - 1) << t->first_log2);
	if (__builtin_mul_overflow(inner, (uint64_t)t->entry_size, &offset) ||
	    __builtin_add_overflow(offset, t->extent[extent], &offset) || t->extent[extent] == 0)
		return NULL;
	return image_at(im, offset, t->entry_size);
}

/* Returns a table's own count of entries, limited where more make no sense; 0: no table. */
static uint64_t declared_entry_count(const struct image *im, enum mu_section section)
{
	const struct mu_table *t = &im->head.table[section];

	if (!(im->head.features & MU_FEATURE(section)) || t->entry_size == 0)
		return 0;
	return section == MU_SEC_THREADS && t->count > IMAGE_THREADS_MAX ? IMAGE_THREADS_MAX :
									   t->count;
}

/* How many of WANTED entries of SIZE bytes, from OFFSET on, lie in memory that is there. */
static uint64_t entries_there(const struct image *im, uint64_t offset, uint64_t wanted,
			      uint64_t size)
{
	uint64_t run = offset < im->size ? im->size - offset : 0, bytes;

	if (offset == 0)
		return 0;
	if (__builtin_mul_overflow(wanted, size, &bytes) || bytes > run)
		bytes = run;
	if (im->backed)
		run = backed_run(im->backed, offset, bytes);
	return run / size < wanted ? run / size : wanted;
}

/* Counts how many of the first COUNT entries are in backed memory. The first extent that is not
 * whole is the last one read. */
static uint64_t count_readable_entries(const struct image *im, const struct mu_table *t,
				       uint64_t count)
{
	uint64_t there = 0;

	for (unsigned int k = 0; k < MU_TABLE_EXTENTS && there < count; k++) {
		uint64_t room = t->first_log2 + k < 41 ? UINT64_C(1) << (t->first_log2 + k) : 0;
		uint64_t wanted = count - there < room ? count - there : room;
		uint64_t found = entries_there(im, t->extent[k], wanted, t->entry_size);

		there += found;
		if (found < wanted || wanted == 0)
			break;
	}
	return there;
}

uint64_t image_count(const struct image *im, enum mu_section section)
{
	const struct mu_table *t = &im->head.table[section];

	if (im->replaced[section].entries)
		return im->replaced[section].count;
	return count_readable_entries(im, t, declared_entry_count(im, section));
}

const void *image_entry(const struct image *im, enum mu_section section, uint64_t index,
			size_t size)
{
	const struct image_table *own = &im->replaced[section];
	const struct mu_table *t = &im->head.table[section];
	const void *entry;

	if (own->entries)
		return index < own->count && size <= own->size ?
			       (const char *)own->entries + index * own->size : NULL;
	/* Structures are read in place by their alignment. */
	if (t->entry_size < size || t->entry_size % 8 || index >= declared_entry_count(im, section))
		return NULL;
	entry = entry_at_index(im, t, index);
	return (uintptr_t)entry % 8 ? NULL : entry;
}

bool image_copy_entry(const struct image *im, enum mu_section section, uint64_t index, void *to,
		      size_t size)
{
	const void *from = image_entry(im, section, index, size);

	if (from)
		image_copy_bytes(to, from, size);
	return from != NULL;
}

bool image_snapshot(const struct image *im, uint64_t index, struct mu_snapshot *shot)
{
	struct mu_snapshot found = { 0 };

	if (!image_copy_entry(im, MU_SEC_SNAPSHOTS, index, &found, sizeof(found)) &&
	    !image_copy_entry(im, MU_SEC_SNAPSHOTS, index, &found, MU_SNAPSHOT_SIZE_MIN))
		return false;
	*shot = found;
	return true;
}

void image_forget(const struct image *im)
{
	const uintptr_t start = ((uintptr_t)im->base + MU_PAGE - 1) & ~(uintptr_t)(MU_PAGE - 1);
	const uintptr_t end = ((uintptr_t)im->base + im->size) & ~(uintptr_t)(MU_PAGE - 1);

	if (im->is_file && end > start)
		madvise((void *)start, end - start, MADV_DONTNEED);
}

size_t image_string(const struct image *im, const struct mu_string *string, char *buffer,
		    size_t size)
{
	size_t length = string->length;

	if (length > IMAGE_STRING_MAX)
		length = IMAGE_STRING_MAX;
	if (length > size - 1)
		length = size - 1;
	if (!image_copy(im, string->offset, buffer, length))
		length = 0;
	buffer[length] = '\0';
	return length;
}

char *image_text(const struct image *im, const struct mu_string *string)
{
	size_t size = string->length < IMAGE_STRING_MAX ? string->length : IMAGE_STRING_MAX;
	char *text = malloc(size + 1);

	if (text)
		image_string(im, string, text, size + 1);
	return text;
}

char *image_command(const struct image *im)
{
	const struct mu_string *line = &im->head.process.cmdline;
	size_t size = line->length < IMAGE_STRING_MAX ? line->length : IMAGE_STRING_MAX;
	char *text = malloc(size + 1);
	size_t length;

	if (!text)
		return NULL;
	length = image_string(im, line, text, size + 1);
	while (length > 0 && text[length - 1] == '\0')
		length--;
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '\0')
			text[i] = ' ';
	}
	return text;
}
