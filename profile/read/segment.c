/* segment.c -- open a recording of any kind and reach its images.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/read/segment.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/base/crc32.h"

static bool is_word_aligned(uint64_t offset)
{
	return offset % sizeof(uint64_t) == 0;
}

/* Tells whether LENGTH bytes at OFFSET are behind the header and inside the recording. */
static bool fits_into_segment(const struct segment *s, uint64_t offset, uint64_t length)
{
	return offset >= sizeof(struct mu_segment) && offset <= s->size &&
	       length <= s->size - offset;
}

/* Only kept recordings have checksums; others change all the time. */
static int check_header_sum(const struct segment *s, struct mu_error *err)
{
	struct mu_segment head = s->head;

	if (head.kind != MU_KIND_KEPT)
		return 0;
	head.checksum = 0;
	if (crc32_add(0, &head, sizeof(head)) != s->head.checksum)
		return mu_error_set(err, MU_ERROR_FORMAT, 0,
				    "the header is damaged: its checksum is wrong");
	return 0;
}

static int check_slot_table(const struct segment *s, struct mu_error *err)
{
	const struct mu_segment *h = &s->head;

	if (h->slot_count > SEGMENT_SLOTS_MAX)
		return mu_error_set(err, MU_ERROR_FORMAT, 20, "%u images are too many",
				    h->slot_count);
	if (s->missing > 0 && h->slot_table >= s->size)
		return mu_error_set(err, MU_ERROR_TRUNCATED, s->size,
				    "cut short: %llu of its %llu bytes are missing, and with them "
				    "the list of its processes: nothing can be read",
				    (unsigned long long)s->missing, (unsigned long long)h->size);
	if (!is_word_aligned(h->slot_table) ||
	    !fits_into_segment(s, h->slot_table, (uint64_t)h->slot_count * sizeof(struct mu_slot)))
		return mu_error_set(err, MU_ERROR_TRUNCATED, h->slot_table,
				    "the table of images is not inside the file");
	if (h->kind == MU_KIND_KEPT)
		return 0;
	if (!is_word_aligned(h->slots) || !is_word_aligned(h->slot_size) ||
	    h->slot_size > UINT64_MAX / SEGMENT_SLOTS_MAX || !fits_into_segment(s, h->slots, 0))
		return mu_error_set(err, MU_ERROR_FORMAT, h->slots,
				    "the images are not inside the file");
	return 0;
}

int segment_view(struct segment *s, const void *base, uint64_t size, struct mu_error *err)
{
	*s = (struct segment){ .base = base, .size = size };
	if (size < sizeof(s->head))
		return mu_error_set(err, MU_ERROR_TRUNCATED, 0,
				    "too short for a recording: it was cut off, or is being made");
	image_copy_bytes(&s->head, base, sizeof(s->head));
	if (s->head.magic != MU_SEGMENT_MAGIC)
		return mu_error_set(err, MU_ERROR_FORMAT, 0, "not a recording of memusage");
	if (s->head.version != mu_version(s->head.config.flags) ||
	    s->head.header_size < sizeof(s->head))
		return mu_error_set(err, MU_ERROR_VERSION, 8,
				    "a recording of version %u, which this memusage does not read",
				    s->head.version);
	if (s->head.kind < MU_KIND_TREE || s->head.kind > MU_KIND_KEPT)
		return mu_error_set(err, MU_ERROR_FORMAT, 16, "a recording of unknown kind %u",
				    s->head.kind);
	if (check_header_sum(s, err) < 0)
		return -1;
	if (s->head.kind == MU_KIND_KEPT && s->head.size > size)
		s->missing = s->head.size - size;
	return check_slot_table(s, err);
}

static uint64_t round_up_to_page(uint64_t bytes)
{
	return (bytes + MU_PAGE - 1) & ~(uint64_t)(MU_PAGE - 1);
}

/* Reading marks chunks of the log as consumed: in a copy of our own, the file is not written.
 * A sparse file may be larger than our address space; its data is at its start. */
static void *map_private_copy(int fd, size_t file_size, size_t *size)
{
	const int how = MAP_PRIVATE | MAP_NORESERVE;
	void *base;

	for (*size = file_size;; *size = round_up_to_page(*size / 2)) {
		base = mmap(NULL, *size, PROT_READ | PROT_WRITE, how, fd, 0);
		if (base != MAP_FAILED || *size <= MU_PAGE)
			return base;
	}
}

/* An arena, or the file of a library that works alone: its log is at the far end. */
static bool is_sparse_segment(const struct mu_segment *head)
{
	return head->kind == MU_KIND_TREE || head->kind == MU_KIND_FILE;
}

/* How much of a file of SIZE bytes can be a recording: one that claims a terabyte of holes is none.
 * A copy may have holes where pages are zero. A file that is sparse by nature is read in full,
 * except for its holes. */
static uint64_t believable_file_size(int fd, uint64_t size)
{
	struct mu_segment head = { .kind = 0 };
	struct backed file;

	if (pread(fd, &head, sizeof(head), 0) == (ssize_t)sizeof(head) &&
	    is_sparse_segment(&head))
		return size;
	backed_init(&file, fd, 0, size);
	return round_up_to_page((UINT64_C(16) << 20) + 4 * backed_bytes(&file));
}

