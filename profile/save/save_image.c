/* save_image.c -- Writes one image of a kept recording.
 *
 * What is written: the header, then per section its entries in one extent, then the strings
 * and arrays that they name. Those come after the entries but their places stand in them, so
 * places are given out in a first pass over the entries and the bytes follow in a second.
 * The image may be hostile, and change meanwhile: what is written is bounded by what is backed.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/save/save_image.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "profile/base/crc32.h"
#include "profile/base/file.h"
#include "profile/read/batch.h"
#include "profile/read/holders.h"
#include "profile/read/labels.h"
#include "profile/read/leak_checks.h"
#include "profile/read/lifetimes.h"
#include "profile/read/pages.h"
#include "recording/accesses.h"
#include "recording/family.h"
#include "recording/points.h"

enum {
	BUFFER_BYTES = 64 << 10,
	REFERENCES = 3,		/* most of one entry */
	PIECES = 0,
	WHOLE = 40,		/* first_log2 of a table whose entries are all in extent 0 */
	ENTRY_MAX = sizeof(struct mu_thread)
};

/* Bytes elsewhere in the image that a section's entry points to. */
struct reference {
	uint16_t offset;	/* of the uint64_t in the entry that says where; 0: none */
	uint16_t count;		/* of the field that counts elements; 0: `fixed` of them */
	uint16_t count_size;	/* bytes of that field */
	uint32_t fixed;
	uint32_t element;	/* bytes; PIECES: of a chain of mu_values, kept as one */
};

struct section {
	uint16_t entry_size;	/* 0: not kept */
	struct reference reference[REFERENCES];
};

#define STRING_AT(place) { (place) + offsetof(struct mu_string, offset), \
			   (place) + offsetof(struct mu_string, length), 4, 0, 1 }

static const struct section sections[MU_SEC_COUNT] = {
	[MU_SEC_THREADS] = { sizeof(struct mu_thread),
		{ { offsetof(struct mu_thread, counters) + offsetof(struct mu_counters, hist_high),
		    0, 0, MU_HIST_HIGH, sizeof(uint64_t) } } },
	[MU_SEC_MAPPINGS] = { sizeof(struct mu_mapping), { { 0 } } },
	[MU_SEC_MODULES] = { sizeof(struct mu_module),
		{ STRING_AT(offsetof(struct mu_module, path)) } },
	[MU_SEC_FRAMES] = { sizeof(struct mu_frame), { { 0 } } },
	[MU_SEC_STACKS] = { sizeof(struct mu_stack), { { 0 } } },
	[MU_SEC_SITES] = { sizeof(struct mu_site), { { 0 } } },
	[MU_SEC_CELLS] = { sizeof(struct mu_cell), { { 0 } } },
	[MU_SEC_SNAPSHOTS] = { sizeof(struct mu_snapshot),
		{ STRING_AT(offsetof(struct mu_snapshot, name)),
		  { offsetof(struct mu_snapshot, values),
		    offsetof(struct mu_snapshot, value_count), 8, 0,
		    sizeof(struct mu_site_value) },
		  { offsetof(struct mu_snapshot, packed),
		    offsetof(struct mu_snapshot, packed_bytes), 8, 0, PIECES } } },
	[MU_SEC_SNAPSHOT_LOG] = { sizeof(struct mu_snapshot_log_entry), { { 0 } } },
	[MU_SEC_TIMELINE] = { sizeof(struct mu_sample), { { 0 } } },
	[MU_SEC_MARKS] = { sizeof(struct mu_mark), { STRING_AT(offsetof(struct mu_mark, text)) } },
	[MU_SEC_ACCESSES] = { sizeof(struct mu_access),
		{ { offsetof(struct mu_access, counts), offsetof(struct mu_access, counted), 8, 0,
		    sizeof(uint16_t) } } },
	[MU_SEC_SYMBOLS] = { sizeof(struct mu_symbol),
		{ STRING_AT(offsetof(struct mu_symbol, name)),
		  STRING_AT(offsetof(struct mu_symbol, object)),
		  STRING_AT(offsetof(struct mu_symbol, why)) } },
	[MU_SEC_POINTS] = { sizeof(struct mu_point), { { 0 } } },
};

