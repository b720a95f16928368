/* collector_ledger.c -- the ledger of a durable arena: what was stored is read again, and what no
 * collector would write is not believed.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/record/ledger.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "tests/lib/scratch.h"
#include "tests/lib/tap.h"

enum { START = 3 * MU_PAGE, SLOTS = 4, READINGS = 5000 };

static struct ledger ledger = { .start = START, .slot_count = SLOTS };

static void check_head(void)
{
	struct ledger_head head;
	char longest[2 * LEDGER_COMMAND];

	OK(!ledger_read(&ledger, &head), "none in an empty file");
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	OK(ledger_begin(&ledger, 3, longest), "begun");
	ledger_set_root(&ledger, 4711);
	ledger_set_owner(&ledger, 4712);
	OK(ledger_read(&ledger, &head), "read");
	EQ_U(head.number, 3);
	EQ_U(head.root, 4711);
	EQ_U(head.owner, 4712);
	EQ_U(head.slot_count, SLOTS);
	EQ_U(strlen(head.command), LEDGER_COMMAND - 1);
	memset(head.command, 'y', sizeof(head.command));
	OK(pwrite(ledger.fd, &head, sizeof(head), START) == sizeof(head), "a hostile text");
	OK(ledger_read(&ledger, &head) && strlen(head.command) == LEDGER_COMMAND - 1,
	   "is terminated");
	head.sample_size++;
	OK(pwrite(ledger.fd, &head, sizeof(head), START) == sizeof(head), "other samples");
	OK(!ledger_read(&ledger, &head), "are not read");
}

/* Each time that the samples are halved all of them move. */
static void check_samples(void)
{
	const struct mu_slot slot = { .claimed_ns = 99, .generation = 7 }, other = { .claimed_ns = 99 };
	struct samples wrote = { .count = 0 }, got;
	int differ = 0;
	pid_t pid;

	for (uint64_t i = 1; i <= READINGS; i++) {
		const struct mu_sample one = { .mono_ns = i, .rss_anon = i * 7919 % 1009 };

		samples_add(&wrote, &one);
		wrote.rss_peak = i;
		ledger_store(&ledger, 2, &slot, 55, &wrote);
		if (i % 97 != 0)
			continue;
		ledger_read_slot(&ledger, 2, &slot, &pid, &got);
		differ += pid != 55 || got.count != wrote.count || got.rss_peak != i ||
			  memcmp(got.item, wrote.item, got.count * sizeof(*got.item)) != 0;
		samples_free(&got);
	}
	EQ_I(differ, 0);
	ledger_read_slot(&ledger, 2, &other, &pid, &got);
	OK(pid == 0 && got.count == 0, "of another generation there are none");
	ledger_read_slot(&ledger, 1, &slot, &pid, &got);
	OK(pid == 0 && got.count == 0, "nor in another slot");
	ledger_read_slot(&ledger, SLOTS, &slot, &pid, &got);
	OK(pid == 0 && got.count == 0, "nor beyond");
	samples_free(&wrote);
}

static void check_hostile_samples(void)
{
	const struct mu_slot slot = { .claimed_ns = 5, .generation = 1 };
	struct samples s = { .count = 0 };
	struct ledger_slot entry;
	const off_t at = START + (off_t)ledger_bytes(0);
	pid_t pid;

	samples_add(&s, &(struct mu_sample){ .mono_ns = 9 });
	samples_add(&s, &(struct mu_sample){ .mono_ns = 10 });
	s.item[0].mono_ns = 11;
	s.kept_stride = 0;
	ledger_store(&ledger, 0, &slot, 1, &s);
	samples_free(&s);
	ledger_read_slot(&ledger, 0, &slot, &pid, &s);
	EQ_U(s.count, 1);
	samples_free(&s);
	OK(pread(ledger.fd, &entry, sizeof(entry), at) == sizeof(entry), "an entry");
	entry.count = SAMPLES_MAX + 1;
	OK(pwrite(ledger.fd, &entry, sizeof(entry), at) == sizeof(entry), "with too many");
	ledger_read_slot(&ledger, 0, &slot, &pid, &s);
	OK(pid == 0 && s.count == 0 && !s.item, "is none");
}

int main(void)
{
	scratch();
	ledger.fd = open("ledger", O_RDWR | O_CREAT | O_TRUNC, 0600);
	check_head();
	check_samples();
	check_hostile_samples();
	ledger.fd = -1;
	OK(ledger_begin(&ledger, 0, ""), "an arena in memory has none");
	ledger_set_root(&ledger, 1);
	return done_testing();
}