static int map_segment_file(struct segment *s, int fd, struct mu_error *err)
{
	uint64_t most;
	struct stat st;
	size_t size;
	void *base;

	if (fstat(fd, &st) < 0)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, "%m");
	if (!S_ISREG(st.st_mode))
		return mu_error_set(err, MU_ERROR_FORMAT, 0, "not a regular file");
	if (st.st_size < (off_t)sizeof(struct mu_segment))
		return mu_error_set(err, MU_ERROR_TRUNCATED, (uint64_t)st.st_size,
				    "too short for a recording: it was cut off, or is being made");
	most = believable_file_size(fd, (uint64_t)st.st_size);
	base = map_private_copy(fd, (uint64_t)st.st_size < most ? (size_t)st.st_size : most, &size);
	if (base == MAP_FAILED)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, "cannot map it: %m");
	if (segment_view(s, base, size, err) < 0 ||
	    (is_sparse_segment(&s->head) && segment_watch(s, fd, err) < 0)) {
		munmap(base, size);
		return -1;
	}
	s->is_mapped = true;
	return 0;
}

int segment_open(struct segment *s, const char *file, struct mu_error *err)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	int result;

	*s = (struct segment){ 0 };
	if (fd < 0)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, "%m");
	result = map_segment_file(s, fd, err);
	close(fd);
	return result;
}

int segment_open_fd(struct segment *s, int fd, struct mu_error *err)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return segment_open(s, path, err);
}

bool segment_is_being_written(const struct segment *s)
{
	return s->head.kind == MU_KIND_KEPT && s->head.writer != 0 && s->head.writer <= INT32_MAX;
}

bool segment_file_is_complete(int fd)
{
	struct mu_segment head;

	return pread(fd, &head, sizeof(head), 0) == (ssize_t)sizeof(head) &&
	       head.kind == MU_KIND_KEPT && head.writer == 0;
}

void segment_close(struct segment *s)
{
	if (s->is_mapped) {
		munmap((void *)(uintptr_t)s->base, s->size);
		segment_unwatch(s);
	}
	*s = (struct segment){ 0 };
}

void segment_forget(const struct segment *s, uint32_t k)
{
	const struct mu_segment *h = &s->head;
	uint64_t start = h->slots + k * h->slot_size;
	uint64_t rest = start < s->size ? s->size - start : 0;

	if (s->backed)
		backed_init(&s->backed[k], s->backed[h->slot_count].fd, start,
			    h->slot_size < rest ? h->slot_size : rest);
}

/* The entry behind those of the slots has the descriptor. */
int segment_watch(struct segment *s, int fd, struct mu_error *err)
{
	const uint32_t slots = s->head.slot_count;
	int own;

	if (s->head.kind == MU_KIND_KEPT)
		return 0;
	own = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (own < 0)
		return mu_error_set(err, MU_ERROR_SYSTEM, 0, "%m");
	s->backed = calloc((size_t)slots + 1, sizeof(*s->backed));
	if (!s->backed) {
		close(own);
		return mu_error_memory(err);
	}
	s->backed[slots].fd = own;
	for (uint32_t k = 0; k < slots; k++)
		segment_forget(s, k);
	return 0;
}

void segment_unwatch(struct segment *s)
{
	if (s->backed)
		close(s->backed[s->head.slot_count].fd);
	free(s->backed);
	s->backed = NULL;
}

bool segment_slot(const struct segment *s, uint32_t k, struct mu_slot *slot)
{
	if (k >= s->head.slot_count)
		return false;
	image_copy_bytes(slot, s->base + s->head.slot_table + (uint64_t)k * sizeof(*slot),
			sizeof(*slot));
	return true;
}

bool segment_is_same(const struct mu_slot *a, const struct mu_slot *b)
{
	return a->claimed_ns == b->claimed_ns && a->generation == b->generation &&
	       a->pid == b->pid;
}

int segment_image(const struct segment *s, uint32_t k, struct image *im, struct mu_error *err)
{
	const struct mu_segment *h = &s->head;
	struct mu_slot slot;
	uint64_t offset, length;

	if (!segment_slot(s, k, &slot))
		return mu_error_set(err, MU_ERROR_FORMAT, 0, "there is no image %u", k);
	offset = h->kind == MU_KIND_KEPT ? slot.offset : h->slots + k * h->slot_size;
	length = h->kind == MU_KIND_KEPT ? slot.length : h->slot_size;
	if (offset < sizeof(*h) || offset >= s->size || !is_word_aligned(offset))
		return mu_error_set(err, MU_ERROR_TRUNCATED, offset,
				    "image %u is not inside the file", k);
	if (length > s->size - offset && s->missing > 0)
		return mu_error_set(err, MU_ERROR_TRUNCATED, s->size,
				    "the recording is cut short inside of process %u", slot.pid);
	if (length > s->size - offset)
		length = s->size - offset;
	if (image_load(im, s->base + offset, length, s->backed ? &s->backed[k] : NULL, err) <
	    0)
		return -1;
	im->is_file = s->is_mapped;
	return 0;
}

uint32_t segment_damage(const struct segment *s, char text[SEGMENT_DAMAGE_LENGTH])
{
	const uint32_t all = s->head.slot_count;
	struct image im;
	uint32_t whole = 0;
	int length;

	for (uint32_t k = 0; k < all; k++)
		whole += segment_image(s, k, &im, NULL) == 0;
	*text = '\0';
	if (s->missing == 0)
		return whole;
	length = snprintf(text, SEGMENT_DAMAGE_LENGTH,
			  "cut short: %llu of its %llu bytes are missing; ",
			  (unsigned long long)s->missing, (unsigned long long)s->head.size);
	if (whole == 0)
		snprintf(text + length, SEGMENT_DAMAGE_LENGTH - (size_t)length,
			 "no process in it can be read");
	else
		snprintf(text + length, SEGMENT_DAMAGE_LENGTH - (size_t)length,
			 "of its %u processes, %u can be read", all, whole);
	return whole;
}

uint64_t segment_start_ns(const struct segment *s, const struct image *im)
{
	return im->head.process.start_mono_ns - s->head.start_mono_ns + s->head.start_real_ns;
}