struct image_writer {
	int fd;
	uint64_t start;		/* of the image in the file */
	uint64_t at;		/* in the image: where the next byte goes */
	uint64_t place;		/* in the image: where the next referenced bytes will go */
	uint64_t entries_left;	/* bytes of entries that may still be written */
	uint64_t left;		/* likewise, of what they refer to */
	uint32_t crc;
	size_t used;
	struct mu_error *err;
	bool has_failed;
	const struct image *im;
	unsigned char buffer[BUFFER_BYTES];
};

static void flush_buffer(struct image_writer *w)
{
	uint64_t offset = w->start + w->at - w->used;

	if (!w->has_failed && !file_write_at(w->fd, w->buffer, w->used, offset)) {
		mu_error_set(w->err, MU_ERROR_SYSTEM, offset, "%m");
		w->has_failed = true;
	}
	w->used = 0;
}

static void write_bytes(struct image_writer *w, const void *data, size_t size)
{
	const unsigned char *from = data;

	w->crc = crc32_add(w->crc, data, size);
	while (size > 0) {
		size_t part = BUFFER_BYTES - w->used;

		part = part < size ? part : size;
		memcpy(w->buffer + w->used, from, part);
		w->used += part;
		w->at += part;
		from += part;
		size -= part;
		if (w->used == BUFFER_BYTES)
			flush_buffer(w);
	}
}

static void write_padding(struct image_writer *w)
{
	static const char zeros[8];

	write_bytes(w, zeros, (size_t)(-w->at & 7));
}

static uint64_t round_up_to_eight(uint64_t bytes)
{
	return (bytes + 7) & ~UINT64_C(7);
}

/* How many bytes a reference of ENTRY leads to, if they are there; a chain of pieces counts as the
 * one that it becomes. */
static uint64_t referenced_length(const struct reference *r, const unsigned char *entry)
{
	uint64_t offset, count = r->fixed, length;

	memcpy(&offset, entry + r->offset, sizeof(offset));
	if (offset == 0)
		return 0;
	if (r->count_size > 0) {
		count = 0;
		memcpy(&count, entry + r->count, r->count_size);
	}
	if (r->element == PIECES)
		return count < UINT32_MAX - sizeof(struct mu_values) ?
			       count + sizeof(struct mu_values) : UINT64_MAX;
	return __builtin_mul_overflow(count, (uint64_t)r->element, &length) ? UINT64_MAX : length;
}

/* Returns the bytes themselves, or NULL if they are not there. Checks only the beginning of a
 * chain. */
static const void *referenced_bytes(const struct image_writer *w, const struct reference *r,
				    const unsigned char *entry)
{
	uint64_t offset;

	memcpy(&offset, entry + r->offset, sizeof(offset));
	if (offset == 0)
		return NULL;
	return image_at(w->im, offset, r->element == PIECES ? sizeof(struct mu_values) :
							      referenced_length(r, entry));
}

/* Entries of an honest image share nothing, so that all they name has room in it. In a hostile one
 * all may name the same bytes: there the rest become empty. So each byte of an image is written
 * twice at most: as an entry, and as what entries refer to. */
static bool charge_copied_bytes(struct image_writer *w, uint64_t length)
{
	if (length > w->left || round_up_to_eight(length) > w->left)
		return false;
	w->left -= round_up_to_eight(length);
	return true;
}

/* Give a reference its new place in ENTRY; one that leads nowhere becomes empty, in both. */
static void relocate_reference(struct image_writer *w, const struct reference *r,
			       unsigned char *entry, unsigned char *original)
{
	static const uint64_t zero;
	uint64_t length, place = 0;

	if (r->offset == 0)
		return;
	length = referenced_bytes(w, r, original) ? referenced_length(r, original) : 0;
	if (length > 0 && charge_copied_bytes(w, length))
		place = w->place;
	memcpy(entry + r->offset, &place, sizeof(place));
	if (place) {
		w->place += round_up_to_eight(length);
		return;
	}
	memcpy(original + r->offset, &zero, sizeof(zero));
	if (r->count_size > 0)
		memcpy(entry + r->count, &zero, r->count_size);
}

