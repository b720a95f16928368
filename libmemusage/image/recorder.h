/* recorder.h -- the state of the recorder in this process.
 *
 * There are two kinds of state. `gate` is in a page of its own that the kernel wipes in a forked
 * child (MADV_WIPEONFORK). An event checks it first, so a child of a raw clone() that libc did not
 * see can never write into its parent's recording. Everything else is in `rec`, which a child
 * inherits and repairs (fork.c).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "libmemusage/base/arch.h"
#include "libmemusage/base/export.h"
#include "recording/recording.h"

/* How an event is recorded beyond plain counting; 0 is the fast path. */
enum mode {
	MODE_MANY = 1, /* more than one thread: take locks, keep a heap remainder */
	MODE_LOG = 2,  /* write an event log */
	MODE_STOP = 4,	  /* a fork is being prepared: leave the hook and wait */
	MODE_STACKS = 8, /* find the call stack of every allocation */
	MODE_ACCOUNTING = 16, /* with stacks: sites may be outside of Massif's accounts, or
			* these are kept in a journal */
	MODE_POINTS = 32, /* with stacks: count by program point, as DHAT does */
	MODE_FREES = 64,  /* with STACKS: find the call stack of every free too */
	MODE_PAUSED = 128, /* allocations are not recorded: marks.h, or ad hoc mode */
	MODE_ACCESSES = 256, /* keep the directory of blocks by which accesses are counted */
	MODE_DEPTH = 512, /* the depth of every stack is to be in snapshots: stack_sum.h */
	MODE_PAGES = 1024, /* pages are the heap: calls of malloc are not recorded */
	MODE_SAMPLE = 2048, /* with STACKS: some blocks only, sampling.h */
};

struct gate {
	union {
		_Alignas(MU_PAGE) struct {
			uint8_t on; /* 1: record. 0: not yet, wiped, or stopped */
			uint8_t samples; /* 1: on, with MODE_SAMPLE, without MODE_PAUSED */
			uint16_t mode; /* enum mode */
			uint8_t has_owner; /* 1: this is the memory of the process rec.pid */
			uint64_t sample_limit; /* smaller sizes may pass, 0 unless `samples` */
		};
		uint32_t word; /* both: GATE_PLAIN is the fast path */
		uint8_t page[MU_PAGE];
	};
};
#define GATE_PLAIN 1 /* on, mode 0; little-endian */
#define SAMPLE_PASS_LIMIT ((uint64_t)MU_HIST_LOW * MU_HIST_STEP) /* gate.sample_limit */

/* gate_samples -- return whether sampled blocks are being recorded, and nothing is paused. */
#define gate_samples() (gate.samples != 0)

/* gate_follows_samples -- the same, also in a pause: frees of sampled blocks are then recorded. */
#define gate_follows_samples()                                                          \
	((gate.word & (GATE_PLAIN | MODE_SAMPLE << 16)) == (GATE_PLAIN | MODE_SAMPLE << 16))

enum state {
	STATE_NOT_YET = 0,  /* before recorder_start() */
	STATE_STARTING = 1, /* some thread is in recorder_start() */
	STATE_ON = 2,	    /* gate.on, unless it was wiped */
	STATE_FORKED = 3,   /* a forked child before its first event: the gate is closed */
	STATE_OFF = 4	    /* this process is not recorded, for good */
};

struct recorder {
	uint8_t *base; /* of this process's image; offsets count from here */
	struct mu_image *image;
	struct mu_segment *segment; /* header and slot table, mapped */
	uint64_t segment_mapped;    /* bytes mapped at segment, 0 if only the header is */
	uint64_t capacity;	    /* bytes mapped from base on: the image may have no page */
	uint64_t gap_start; /* offsets in the image between which it is not mapped, see shrink.h; */
	uint64_t gap_end;   /* both 0 if there is no gap */
	uint32_t slot;
	uint32_t state; /* enum state */
	uint32_t pid;	/* of the process this state belongs to */
	uint32_t flags; /* enum mu_config_flag */
	uint32_t log_wake; /* mu_config.log_wake_records */
	uint32_t log_stamp_every;
	uint64_t log_limit;
	bool ticks; /* log times are clock_ticks() */
	bool is_standalone; /* no collector: the arena is a file */
	const uint32_t *awake; /* 0 there: events do nothing (asleep.h); never NULL */
	bool is_opened_by_probes; /* recording goes on while a consumer of probes is there */
	uint32_t pauses; /* that have not been resumed */
	bool was_paused; /* blocks may live that were not recorded */
	bool has_bare_blocks; /* form of the block table; exactly if !recorder_keeps_sites() */
	uint8_t *buckets; /* from where page words count: base, NULL if they are addresses */
	bool populate_does_nothing; /* the system accepts MADV_POPULATE_WRITE and ignores it */
	bool collector_is_mute;	    /* it did not answer a query, and is not asked again */
	bool program_has_begun;	    /* the program's own code may have run */
	bool emulator_answers;	    /* its plugin calls emulated_event_answer() */
	bool is_attached;	    /* memusage came while the process ran */
	uint32_t collector; /* process that this one met last, as it is named here; 0: unknown */
};

extern HIDDEN struct gate gate;
extern HIDDEN struct recorder rec;

/* arena_at -- return the address of an offset in this process's image. It is not checked. */
static inline void *arena_at(uint64_t offset)
{
	return rec.base + offset;
}

/* recorder_keeps_sites -- return whether events have MODE_STACKS, so that blocks know their sites.
 *
 * In copy mode only copies have sites. */
static inline bool recorder_keeps_sites(void)
{
	return (rec.flags & (MU_CFG_STACKS | MU_CFG_COPIES)) == MU_CFG_STACKS;
}

/* section_table -- return the table of a section (enum mu_section) of this process's image. */
static inline struct mu_table *section_table(unsigned int section)
{
	return &rec.image->table[section];
}

/* gate_change_mode -- set and clear bits of gate.mode; gate.samples and its limit follow.
 *
 * Several threads may do so at once. Async-signal-safe.
 */
void gate_change_mode(unsigned int set, unsigned int clear);

/* gate_switch -- open the gate, or shut it. As gate_change_mode(). */
void gate_switch(bool on);

/* recorder_forget_sleep -- make events enter the hook again: there is no image, or no gate for it.
 *
 * Async-signal-safe.
 */
void recorder_forget_sleep(void);

/* recorder_is_on -- return whether this process is recorded, or will be from its first event on.
 *
 * False in a child of vfork() or a raw clone(), whose memory is its parent's. Async-signal-safe.
 * Cost: a system call.
 */
bool recorder_is_on(void);

/* count_drop -- count something that could not be recorded.
 *
 * what  the member of struct mu_drops. Thread-safe, async-signal-safe.
 */
#define count_drop(what) __atomic_fetch_add(&rec.image->drops.what, 1, __ATOMIC_RELAXED)

/* recorder_wake -- notify the collector (docs/format.md 1.2).
 *
 * Async-signal-safe; one system call at most, and only if the collector sleeps.
 */
void recorder_wake(void);
