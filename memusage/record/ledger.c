/* ledger.c -- What the collector knows of a run, kept in the file of a durable arena.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/record/ledger.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/xmalloc.h"
#include "profile/base/file.h"

/* Whole pages, so that a process that ends gives back what it has. */
#define SLOT_BYTES                                                                                 \
	((sizeof(struct ledger_slot) + SAMPLES_MAX * sizeof(struct mu_sample) + MU_PAGE - 1) &     \
	 ~(uint64_t)(MU_PAGE - 1))

_Static_assert(sizeof(struct ledger_head) <= MU_PAGE, "the head of a ledger is one page");
_Static_assert(sizeof(struct ledger_slot) % 8 == 0, "samples follow");

uint64_t ledger_bytes(uint32_t slots)
{
	return MU_PAGE + slots * SLOT_BYTES;
}

static uint64_t slot_offset(const struct ledger *l, uint32_t k)
{
	return l->start + MU_PAGE + k * SLOT_BYTES;
}

bool ledger_begin(const struct ledger *l, unsigned int number, const char *command)
{
	struct ledger_head head = { .magic = LEDGER_MAGIC,
				    .version = LEDGER_VERSION,
				    .number = number,
				    .slot_count = l->slot_count,
				    .sample_size = sizeof(struct mu_sample) };

	snprintf(head.command, sizeof(head.command), "%s", command);
	return l->fd < 0 || file_write_at(l->fd, &head, sizeof(head), l->start);
}

static void write_word(const struct ledger *l, size_t offset, uint32_t word)
{
	if (l->fd >= 0)
		file_write_at(l->fd, &word, sizeof(word), l->start + offset);
}

void ledger_set_root(const struct ledger *l, pid_t root)
{
	write_word(l, offsetof(struct ledger_head, root), (uint32_t)root);
}

void ledger_set_owner(const struct ledger *l, pid_t owner)
{
	write_word(l, offsetof(struct ledger_head, owner), (uint32_t)owner);
}

/* A sample is appended, replaces the last one, or has made room by halving the table: then the
 * stride has grown, and all have moved. */
void ledger_store(const struct ledger *l, uint32_t k, const struct mu_slot *slot, pid_t pid,
		  struct samples *samples)
{
	struct ledger_slot entry = { .claimed_ns = slot->claimed_ns,
				     .generation = slot->generation,
				     .pid = (uint32_t)pid,
				     .rss_peak = samples->rss_peak,
				     .count = samples->count,
				     .stride = samples->stride };
	uint64_t at = slot_offset(l, k);
	uint32_t first = samples->count > 0 && samples->kept_stride == samples->stride ?
				 samples->count - 1 : 0;

	if (l->fd < 0 || k >= l->slot_count)
		return;
	samples->kept_stride = samples->stride;
	if (samples->count > first &&
	    !file_write_at(l->fd, samples->item + first,
			   (samples->count - first) * sizeof(*samples->item),
			   at + sizeof(entry) + first * sizeof(*samples->item)))
		entry.count = first;
	file_write_at(l->fd, &entry, sizeof(entry), at);
}

bool ledger_read(const struct ledger *l, struct ledger_head *head)
{
	if (pread(l->fd, head, sizeof(*head), (off_t)l->start) != (ssize_t)sizeof(*head) ||
	    head->magic != LEDGER_MAGIC || head->version != LEDGER_VERSION ||
	    head->sample_size != sizeof(struct mu_sample))
		return false;
	head->command[LEDGER_COMMAND - 1] = '\0';
	return true;
}

/* Times must not decrease. */
static uint32_t count_ordered(const struct mu_sample *item, uint32_t count)
{
	uint32_t i = count > 0;

	while (i < count && item[i].mono_ns >= item[i - 1].mono_ns)
		i++;
	return i;
}

void ledger_read_slot(const struct ledger *l, uint32_t k, const struct mu_slot *slot, pid_t *pid,
		      struct samples *samples)
{
	struct ledger_slot entry;
	const uint64_t at = slot_offset(l, k);
	ssize_t length;

	*pid = 0;
	*samples = (struct samples){ .item = NULL };
	if (l->fd < 0 || k >= l->slot_count ||
	    pread(l->fd, &entry, sizeof(entry), (off_t)at) != (ssize_t)sizeof(entry) ||
	    entry.claimed_ns != slot->claimed_ns || entry.generation != slot->generation ||
	    entry.count > SAMPLES_MAX)
		return;
	*pid = entry.pid <= INT32_MAX ? (pid_t)entry.pid : 0;
	samples->item = xcalloc(SAMPLES_MAX, sizeof(*samples->item));
	samples->stride = entry.stride ? entry.stride : 1;
	samples->rss_peak = entry.rss_peak;
	length = pread(l->fd, samples->item, entry.count * sizeof(*samples->item),
		       (off_t)(at + sizeof(entry)));
	if (length > 0)
		samples->count = count_ordered(samples->item, (uint32_t)((size_t)length /
									 sizeof(*samples->item)));
}