static void write_zeros(struct image_writer *w, uint64_t length)
{
	static const char zeros[512];

	for (; length > 0; length -= length < sizeof(zeros) ? length : sizeof(zeros))
		write_bytes(w, zeros, length < sizeof(zeros) ? length : sizeof(zeros));
}

/* One piece of LENGTH bytes with its header, made of those that OFFSET leads to. */
static void write_value_pieces(struct image_writer *w, uint64_t offset, uint64_t length)
{
	uint64_t left = length - sizeof(struct mu_values);
	struct mu_values piece = { .used = (uint32_t)left };

	write_bytes(w, &piece, sizeof(piece));
	while (left > 0) {
		const void *bytes = NULL;
		uint64_t size = 0;

		if (offset && image_copy(w->im, offset, &piece, sizeof(piece))) {
			size = piece.used < left ? piece.used : left;
			bytes = image_at(w->im, offset + sizeof(piece), size);
		}
		if (!bytes || size == 0)
			break;
		write_bytes(w, bytes, size);
		left -= size;
		offset = piece.next;
	}
	/* The image changed meanwhile: zeros are values of 0. */
	write_zeros(w, left);
}

/* The bytes themselves, in the order in which the places were given, and as many: what is not there
 * any more is zeros. */
static void write_referenced(struct image_writer *w, const struct reference *r,
			     const unsigned char *entry)
{
	uint64_t length, offset;
	const void *bytes;

	length = r->offset ? referenced_length(r, entry) : 0;
	if (length == 0)
		return;
	bytes = referenced_bytes(w, r, entry);
	if (!bytes) {
		write_zeros(w, length);
	} else if (r->element == PIECES) {
		memcpy(&offset, entry + r->offset, sizeof(offset));
		write_value_pieces(w, offset, length);
	} else {
		write_bytes(w, bytes, length);
	}
	write_padding(w);
}

/* The image may belong to a living process after all: entries are copied once, into a table of
 * our own, so that both passes see the same. */
static unsigned char *copy_section_entries(struct image_writer *w, enum mu_section section,
					   uint64_t *count)
{
	const struct image *im = w->im;
	size_t size = sections[section].entry_size;
	unsigned char *copy;

	*count = image_count(w->im, section);
	if (*count > w->entries_left / size)
		*count = w->entries_left / size;
	w->entries_left -= *count * size;
	copy = *count ? reallocarray(NULL, *count, size) : NULL;
	for (uint64_t i = 0; copy && i < *count; i++) {
		unsigned char *to = copy + i * size;

		if (section == MU_SEC_CELLS ? !batch_cell(im, i, (struct mu_cell *)to) :
					      !image_copy_entry(im, section, i, to, size))
			*count = i;
	}
	return copy;
}

/* Entries that say where something else is, which will be behind them. */
static void write_relocated(struct image_writer *w, const struct section *s, unsigned char *entries,
			    uint64_t count)
{
	unsigned char entry[ENTRY_MAX];

	/* Strings lie side by side there, and at multiples of 8 here. */
	w->left += count * REFERENCES * 8;
	for (uint64_t i = 0; i < count; i++) {
		unsigned char *original = entries + i * s->entry_size;

		memcpy(entry, original, s->entry_size);
		for (unsigned int k = 0; k < REFERENCES; k++)
			relocate_reference(w, &s->reference[k], entry, original);
		write_bytes(w, entry, s->entry_size);
	}
}

static void write_section_table(struct image_writer *w, enum mu_section section, struct mu_table *t)
{
	const struct section *s = &sections[section];
	uint64_t count, size = s->entry_size;
	unsigned char *entries = copy_section_entries(w, section, &count);

	*t = (struct mu_table){ 0 };
	if (!entries)
		return;
	t->entry_size = (uint32_t)size;
	t->first_log2 = WHOLE;
	t->count = count;
	t->extent[0] = w->at;
	w->place = round_up_to_eight(w->at + count * size);
	w->crc = 0;
	if (!s->reference[0].element)
		write_bytes(w, entries, count * size);
	else
		write_relocated(w, s, entries, count);
	t->checksum = w->crc;
	write_padding(w);
	for (uint64_t i = 0; s->reference[0].element && i < count; i++) {
		for (unsigned int k = 0; k < REFERENCES; k++)
			write_referenced(w, &s->reference[k], entries + i * size);
	}
	free(entries);
}

