/* accesses.c -- reads and writes at each site, added up over all threads.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/read/accesses.h"

#include <stdlib.h>

#include "recording/accesses.h"

static void set_mixed_lengths(struct site_accesses *a)
{
	free(a->count);
	*a = (struct site_accesses){ .read_bytes = a->read_bytes,
				     .written_bytes = a->written_bytes, .is_mixed = true };
}

void accesses_add_counts(uint16_t *to, const uint16_t *from, uint32_t counts)
{
	for (uint32_t i = 0; i < counts; i++) {
		uint32_t sum = (uint32_t)to[i] + from[i];

		to[i] = (uint16_t)(sum < ACCESSES_MAX ? sum : ACCESSES_MAX);
	}
}

static int ensure_counts(struct site_accesses *a, uint64_t length)
{
	if (a->count)
		return 0;
	a->count = calloc(length, sizeof(*a->count));
	a->counts = a->count ? (uint32_t)length : 0;
	return a->count ? 0 : -1;
}

int accesses_add(struct site_accesses *to, const struct site_accesses *from)
{
	to->read_bytes += from->read_bytes;
	to->written_bytes += from->written_bytes;
	if (from->is_mixed || (to->length && from->length && to->length != from->length))
		set_mixed_lengths(to);
	if (to->is_mixed || from->length == 0)
		return 0;
	to->length = from->length;
	if (!from->count)
		return 0;
	if (ensure_counts(to, from->length) < 0)
		return -1;
	accesses_add_counts(to->count, from->count, to->counts);
	return 0;
}

/* Adds the entry of one thread. All blocks it counted had the length it gives. If the blocks of
 * other threads had another length, nothing is known. */
static int add_access_entry(struct site_accesses *a, const struct image *im,
			    const struct mu_access *e)
{
	struct site_accesses one = { .read_bytes = e->read_bytes,
				     .written_bytes = e->written_bytes,
				     .is_mixed = e->state == MU_ACCESS_MIXED, .length = e->length };

	/* They are only read. */
	if (e->counts % sizeof(*one.count) == 0 && e->counts != 0 && e->counted == e->length &&
	    e->length <= ACCESSES_LENGTH_MAX)
		one.count = (uint16_t *)(uintptr_t)image_at(im, e->counts,
							    e->length * sizeof(*one.count));
	return accesses_add(a, &one);
}

/* Small blocks that were never touched have counts too: zeros. */
static int finish_site_accesses(struct accesses *a)
{
	for (uint32_t i = 0; i < a->sites; i++) {
		struct site_accesses *site = &a->site[i];

		a->read_bytes += site->read_bytes;
		a->written_bytes += site->written_bytes;
		if (site->length > 0 && site->length <= ACCESSES_ALWAYS &&
		    ensure_counts(site, site->length) < 0)
			return -1;
	}
	return 0;
}

static int load_access_table(struct accesses *a, const struct image *im)
{
	uint64_t count = image_count(im, MU_SEC_ACCESSES);

	for (uint64_t i = 0; i < count; i++) {
		struct mu_access entry;

		if (!image_copy_entry(im, MU_SEC_ACCESSES, i, &entry, sizeof(entry)))
			break;
		if (entry.site < a->sites && add_access_entry(&a->site[entry.site], im, &entry) < 0)
			return -1;
	}
	return finish_site_accesses(a);
}

int accesses_load(struct accesses *a, const struct image *im, uint32_t sites,
		  struct mu_error *err)
{
	*a = (struct accesses){ .sites = sites };
	a->site = calloc((size_t)sites + 1, sizeof(*a->site));
	if (!a->site || load_access_table(a, im) < 0)
		return mu_error_memory(err);
	return 0;
}

void accesses_drop(struct site_accesses *a)
{
	free(a->count);
	*a = (struct site_accesses){ .count = NULL };
}

void accesses_free(struct accesses *a)
{
	for (uint32_t i = 0; a->site && i < a->sites; i++)
		accesses_drop(&a->site[i]);
	free(a->site);
	*a = (struct accesses){ .sites = 0 };
}
