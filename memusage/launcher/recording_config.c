/* recording_config.c -- What the recorder is to record, by the options.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/launcher/recording_config.h"

#include "formats/xtree.h"
#include "memusage/common/clock.h"
#include "memusage/common/counter.h"
#include "memusage/options/accesses.h"
#include "recording/points.h"

enum { DEPTH_MAX = 256 }; /* frames recorded per stack; Massif shows 200 at most */

/* Massif's defaults suit the other reports, too: every snapshot can be shown as a tree. */
static void configure_stacks(struct mu_config *config, const struct massif_settings *m)
{
	config->flags |= MU_CFG_STACKS | (m->xtree == XTREE_FULL ? MU_CFG_FREE_STACKS : 0);
	if (m->stacks)
		config->flags |= MU_CFG_STACK_BYTES;
	config->max_depth = DEPTH_MAX;
	config->max_snapshots = m->max_snapshots;
	config->detailed_freq = m->detailed_freq;
	config->peak_inaccuracy_ppm = (uint32_t)(m->peak_inaccuracy * 10000);
	config->heap_admin = m->pages ? 0 : m->admin;
	if (m->pages)
		config->flags |= MU_CFG_PAGES;
	config->alignment = m->alignment;
	config->time_unit = m->time == MASSIF_TIME_B ? MU_UNIT_BYTES :
			    m->time == MASSIF_TIME_I ? MU_UNIT_INSTRUCTIONS : MU_UNIT_MS;
	if (m->is_wanted && m->has_ignored)
		config->flags |= MU_CFG_IGNORE;
	if (massif_talks(m))
		config->flags |= MU_CFG_SNAPSHOT_LOG;
}

static void configure_requests(struct mu_config *config, int how)
{
	config->flags |= MU_CFG_REQUESTS;
	config->requests = how == REQUESTS_MASSIF ? MU_REQUESTS_MASSIF :
			   how == REQUESTS_RUNNING ? MU_REQUESTS_RUNNING : MU_REQUESTS_OWN;
}

/* Events of a lone thread for each reading of the clock. With 16, each event costs 2 ns more. */
enum { STAMP_EVERY = 64 };

struct mu_config recording_config_make(const struct settings *s)
{
	struct mu_config config = {
		.sample_interval_us = 4000,
		.log_limit = s->log_limit,
		.max_depth = 64,
		.alignment = 16,
	};

	if (s->mmap)
		config.flags |= MU_CFG_MMAP;
	if (s->no_timer)
		config.flags |= MU_CFG_NO_TIMER;
	if (s->own_malloc == OWN_PATCH)
		config.flags |= MU_CFG_OWN_MALLOC;
	if (s->alloc_symbol.count + s->free_symbol.count > 0)
		config.flags |= MU_CFG_SYMBOLS;
	if (s->trace_children == TRACE_YES)
		config.flags |= MU_CFG_TRACE_CHILDREN;
	if (s->children == CHILDREN_MERGE)
		config.flags |= MU_CFG_FORK_CELLS;
	if (s->client_requests != REQUESTS_NO || s->mode == RUN_MODE_AD_HOC ||
	    (leaks_wanted(&s->leak_check) && !s->attach))
		configure_requests(&config, s->client_requests);
	if (s->mode == RUN_MODE_AD_HOC)
		config.flags |= MU_CFG_AD_HOC;
	if (settings_has_timeline(s))
		config.flags |= MU_CFG_TIMELINE;
	if (s->html || s->record || s->serve)
		config.flags |= MU_CFG_LIFETIMES;
	if (settings_has_leak_check(s))
		config.flags |= MU_CFG_LEAKS | (s->leak_check.forks ? MU_CFG_LEAK_FORKS : 0);
	if (s->fragmentation)
		config.flags |= MU_CFG_FRAGMENTATION;
	if (s->holders)
		config.flags |= MU_CFG_HOLDERS;
	if (settings_has_stacks(s))
		configure_stacks(&config, &s->massif);
	sample_configure(&config, &s->sample);
	if (s->start_paused)
		config.flags |= MU_CFG_START_PAUSED;
	if (s->durable)
		config.flags |= MU_CFG_DURABLE;
	accesses_configure(&config, &s->accesses);
	if (s->dhat.is_wanted)
		dhat_configure(&config, &s->dhat);
	if (s->massif.time == MASSIF_TIME_I && s->accesses.engine != ACCESSES_EMULATE)
		config.counter = counter_find();
	config.snapshot_signal = (uint32_t)s->triggers.signal;
	if (s->data || s->png) {
		config.flags |= MU_CFG_LOG;
		config.log_wake_records = (uint32_t)s->buffer;
		config.log_stamp_every = STAMP_EVERY;
		config.time_source = clock_tsc_is_good() ? MU_TIME_TSC : MU_TIME_MONOTONIC;
	}
	return config;
}