static void write_string(struct image_writer *w, struct mu_string *string)
{
	uint64_t length = string->length;
	const void *bytes = image_at(w->im, string->offset, length);

	if (bytes && !charge_copied_bytes(w, length))
		bytes = NULL;
	if (!bytes)
		*string = (struct mu_string){ 0 };
	else
		string->offset = w->at;
	write_bytes(w, bytes, bytes ? length : 0);
	write_padding(w);
}

static void write_high_histogram(struct image_writer *w, struct mu_counters *counters)
{
	const uint64_t length = MU_HIST_HIGH * sizeof(uint64_t);
	const void *high = image_at(w->im, counters->hist_high, length);

	counters->hist_high = high ? w->at : 0;
	write_bytes(w, high, high ? length : 0);
}

static void write_points_header(struct image_writer *w, struct mu_image *head)
{
	const uint64_t length = sizeof(struct mu_points);
	const void *points = image_at(w->im, head->points, length);

	head->points = points && head->points ? w->at : 0;
	write_bytes(w, points, head->points ? length : 0);
	write_padding(w);
}

static void write_lifetimes(struct image_writer *w, struct mu_image *head)
{
	struct mu_lifetimes lives;
	bool are_known = lifetimes_of(w->im, &lives);

	head->lifetimes = are_known ? w->at : 0;
	write_bytes(w, &lives, are_known ? sizeof(lives) : 0);
}

static void write_labels(struct image_writer *w, struct mu_image *head)
{
	struct mu_labels *labels = malloc(sizeof(*labels));
	uint64_t length = labels ? labels_copy_raw(w->im, labels) : 0;

	head->labels = length && charge_copied_bytes(w, length) ? w->at : 0;
	write_bytes(w, labels, head->labels ? length : 0);
	write_padding(w);
	free(labels);
}

/* Each check leads to the one before it. */
static void write_leak_checks(struct image_writer *w, struct mu_image *head)
{
	const struct mu_examined live = head->examined;
	struct leak_checks all;

	leak_checks_read(&all, w->im);
	head->examined = (struct mu_examined){ .check = 0 };
	memcpy(head->examined.entry, live.entry, sizeof(live.entry));
	for (size_t i = 0; i < all.count; i++) {
		struct mu_leak_check one = all.check[i].head;
		const uint64_t at = w->at;

		one.count += all.check[i].earlier_count;
		one.next = head->examined.check;
		if (!all.check[i].list)
			one.flags &= ~(uint32_t)MU_LEAK_CHECK_LIST;
		write_bytes(w, &one, sizeof(one));
		write_bytes(w, all.check[i].loss,
			    all.check[i].head.count * sizeof(*all.check[i].loss));
		write_bytes(w, all.check[i].earlier,
			    all.check[i].earlier_count * sizeof(*all.check[i].earlier));
		if (all.check[i].list)
			write_bytes(w, all.check[i].list, all.check[i].list->bytes);
		write_padding(w);
		head->examined.check = at;
	}
	leak_checks_free(&all);
}

static void write_pages(struct image_writer *w, struct mu_image *head)
{
	struct pages p;
	bool are_known = pages_load(&p, w->im);

	head->pages = are_known ? w->at : 0;
	write_bytes(w, p.head, are_known ? p.head->bytes : 0);
	pages_free(&p);
}

/* Each moment leads to the one before it. */
static void write_holders(struct image_writer *w, struct mu_image *head)
{
	struct holder_moments all;

	holder_moments_read(&all, w->im);
	head->holders = 0;
	for (uint32_t i = 0; i < all.count; i++) {
		struct mu_holders *one = all.at[i].head;
		const uint64_t at = w->at;

		one->next = head->holders;
		write_bytes(w, one, one->bytes);
		write_padding(w);
		head->holders = at;
	}
	holder_moments_free(&all);
}

