/* leak_records.c -- The loss records of a leak check: losses by call stack.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/leaks/leak_records.h"

#include <stdlib.h>

#include "cli/xmalloc.h"

/* ---- stacks ----------------------------------------------------------------------------- */

/* How many frames tell stacks apart, the allocating function included. */
static unsigned int frames_that_count(const struct leak_report_options *o)
{
	unsigned int frames = o->resolution == LEAK_RESOLUTION_LOW ? 2 :
			      o->resolution == LEAK_RESOLUTION_MED ? 4 : o->callers;

	return frames < o->callers ? frames : o->callers;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

static uint64_t key_of_site(const struct profile *p, uint32_t site, unsigned int frames)
{
	const struct site *s = &p->sites.site[site];
	uint64_t key = mix(1, s->fn);
	uint32_t frame = p->stack[s->stack].frame;

	for (unsigned int i = 1; frame && i < frames; i++) {
		key = mix(key, p->frame[frame].location);
		frame = p->frame[frame].parent;
	}
	return key;
}

/* ---- records ---------------------------------------------------------------------------- */

static void add_losses(struct leak_records *all, const struct leak_report *r,
		       const struct leak_check *c, bool is_before)
{
	const struct profile *p = r->filter->profile;
	const unsigned int frames = frames_that_count(&r->o);

	all->record = xreallocarray(all->record, all->count + c->head.count + 1,
				    sizeof(*all->record));
	for (uint64_t i = 0; i < c->head.count; i++) {
		const struct mu_loss *loss = &c->loss[i];
		const uint32_t site = loss->site < p->sites.count ? loss->site : 0;
		const struct leak_sums own = { loss->bytes, loss->blocks };
		const struct leak_sums indirect = { loss->indirect_bytes, loss->indirect_blocks };
		struct leak_record record = { .site = site, .kind = loss->kind };

		if (p->sites.count > 0)
			record.key = key_of_site(p, site, frames);
		if (is_before) {
			record.own_before = own;
			record.indirect_before = indirect;
		} else {
			record.own = own;
			record.indirect = indirect;
		}
		all->record[all->count++] = record;
	}
}

static int compare_keys(const void *a, const void *b)
{
	const struct leak_record *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->site < y->site ? -1 : x->site > y->site;
}

static void add_sums(struct leak_sums *to, struct leak_sums from)
{
	to->bytes += from.bytes;
	to->blocks += from.blocks;
}

static void join_records(struct leak_records *all)
{
	size_t kept = 0;

	for (size_t i = 0; i < all->count; i++) {
		const struct leak_record r = all->record[i];
		struct leak_record *last = kept ? &all->record[kept - 1] : NULL;

		if (!last || last->kind != r.kind || last->key != r.key) {
			all->record[kept++] = r;
			continue;
		}
		add_sums(&last->own, r.own);
		add_sums(&last->indirect, r.indirect);
		add_sums(&last->own_before, r.own_before);
		add_sums(&last->indirect_before, r.indirect_before);
	}
	all->count = kept;
}

/* Memcheck's order: by size, then kind, then number of blocks. */
static int compare_records(const void *a, const void *b)
{
	const struct leak_record *x = a, *y = b;
	const uint64_t x_bytes = x->own.bytes + x->indirect.bytes;
	const uint64_t y_bytes = y->own.bytes + y->indirect.bytes;

	if (x_bytes != y_bytes)
		return x_bytes < y_bytes ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->own.blocks != y->own.blocks)
		return x->own.blocks < y->own.blocks ? -1 : 1;
	return x->site < y->site ? -1 : x->site > y->site;
}

void leak_records_make(struct leak_records *all, const struct leak_report *r)
{
	*all = (struct leak_records){ .count = 0 };
	add_losses(all, r, r->check, false);
	/* Records that are gone since have a number, too. */
	add_losses(all, r, r->before, true);
	qsort(all->record, all->count, sizeof(*all->record), compare_keys);
	join_records(all);
	qsort(all->record, all->count, sizeof(*all->record), compare_records);
}

/* ---- records that are shown -------------------------------------------------------------- */

/* A record stays for one check after its last block is gone. */
bool leak_records_has_changed(const struct leak_record *r, enum leak_delta delta)
{
	switch (delta) {
	case LEAK_NEW:
		return r->own.blocks > 0 && r->own_before.blocks == 0;
	case LEAK_INCREASED:
		return r->own.bytes > r->own_before.bytes ||
		       r->indirect.bytes > r->indirect_before.bytes ||
		       r->own.blocks > r->own_before.blocks;
	case LEAK_CHANGED:
		return r->own.bytes != r->own_before.bytes ||
		       r->indirect.bytes != r->indirect_before.bytes ||
		       r->own.blocks != r->own_before.blocks;
	default:
		return r->own.blocks > 0;
	}
}

bool leak_records_is_shown(const struct leak_record *record, const struct leak_report *r)
{
	return r->o.shown >> record->kind & 1 && leak_records_has_changed(record, r->o.delta);
}

size_t leak_records_first_shown(const struct leak_records *all, const struct leak_report *r)
{
	unsigned int left = r->o.limit;
	size_t i = all->count;

	if (left == 0)
		return 0;
	while (i > 0 && left > 0)
		left -= leak_records_is_shown(&all->record[--i], r);
	return i;
}

/* ---- numbers ---------------------------------------------------------------------------- */

struct numbered_key {
	uint64_t key;
	size_t number;
	uint16_t kind;
};

static int compare_numbered(const void *a, const void *b)
{
	const struct numbered_key *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->key < y->key ? -1 : x->key > y->key;
}

size_t *leak_records_number(const struct leak_records *all, const struct leak_report *r)
{
	const struct profile *p = r->filter->profile;
	const size_t places = ((size_t)p->sites.count + 1) * LEAK_RECORD_KINDS;
	struct numbered_key *known = xcalloc(all->count + 1, sizeof(*known));
	size_t *number = xcalloc(places, sizeof(*number));

	for (size_t i = 0; i < all->count; i++)
		known[i] = (struct numbered_key){ all->record[i].key, i + 1, all->record[i].kind };
	qsort(known, all->count, sizeof(*known), compare_numbered);
	for (size_t at = 0; at < p->sites.count * (size_t)LEAK_RECORD_KINDS; at++) {
		const struct numbered_key wanted = {
			.key = key_of_site(p, (uint32_t)(at / LEAK_RECORD_KINDS),
					   frames_that_count(&r->o)),
			.kind = at % LEAK_RECORD_KINDS,
		};
		const struct numbered_key *found = bsearch(&wanted, known, all->count,
							   sizeof(*known), compare_numbered);

		number[at] = found ? found->number : 0;
	}
	free(known);
	return number;
}

void leak_records_free(struct leak_records *all)
{
	free(all->record);
	*all = (struct leak_records){ .count = 0 };
}
