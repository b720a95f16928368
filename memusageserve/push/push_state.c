/* push_state.c -- What each process had allocated at the last push.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageserve/push/push_state.h"

#include <stdlib.h>

#include "cli/xmalloc.h"

struct stored_head {
	uint64_t taken_ns;
	uint64_t ended;
	uint64_t count;
};

struct stored_process {
	uint64_t pid, start_ns, fork_ns, sites;
};

struct stored_site {
	uint64_t blocks, bytes;
};

static int read_sites(struct sites *sites, uint64_t count, FILE *in)
{
	struct stored_site from;

	if (count > SITES_MAX)
		return -1;
	sites->site = xcalloc(count + 1, sizeof(*sites->site));
	for (; sites->count < count; sites->count++) {
		if (fread(&from, sizeof(from), 1, in) != 1)
			return -1;
		sites->site[sites->count].total_blocks = from.blocks;
		sites->site[sites->count].total_bytes = from.bytes;
	}
	return 0;
}

int push_state_read(struct push_state *s, FILE *in)
{
	struct stored_head head;
	struct stored_process from;

	*s = (struct push_state){ .count = 0 };
	if (!in)
		return 0;
	if (fread(&head, sizeof(head), 1, in) != 1)
		return -1;
	s->taken_ns = head.taken_ns;
	s->ended = (uint32_t)head.ended;
	for (uint64_t i = 0; i < head.count; i++) {
		struct push_state_process *p;

		if (fread(&from, sizeof(from), 1, in) != 1)
			return -1;
		s->process = xreallocarray(s->process, s->count + 1, sizeof(*s->process));
		p = &s->process[s->count++];
		*p = (struct push_state_process){ .pid = (uint32_t)from.pid,
						  .start_ns = from.start_ns,
						  .fork_ns = from.fork_ns };
		if (read_sites(&p->sites, from.sites, in) < 0)
			return -1;
	}
	return 0;
}

void push_state_begin(FILE *out, uint64_t taken_ns, uint32_t ended, uint32_t count)
{
	const struct stored_head head = { taken_ns, ended, count };

	fwrite(&head, sizeof(head), 1, out);
}

void push_state_put(FILE *out, const struct image *im, const struct sites *sites)
{
	const struct mu_process *p = &im->head.process;
	const struct stored_process process = { p->pid, p->start_mono_ns, p->fork_mono_ns,
						sites->count };

	fwrite(&process, sizeof(process), 1, out);
	for (uint32_t i = 0; i < sites->count; i++) {
		const struct stored_site site = { sites->site[i].total_blocks,
						  sites->site[i].total_bytes };

		fwrite(&site, sizeof(site), 1, out);
	}
}

const struct sites *push_state_find(const struct push_state *s, const struct image *im,
				    const struct sites *now)
{
	const struct mu_process *p = &im->head.process;

	for (uint32_t i = 0; i < s->count; i++) {
		if (s->process[i].pid == p->pid && s->process[i].start_ns == p->start_mono_ns &&
		    s->process[i].fork_ns == p->fork_mono_ns)
			return &s->process[i].sites;
	}
	return p->fork_mono_ns || p->start_mono_ns < s->taken_ns ? now : NULL;
}

void push_state_free(struct push_state *s)
{
	for (uint32_t i = 0; i < s->count; i++)
		sites_free(&s->process[i].sites);
	free(s->process);
	*s = (struct push_state){ .count = 0 };
}
