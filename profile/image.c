/* image.c -- checked access to one image of a recording.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/image.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "profile/batch.h"

const void *image_at(const struct image *im, uint64_t offset, uint64_t length)
{
	if (offset >= IMAGE_OUTSIDE) {
		offset -= IMAGE_OUTSIDE;
		if (offset > im->outside_size || length > im->outside_size - offset)
			return NULL;
		return im->outside + offset;
	}
	if (offset > im->size || length > im->size - offset || offset == 0)
		return NULL;
	return im->base + offset;
}

void image_refresh(struct image *im)
{
	batch_take(im);
}

int image_load(struct image *im, const void *base, uint64_t size, struct mu_error *err)
{
	uint64_t magic;

	*im = (struct image){ .base = base, .size = size };
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
static const void *entry_at(const struct image *im, const struct mu_table *t, uint64_t index)
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

uint64_t image_count(const struct image *im, enum mu_section section)
{
	const struct mu_table *t = &im->head.table[section];
	uint64_t possible;

	if (section == MU_SEC_TIMELINE && im->samples)
		return im->sample_count;
	if (section == MU_SEC_SNAPSHOTS && im->shots)
		return im->shot_count;
	if (!(im->head.features & MU_FEATURE(section)) || t->entry_size == 0)
		return 0;
	possible = im->size / t->entry_size;
	if (section == MU_SEC_THREADS && possible > IMAGE_THREADS_MAX)
		possible = IMAGE_THREADS_MAX;
	return t->count < possible ? t->count : possible;
}

const void *image_entry(const struct image *im, enum mu_section section, uint64_t index,
			size_t size)
{
	const struct mu_table *t = &im->head.table[section];
	const void *entry;

	if (section == MU_SEC_TIMELINE && im->samples)
		return index < im->sample_count && size <= sizeof(*im->samples) ?
			       &im->samples[index] : NULL;
	if (section == MU_SEC_SNAPSHOTS && im->shots)
		return index < im->shot_count && size <= sizeof(*im->shots) ? &im->shots[index] :
									      NULL;
	/* Structures are read in place by their alignment. */
	if (t->entry_size < size || t->entry_size % 8 || index >= image_count(im, section))
		return NULL;
	entry = entry_at(im, t, index);
	return (uintptr_t)entry % 8 ? NULL : entry;
}

bool image_snapshot(const struct image *im, uint64_t index, struct mu_snapshot *shot)
{
	size_t size = sizeof(*shot);
	const void *entry = image_entry(im, MU_SEC_SNAPSHOTS, index, size);

	if (!entry) {
		size = MU_SNAPSHOT_SIZE_MIN;
		entry = image_entry(im, MU_SEC_SNAPSHOTS, index, size);
	}
	if (!entry)
		return false;
	*shot = (struct mu_snapshot){ 0 };
	memcpy(shot, entry, size);
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
	const void *bytes;

	if (length > IMAGE_STRING_MAX)
		length = IMAGE_STRING_MAX;
	if (length > size - 1)
		length = size - 1;
	bytes = image_at(im, string->offset, length);
	if (!bytes)
		length = 0;
	else
		memcpy(buffer, bytes, length);
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