static void write_header_parts(struct image_writer *w, struct mu_image *head)
{
	write_string(w, &head->process.exe);
	write_string(w, &head->process.cmdline);
	write_string(w, &head->process.cwd);
	write_string(w, &head->unseen_malloc);
	write_high_histogram(w, &head->retired);
	write_points_header(w, head);
	write_lifetimes(w, head);
	write_labels(w, head);
	write_leak_checks(w, head);
	write_pages(w, head);
	write_holders(w, head);
}

static void write_all_sections(struct image_writer *w, struct mu_image *head)
{
	for (unsigned int section = 0; section < MU_SEC_COUNT; section++) {
		struct mu_table *t = &head->table[section];

		if (sections[section].entry_size > 0)
			write_section_table(w, section, t);
		else
			*t = (struct mu_table){ 0 };
		if (t->count > 0)
			head->features |= MU_FEATURE(section);
		else if (section != MU_SEC_PROCESS && section != MU_SEC_COUNTERS &&
			 section != MU_SEC_DROPS)
			head->features &= ~MU_FEATURE(section);
	}
}

/* The header is written last, in front of everything: its magic makes the image valid. */
static void write_image_header(struct image_writer *w, struct mu_image *head, uint64_t length)
{
	head->used = head->populated = head->capacity = length;
	head->blocks_root = 0;
	head->batch = 0;
	head->in_use = (struct mu_in_use){ 0 };
	head->log_bytes = 0;
	flush_buffer(w);
	w->at = 0;
	write_bytes(w, head, sizeof(*head));
	flush_buffer(w);
}

/* Bytes of the entries of a section and of what they refer to; UINT64_MAX if that is too much. */
static uint64_t section_bytes(const struct image *im, unsigned int section)
{
	const struct section *s = &sections[section];
	uint64_t count = image_count(im, section), sum = count * s->entry_size;

	for (uint64_t i = 0; s->reference[0].element && i < count; i++) {
		const unsigned char *entry = image_entry(im, section, i, s->entry_size);

		for (unsigned int k = 0; entry && k < REFERENCES; k++) {
			uint64_t length = s->reference[k].offset ?
						  referenced_length(&s->reference[k], entry) : 0;

			/* No reader needs the part that does not fit. */
			if (length <= im->size && __builtin_add_overflow(sum, length, &sum))
				return UINT64_MAX;
		}
	}
	return sum;
}

int save_image_check(const struct image *im, struct mu_error *err)
{
	const uint64_t bytes = image_bytes(im);
	uint64_t sum = 0;

	for (unsigned int section = 0; section < MU_SEC_COUNT; section++) {
		if (sections[section].entry_size > 0 &&
		    __builtin_add_overflow(sum, section_bytes(im, section), &sum))
			sum = UINT64_MAX;
		/* Twice: a snapshot is named by the text of a mark. */
		if (sum / 2 > bytes)
			return mu_error_set(err, MU_ERROR_FORMAT, 0,
					    "damaged: its parts are larger than the whole");
	}
	return 0;
}

int save_image(int fd, uint64_t start, const struct image *im, uint64_t *length,
	       uint64_t *features, struct mu_error *err)
{
	struct mu_image *head = malloc(sizeof(*head));
	struct image_writer *w = calloc(1, sizeof(*w));
	int result = -1;

	if (!head || !w) {
		mu_error_memory(err);
		goto out;
	}
	*head = im->head;
	head->header_size = sizeof(*head);
	if (im->rss_peak > head->rss_peak)
		head->rss_peak = im->rss_peak;
	*w = (struct image_writer){ .fd = fd, .start = start, .at = sizeof(*head), .err = err,
			      .im = im, .entries_left = image_bytes(im) };
	w->left = w->entries_left;
	write_header_parts(w, head);
	write_all_sections(w, head);
	*length = w->at;
	write_image_header(w, head, *length);
	*features = head->features;
	result = w->has_failed ? -1 : 0;
out:
	free(head);
	free(w);
	return result;
}
