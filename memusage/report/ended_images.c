/* ended_images.c -- Results of ended images, kept for a collector that replaces a killed one.
 *
 * An entry is a header and the packed words of the result: a run has the number of zeros, the
 * number of other words, and these words.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/report/ended_images.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/xmalloc.h"

#define WORDS ((sizeof(struct result) + 7) / 8)

struct head {
	uint32_t role;
	int32_t pid;
	uint32_t words;	     /* words that follow */
	uint32_t generation; /* of its slot, as is claimed_ns */
	uint64_t claimed_ns;
};
#define HEAD_WORDS (sizeof(struct head) / 8)

struct run {
	uint32_t zeros;
	uint32_t others;
};

int ended_images_open(void)
{
	return memfd_create("memusage-results", MFD_CLOEXEC);
}

static uint32_t count_run(const uint64_t *word, uint32_t at, bool zero)
{
	uint32_t from = at;

	while (at < WORDS && (word[at] == 0) == zero)
		at++;
	return at - from;
}

/* Packs the words into TO, which has room for twice as many. Returns the number used. */
static uint32_t pack_words(uint64_t *to, const uint64_t *word)
{
	uint32_t used = 0;

	for (uint32_t at = 0; at < WORDS;) {
		struct run run;

		run.zeros = count_run(word, at, true);
		run.others = count_run(word, at + run.zeros, false);
		memcpy(to + used++, &run, sizeof(run));
		memcpy(to + used, word + at + run.zeros, run.others * sizeof(*word));
		used += run.others;
		at += run.zeros + run.others;
	}
	return used;
}

/* Returns false if the words are not a packed result. */
static bool unpack_words(uint64_t *word, const uint64_t *from, uint32_t words)
{
	uint64_t at = 0, used = 0;

	memset(word, 0, WORDS * sizeof(*word));
	while (used < words) {
		struct run run;

		memcpy(&run, from + used++, sizeof(run));
		if (run.others > words - used || at + run.zeros + run.others > WORDS)
			return false;
		memcpy(word + at + run.zeros, from + used, run.others * sizeof(*word));
		at += (uint64_t)run.zeros + run.others;
		used += run.others;
	}
	return at == WORDS;
}

/* Removes an incomplete entry at AT, behind which no entry would be found. */
static void truncate_at(int fd, off_t at)
{
	if (ftruncate(fd, at) == 0)
		lseek(fd, at, SEEK_SET);
}

void ended_images_add(int fd, enum report_role role, const struct mu_slot *slot,
		      const struct result *result)
{
	uint64_t *word, *text;
	struct head head = { .role = (uint32_t)role, .pid = (int32_t)slot->pid,
			     .generation = slot->generation, .claimed_ns = slot->claimed_ns };
	size_t size;
	off_t at;

	at = fd < 0 ? -1 : lseek(fd, 0, SEEK_CUR);
	if (at < 0 || (at >= ENDED_IMAGES_BYTES && role != REPORT_MAIN))
		return;
	word = xcalloc(WORDS, sizeof(*word));
	text = xcalloc(2 * WORDS + HEAD_WORDS, sizeof(*text));
	memcpy(word, result, sizeof(*result));
	head.words = pack_words(text + HEAD_WORDS, word);
	memcpy(text, &head, sizeof(head));
	size = (HEAD_WORDS + (size_t)head.words) * sizeof(*text);
	if (write(fd, text, size) != (ssize_t)size)
		truncate_at(fd, at);
	free(word);
	free(text);
}

static bool read_and_advance(int fd, void *data, size_t size, off_t *at)
{
	if (pread(fd, data, size, *at) != (ssize_t)size)
		return false;
	*at += (off_t)size;
	return true;
}

void ended_images_replay(int fd, struct report *report, struct mu_slot *last)
{
	uint64_t *text = xcalloc(2 * WORDS, sizeof(*text));
	struct head head;
	off_t at = 0, whole = 0;

	while (fd >= 0 && read_and_advance(fd, &head, sizeof(head), &at)) {
		uint64_t *word = xcalloc(WORDS, sizeof(*word));

		if (head.words > 2 * WORDS ||
		    !read_and_advance(fd, text, head.words * sizeof(*text), &at) ||
		    !unpack_words(word, text, head.words) || head.role > REPORT_RUNNING) {
			free(word);
			break;
		}
		report_add(report, (enum report_role)head.role, head.pid, (struct result *)word);
		whole = at;
		*last = (struct mu_slot){ .pid = (uint32_t)head.pid, .generation = head.generation,
					  .claimed_ns = head.claimed_ns };
	}
	if (whole >= ENDED_IMAGES_BYTES)
		warn("so many processes have ended that the results of the later ones are lost "
		     "with the collector");
	if (fd >= 0)
		truncate_at(fd, whole);
	free(text);
}
