/* recording.h -- The layout of a recording, which the recorder writes and the tools read.
 *
 * The recorder's tables live in shared memory and *are* the recording; nothing is
 * serialised inside the profiled process. Three kinds share this layout:
 *
 *   MU_KIND_TREE  a sealed memfd made by the collector; one slot per process image
 *   MU_KIND_FILE  a file with one slot, when a process runs without a collector
 *   MU_KIND_KEPT  a compacted, checksummed copy written by the tools (--record)
 *
 * docs/format.md is the normative text; this header only fixes names and numbers.
 * Rules that hold everywhere:
 *   - little-endian, natural alignment, no implicit padding, no bit-fields;
 *   - an offset inside an image counts bytes from the start of that image, 0 is "none";
 *   - a reader copies a record out before it checks it, and bounds every loop:
 *     the profiled program can write anything here at any time.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "recording/batch.h"
#include "recording/blocks.h"
#include "recording/collector_query.h"
#include "recording/end.h"
#include "recording/examined.h"
#include "recording/holders.h"
#include "recording/labels.h"
#include "recording/leaks.h"
#include "recording/lifetimes.h"
#include "recording/log.h"
#include "recording/pages.h"
#include "recording/recorded.h"
#include "recording/sampling.h"
#include "recording/snapshot_log.h"
#include "recording/timeline.h"

#define MU_SEGMENT_MAGIC UINT64_C(0x31474553554d454d) /* "MEMUSEG1" */
#define MU_IMAGE_MAGIC   UINT64_C(0x314d4953554d454d) /* "MEMUSIM1" */
#define MU_VERSION       2u
#define MU_VERSION_SAMPLED 3u /* of a segment with MU_CFG_SAMPLE: readers of 2 refuse it */
#define MU_PAGE          4096u

/* ---- segment: the whole memfd or file -------------------------------------------- */

enum mu_kind { MU_KIND_TREE = 1, MU_KIND_FILE = 2, MU_KIND_KEPT = 3 };

/* Selection of what is recorded. Constant after the segment was made. */
enum mu_config_flag {
	MU_CFG_MMAP = 1u << 0,		 /* count mmap, mremap, munmap (-m) */
	MU_CFG_LOG = 1u << 1,		 /* log every event (-d, -p) */
	MU_CFG_NO_TIMER = 1u << 2,	 /* no SIGPROF sampling of the stack */
	MU_CFG_STACKS = 1u << 3,	 /* call stack of every allocation */
	MU_CFG_FREE_STACKS = 1u << 4,	 /* ... and of every free */
	MU_CFG_PAGES = 1u << 5,		 /* pages as heap */
	MU_CFG_REQUESTS = 1u << 6,	 /* serve client requests in unmodified binaries */
	MU_CFG_OWN_MALLOC = 1u << 7,	 /* patch an allocator that a preload cannot see */
	MU_CFG_ACCESSES = 1u << 8,	 /* count reads and writes */
	MU_CFG_COPIES = 1u << 9,	 /* copy mode */
	MU_CFG_AD_HOC = 1u << 10,	 /* ad hoc events only */
	MU_CFG_TRACE_CHILDREN = 1u << 11, /* record images of exec'd children too */
	MU_CFG_IGNORE = 1u << 12,	 /* leave functions of --ignore-fn out of Massif's counts */
	MU_CFG_POINTS = 1u << 13,	 /* with STACKS: program points, as DHAT has them */
	MU_CFG_SNAPSHOT_LOG = 1u << 14,	 /* log every snapshot that is taken, culled or not */
	MU_CFG_SYMBOLS = 1u << 15,	 /* intercept what --alloc-symbol names */
	MU_CFG_TIMELINE = 1u << 16, /* sample the memory of the process (MU_SEC_TIMELINE) */
	MU_CFG_STACK_BYTES = 1u << 17, /* the depth of every stack in snapshots (--stacks=yes) */
	MU_CFG_LIFETIMES = 1u << 18, /* with STACKS: count blocks by how long they lived */
	MU_CFG_SAMPLE = 1u << 19, /* with STACKS: record samples of the blocks; sampling.h */
	MU_CFG_SAMPLE_AUTO = 1u << 20, /* ... fewer and fewer, if they are too many */
	MU_CFG_START_PAUSED = 1u << 21, /* record nothing before MU_REQUEST_START; recorded.h */
	MU_CFG_DURABLE = 1u << 22, /* the segment is a file: a new page may need a disk block */
	MU_CFG_LEAKS = 1u << 23, /* wait for a leak check before the process ends */
	MU_CFG_FRAGMENTATION = 1u << 24, /* ... until its pages have been examined */
	MU_CFG_HOLDERS = 1u << 25, /* ... until it has been examined what holds its blocks */
	MU_CFG_LEAK_FORKS = 1u << 28, /* with LEAKS: forked children wait for one, too */
	MU_CFG_FORK_CELLS = 1u << 31, /* a forked child begins cells of its own: fork_cells */
};

/* How event times are measured; see docs/format.md, "Time". */
enum mu_time_source { MU_TIME_MONOTONIC = 0, MU_TIME_TSC = 1 };

struct mu_config {
	uint32_t flags;		     /* enum mu_config_flag */
	uint32_t time_source;	     /* enum mu_time_source of logged events */
	uint32_t log_wake_records;   /* wake the collector after so many records; 0: per chunk */
	uint32_t sample_interval_us; /* CPU time of a thread between two stack samples */
	uint64_t log_limit;	     /* bytes of events that may wait, per image */
	uint32_t max_depth;	     /* frames kept per stack */
	uint32_t detailed_freq;	     /* Massif: every n-th snapshot is detailed */
	uint32_t max_snapshots;
	uint32_t peak_inaccuracy_ppm; /* of the peak, in millionths */
	uint32_t heap_admin;	      /* bytes charged per block */
	uint32_t alignment;	      /* bytes, for the rounding of blocks */
	uint32_t time_unit;	      /* enum mu_unit of points.h */
	uint32_t log_stamp_every;     /* events of a lone thread per time stamp; 0, 1: each */
	uint32_t point_depth, point_clock; /* docs/format.md, 7.2; enum mu_clock */
	uint32_t sample_log2;  /* with SAMPLE: 2^n bytes between two samples at the start */
	uint32_t sample_limit; /* live samples above which R doubles, 0: MU_SAMPLE_LIVE_MAX */
	uint32_t sample_seed;  /* for tests: of the random numbers, 0: another one each time */
	uint32_t reserved[9];
	uint32_t counter; /* of the CPU, which counts instructions: MU_COUNTER(); 0: none */
	uint32_t snapshot_signal;     /* by which a snapshot is asked for, 0: none */
	uint32_t requests;	      /* enum mu_requests, with MU_CFG_REQUESTS */
	uint32_t access_engine;	      /* enum mu_access_engine, with MU_CFG_ACCESSES */
};

/* mu_version -- Returns the version of a segment with these flags. */
static inline uint32_t mu_version(uint32_t flags)
{
	return flags & MU_CFG_SAMPLE ? MU_VERSION_SAMPLED : MU_VERSION;
}

/* An event as perf_event_open(2) names it. The only one that is 0, cycles, is never requested. */
#define MU_COUNTER(type, event) ((uint32_t)(type) << 16 | (uint32_t)(event))
#define MU_COUNTER_TYPE(counter) ((counter) >> 16)
#define MU_COUNTER_EVENT(counter) ((counter)&0xffffu)

/* Handling of the client requests of Valgrind's macros. */
enum mu_requests {
	MU_REQUESTS_OWN = 0,	/* docs/format.md, section 5 */
	MU_REQUESTS_MASSIF = 1, /* as Massif does: no pools, nested blocks count */
	MU_REQUESTS_RUNNING = 2 /* and RUNNING_ON_VALGRIND is 1 */
};

#define MU_WATCHES 7u

struct mu_segment {
	uint64_t magic;		/* MU_SEGMENT_MAGIC */
	uint32_t version;	/* mu_version() */
	uint32_t header_size;	/* sizeof(struct mu_segment) */
	uint32_t kind;		/* enum mu_kind */
	uint32_t slot_count;
	uint64_t features;	/* MU_FEATURE() of every section an image may have */
	uint64_t size;		/* bytes of the whole segment */
	uint64_t slot_table;	/* offset of struct mu_slot[slot_count] */
	uint64_t slots;		/* offset of slot 0, page-aligned */
	uint64_t slot_size;	/* bytes of each slot, page-aligned; KEPT: see mu_slot.offset */
	uint64_t start_mono_ns; /* CLOCK_MONOTONIC when the segment was made */
	uint64_t start_real_ns; /* CLOCK_REALTIME at the same moment */
	uint64_t start_tsc;	/* time stamp counter at the same moment, 0 if unused */
	uint32_t collector_pid; /* live */
	uint32_t checksum;	/* KEPT: CRC-32 of this header with checksum = 0 */
	struct mu_config config;
	uint32_t writer; /* KEPT: the process that still adds images, 0: it is complete */
	uint32_t rank;	 /* of MPI or Slurm, plus 1; 0: none */
	char host[24];	 /* name of the machine up to its first dot, zeros behind it */
	/* The collector sleeps on wake (a futex). A recorder that has something for it adds
	 * 1 to wake, and calls FUTEX_WAKE only if it could exchange collector_waits to 0. */
	_Alignas(64) uint32_t wake;
	uint32_t collector_waits;
	uint64_t processes_without_slot; /* forks that found the slot table full */
	uint32_t slot_hint;		 /* where the next search for a free slot begins */
	/* While there are no events, tick rests: docs/format.md, 2.4 and 6. */
	uint32_t stamped; /* low bits of the tick at which an event was stamped last */
	uint32_t tick_rests;
	uint32_t collector_thread; /* a robust futex: FUTEX_OWNER_DIED if the collector ended */
	uint32_t reserved2[8];
	/* Milliseconds since the start, kept up while an event log or call stacks are recorded:
	 * docs/format.md, 2.4. A cache line of its own. */
	_Alignas(64) uint64_t tick;
	/* Thresholds at which snapshots are taken, set before the first process; triggers.h. */
	uint64_t watch[MU_WATCHES];
};

/* Life of a slot. Only the collector takes a slot out of ENDED and LEFT; any process may CAS FREE
 * to CLAIMED. In a FILE or KEPT recording slots never change hands. */
enum mu_slot_state {
	MU_SLOT_FREE = 0,
	MU_SLOT_CLAIMED = 1, /* a parent copies its image into it (fork) or a registration got it */
	MU_SLOT_FORKED = 2,  /* a child owns it and has had no event of its own yet */
	MU_SLOT_LIVE = 3,    /* announced: an image that will be reported */
	MU_SLOT_ENDED = 4,   /* given up by its owner, or dead: the collector clears it */
	MU_SLOT_LEFT = 5     /* complete: was LIVE, and its owner, which lives, records no more */
};

struct mu_slot {
	uint32_t state;	      /* enum mu_slot_state */
	uint32_t generation;  /* + 1 each time the slot is freed */
	uint32_t pid;	      /* of the owner, as it sees itself; 0 while CLAIMED by a parent */
	uint32_t claimed_by;  /* pid of the claimer, as it sees itself */
	uint32_t parent_slot; /* slot + 1 of the image it was copied from, 0 none */
	uint32_t reserved;
	uint64_t claimed_ns; /* CLOCK_BOOTTIME, to tell a reused pid */
	uint64_t offset;     /* KEPT: of the image from the start of the file */
	uint64_t length;     /* KEPT: bytes of the image */
	uint64_t reserved2[2];
};

/* ---- image: one process between two execs ---------------------------------------- */

/* Sections of an image. The number is the bit in features. */
enum mu_section {
	MU_SEC_PROCESS = 0,    /* in the image header: the program that ran */
	MU_SEC_COUNTERS = 1,   /* struct mu_counters of retired threads; live ones have their own */
	MU_SEC_THREADS = 2,    /* struct mu_thread */
	MU_SEC_BLOCKS = 3,     /* live: struct mu_blocks; not kept */
	MU_SEC_MAPPINGS = 4,   /* struct mu_mapping: tracked writable mappings (-m) */
	MU_SEC_LOG = 5,	       /* struct mu_log_chunk chains, one per thread record */
	MU_SEC_MODULES = 6,    /* struct mu_module */
	MU_SEC_FRAMES = 7,     /* struct mu_frame: tree of (parent, pc) */
	MU_SEC_STACKS = 8,     /* struct mu_stack: hash -> innermost frame */
	MU_SEC_SITES = 9,      /* struct mu_site: stack + kind of allocation */
	MU_SEC_CELLS = 10,     /* struct mu_cell: counters of one site in one thread */
	MU_SEC_SNAPSHOTS = 11, /* struct mu_snapshot */
	MU_SEC_TIMELINE = 12,  /* struct mu_sample, written by the collector */
	MU_SEC_MARKS = 13,     /* struct mu_mark */
	MU_SEC_ACCESSES = 14,  /* struct mu_access */
	MU_SEC_DROPS = 15,     /* in the image header: what was not recorded */
	MU_SEC_POINTS = 16,    /* struct mu_point of points.h: as DHAT counts */
	MU_SEC_SNAPSHOT_LOG = 17,   /* struct mu_snapshot_log_entry */
	MU_SEC_SYMBOLS = 18,   /* struct mu_symbol */
	MU_SEC_COUNT = 19
};
#define MU_FEATURE(section) (UINT64_C(1) << (section))

/* An append-only array whose entries never move: extent k holds (1 << first_log2) << k
 * entries, so index i is in extent floor(log2((i >> first_log2) + 1)). Writers publish by
 * a release store to count. KEPT: extent[0] holds everything. */
#define MU_TABLE_EXTENTS 26
struct mu_table {
	uint32_t entry_size; /* bytes; a later version may append fields */
	uint32_t first_log2;
	uint64_t count;
	uint32_t checksum; /* KEPT: CRC-32 of the entries */
	uint32_t reserved;
	uint64_t extent[MU_TABLE_EXTENTS]; /* offsets in the image */
};

struct mu_string {
	uint64_t offset; /* in the image, 0 none; not terminated */
	uint32_t length; /* bytes */
	uint32_t flags;	 /* MU_STRING_CUT if the original was longer */
};
#define MU_STRING_CUT 1u

enum mu_exit { MU_EXIT_RUNNING = 0, MU_EXIT_NORMAL = 1 };

struct mu_process {
	uint32_t pid;  /* as the process sees itself */
	uint32_t ppid; /* likewise, at the start */
	uint32_t uid;
	uint32_t exit;		 /* enum mu_exit: NORMAL once exit handlers ran */
	uint64_t start_mono_ns;	 /* CLOCK_MONOTONIC when this image was announced */
	uint64_t fork_mono_ns;	 /* when it was forked, 0 if it began with exec */
	uint64_t exit_mono_ns; /* of exit handlers or _exit; or the collector saw it; 0 unknown */
	struct mu_string exe;	 /* /proc/self/exe */
	struct mu_string cmdline; /* arguments, each ended by a zero byte */
	struct mu_string cwd;
};

/* Rows of the summary. */
enum mu_fn {
	MU_FN_MALLOC = 0, /* operator new too */
	MU_FN_REALLOC = 1,
	MU_FN_CALLOC = 2,
	MU_FN_FREE = 3,	  /* operator delete too */
	MU_FN_MMAP_R = 4, /* neither anonymous nor writable */
	MU_FN_MMAP_W = 5, /* writable, of a file */
	MU_FN_MMAP_A = 6, /* anonymous */
	MU_FN_MREMAP = 7,
	MU_FN_MUNMAP = 8,
	MU_FN_MEMALIGN = 9, /* memalign posix_memalign aligned_alloc valloc pvalloc */
	MU_FN_COUNT = 10
};

#define MU_HIST_STEP 16u	       /* bytes per bucket */
#define MU_HIST_BUCKETS 4096u	       /* sizes below 64 KiB */
#define MU_HIST_LOW 1024u	       /* buckets that every thread record holds itself */
#define MU_HIST_HIGH (MU_HIST_BUCKETS - MU_HIST_LOW)

/* Sums of one thread, or of all retired ones. Bytes as in docs/format.md, "Counters". */
struct mu_counters {
	uint64_t calls[MU_FN_COUNT];
	uint64_t bytes[MU_FN_COUNT];
	uint64_t failed[MU_FN_COUNT];
	uint64_t realloc_nomove; /* same address as before */
	uint64_t realloc_dec;	 /* smaller than before */
	uint64_t realloc_free;	 /* size 0: freed */
	uint64_t mremap_nomove;
	uint64_t mremap_dec;
	uint64_t unknown_frees;	   /* free or realloc of a block that was never seen */
	uint64_t nested;	   /* calls while the hook was busy in the same thread (signals) */
	uint64_t hist_large;	   /* sizes of 64 KiB and more */
	uint64_t hist_high;	   /* offset of uint64_t[MU_HIST_HIGH], 0 if all are zero */
	uint64_t requests;	   /* client requests that were served */
	uint64_t request_errors;   /* ... that named a block or pool which is not known */
	uint64_t request_nested;   /* blocks announced inside others: not in totals */
	uint64_t paused_calls;	   /* allocations while recording was paused */
	uint64_t paused_bytes;
	uint64_t hist_low[MU_HIST_LOW];
};

enum mu_thread_state {
	MU_THREAD_FREE = 0,
	MU_THREAD_LIVE = 1,
	MU_THREAD_EXITING = 2, /* its start routine returned; libc still frees things */
};

#define MU_BUSY_REQUEST 2u
/* Bits of mu_thread.flags: stack_mark is from before the first event; a realloc is under way. */
enum mu_thread_flag { MU_THREAD_HAS_MARK = 1, MU_THREAD_MOVES = 2 };

/* One per thread of the process; reused when the thread is gone, its counters then having
 * been added to mu_image.retired. entry_size of the table is larger than this struct: what
 * follows belongs to the recorder alone. */
struct mu_thread {
	uint32_t busy;	/* not 0 while the thread is inside the hook; MU_BUSY_REQUEST: it is not,
			 * but is to look at mu_image.request at its next event */
	uint32_t state; /* enum mu_thread_state */
	uint32_t tid;
	uint32_t flags; /* enum mu_thread_flag */
	int64_t pending_heap; /* heap change not yet published in mu_heap.now */
	uint64_t stack_base;  /* address from which depth is measured (highest) */
	uint64_t stack_size;  /* bytes below base that belong to this stack */
	uint64_t stack_peak;  /* deepest stack seen by an event or sample, bytes */
	uint64_t stack_mark;  /* kernel's high-water mark, bytes, page-granular; 0 unknown */
	/* Event log: see docs/format.md, "Event log". */
	uint64_t log_first;	 /* offset of the first chunk, set once */
	uint64_t log_lost;	 /* records dropped because log_limit was reached */
	int64_t log_lost_heap;	 /* their heap change, carried by the next record written */
	char name[16];		 /* comm when the thread was first seen */
	uint64_t start_mono_ns;
	uint64_t log_time; /* last time stamp in the log */
	uint64_t stack_now; /* with MU_CFG_STACK_BYTES: depth at the last event or sample */
	struct mu_counters counters;
};

/* The program's current heap. One thread applies every change at once; several keep up to
 * publish_bound bytes each in pending_heap. */
struct mu_heap {
	int64_t now;
	int64_t peak; /* largest published value that was followed by a fall, or now */
	int64_t peak_bound; /* of its error: threads * publish_bound when it was set */
	uint32_t lock;
	uint32_t epoch;	     /* + 1 whenever the heap falls from a new maximum */
	uint32_t threads;    /* live threads that have had an event */
	uint32_t threads_max;
	int64_t publish_bound; /* bytes a thread may keep back now */
	int64_t extra; /* with snapshots: admin and rounding bytes of live blocks */
	uint64_t clock; /* with snapshots: bytes allocated and freed so far */
	int64_t ignored; /* of `now`, what neither extra nor Massif's counts have (IGNORE) */
};

/* Losses: what could not be recorded. Each is a count unless its comment says otherwise. */
struct mu_drops {
	uint64_t blocks;	/* allocations not in the block table: arena full */
	uint64_t block_bytes;	/* their bytes */
	uint64_t block_locks;	/* block table lock not got within the bound */
	uint64_t threads;	/* threads without a record */
	uint64_t thread_events; /* their events */
	uint64_t log_records;	/* sum over retired threads of log_lost */
	uint64_t mappings;
	uint64_t frames;
	uint64_t sites;
	uint64_t snapshots;
	uint32_t marks;
	uint32_t twice; /* at most: blocks that lie in others, and count all the same */
	uint64_t modules;
	uint32_t forks; /* children that are not recorded: without a slot, or a whole copy */
	uint32_t hist_high; /* requests of 16 to 64 KiB that are in no histogram */
	uint32_t timers; /* threads whose sampling timer could not be made */
	uint32_t lifetimes;	 /* threads whose blocks are not in mu_lifetimes */
	uint64_t triggers; /* snapshots that a signal or a threshold asked for in vain */
	uint64_t pages_unseen; /* with MU_CFG_PAGES: bytes that are mapped at the end though no */
	uint64_t pages_gone;   /* call was seen; ... and that are not mapped though they should */
	uint32_t histograms_unknown; /* requests of memory of no live block */
	uint32_t histograms_small;   /* ... of blocks that are counted byte by byte anyway */
	uint32_t histograms_large;   /* ... of blocks too large for it */
	uint32_t counters; /* threads whose instructions are not, or not all, counted */
	uint64_t accesses; /* blocks and sites whose reads and writes are not counted */
};

struct mu_image {
	uint64_t magic; /* MU_IMAGE_MAGIC; written last */
	uint32_t version;
	uint32_t header_size; /* sizeof(struct mu_image) */
	uint64_t features;    /* MU_FEATURE() of the sections that are present */
	uint64_t used;	      /* bytes allocated from the start of the image */
	uint64_t populated;   /* bytes that are backed by memory */
	uint64_t capacity;    /* bytes mapped: the image cannot grow beyond */
	uint32_t slot;
	uint32_t notes; /* enum mu_note */
	uint32_t dl_generation; /* + 1 when objects were opened or closed */
	uint32_t events_seen;	/* 1 after the first event of its own */
	struct mu_process process;
	struct mu_string unseen_malloc; /* path of the object whose malloc is not seen */
	uint64_t retired_stack_peak; /* deepest stack_peak and stack_mark of threads that are */
	uint64_t retired_stack_mark; /* gone: their records are reused */
	int64_t fork_heap; /* heap at the fork, or at an attach: what the first record of the log
			    * changes */
	_Alignas(64) struct mu_heap heap;
	struct mu_drops drops;
	/* Requests to a live image from outside, served at its next event; docs/format.md 2.3. */
	uint32_t request; /* enum mu_request */
	uint32_t request_serial; /* of the last request that was made */
	uint32_t served_serial;	 /* ... and of the last that was served */
	uint32_t stopped; /* 1: paused by MU_REQUEST_STOP, until MU_REQUEST_START */
	uint64_t blocks_root; /* live: offset of struct mu_blocks */
	uint64_t log_bytes;   /* of all log chunks */
	uint64_t fork_calls[MU_FN_COUNT]; /* counters at the fork, to tell own events apart */
	uint64_t fork_bytes[MU_FN_COUNT];
	uint64_t recorder_private; /* bytes the recorder has mapped for itself alone */
	uint64_t rss_peak; /* most memory that was resident, as the kernel says; 0 unknown */
	/* Query to the collector: docs/format.md, section 7.1. */
	uint32_t query_wanted; /* number of a module + 1, MU_QUERY_SYMBOLS, 0: nothing */
	uint32_t query_state;  /* enum mu_query_state, a futex */
	uint64_t query_offset, query_count; /* of uint64_t[query_count] */
	uint64_t query_module; /* with MU_QUERY_SYMBOLS: offset of the struct mu_module */
	uint64_t points; /* offset of struct mu_points of points.h */
	uint32_t request_places, request_refused; /* Valgrind's macros, served; not changeable */
	uint64_t requested; /* offset of the struct mu_snapshot last served, 0 none */
	uint64_t snapshots_serial; /* odd while the table of snapshots is being changed */
	uint64_t triggers; /* offset of struct mu_triggers of triggers.h, 0 none */
	struct mu_table table[MU_SEC_COUNT]; /* sections without a table have entry_size 0 */
	struct mu_counters retired;	     /* threads that are gone */
	uint64_t lifetimes; /* with MU_CFG_LIFETIMES: offset of a struct mu_lifetimes, or 0 */
	uint64_t pages_own;   /* with MU_CFG_PAGES: bytes mapped in the end by the recorder */
	uint64_t pages_stack; /* ... and bytes of the main stack that the heap has */
	uint64_t batch; /* live: offset of a struct mu_batch, 0 none; not in old recordings */
	uint32_t end;	/* enum mu_end; likewise, and as the next one from recorder and collector */
	uint32_t end_status;
	char request_text[64]; /* of MU_REQUEST_MARK, ended by a zero byte */
	struct mu_sampling sampling; /* likewise */
	struct mu_reaped_children reaped; /* likewise; of end.h */
	struct mu_recorded recorded;	  /* likewise; of recorded.h */
	uint64_t labels;	 /* likewise; offset of a struct mu_labels of labels.h, 0 none */
	uint64_t labels_dropped; /* labels for which there was no room */
	struct mu_examined examined;	  /* likewise; of examined.h */
	uint64_t pages, holders; /* offsets of mu_pages, the last mu_holders; likewise, of tools */
	uint64_t fork_cells; /* with MU_CFG_FORK_CELLS: cells at the fork, 0 none; likewise */
	uint64_t event_tick; /* of the last event of any thread, 0 unknown; likewise */
	struct mu_in_use in_use; /* likewise; of examined.h */
	int64_t own_peak; /* as heap.peak, since the fork; 0 unknown; likewise */
};

enum mu_request { MU_REQUEST_NONE = 0, MU_REQUEST_SNAPSHOT = 1, MU_REQUEST_DETAILED = 2,
		  MU_REQUEST_STOP = 3, MU_REQUEST_START = 4, MU_REQUEST_MARK = 5,
		  MU_REQUEST_LIMIT = 6 /* a mark of the collector, with all values */ };

/* mu_request_is_mark -- Tells whether REQUEST has a text in mu_image.request_text. */
static inline int mu_request_is_mark(uint32_t request)
{
	return request == MU_REQUEST_MARK || request == MU_REQUEST_LIMIT;
}

struct mu_mapping {
	uint64_t start; /* address */
	uint64_t end;
};

/* ---- call stacks, sites, snapshots ----------------------------------------------- */

struct mu_module {
	uint64_t start; /* lowest mapped address */
	uint64_t end;
	uint64_t bias;	/* load address minus the file's own addresses */
	uint32_t opened; /* dl_generation at which it appeared */
	uint32_t closed; /* ... and at which it was gone, 0 if still there */
	uint8_t build_id[32];
	uint32_t build_id_length; /* bytes, 0 if the object has none */
	uint32_t flags;
	struct mu_string path;
};

struct mu_frame {
	uint64_t pc; /* return address; frame 0 of the table is the root and has none */
	uint32_t parent;
	uint32_t generation; /* dl_generation when it was first seen */
};

struct mu_stack {
	uint64_t hash;
	uint32_t frame; /* innermost */
	uint32_t flags; /* enum mu_stack_flag in the low byte, depth above it */
};
enum mu_stack_flag { MU_STACK_TRUNCATED = 1, MU_STACK_NO_CFI = 2, MU_STACK_CUT = 4 };

struct mu_site {
	uint32_t stack;
	uint16_t fn; /* enum mu_fn or mu_site_fn */
	uint16_t flags; /* enum mu_site_flag */
	uint64_t first; /* time of its first event */
	uint32_t point; /* number in the table of points + 1, 0 none */
	uint32_t label; /* number of the set of labels in mu_labels, 0 none */
};
/* Kinds of sites outside of malloc's family. */
enum mu_site_fn { MU_SITE_FN_BLOCK = 32, MU_SITE_FN_NESTED = 33, MU_SITE_FN_AD_HOC = 34,
		  MU_SITE_FN_PAGES = 35,
		  MU_SITE_FN_BEFORE = 36 /* blocks from before memusage attached */ };

enum mu_site_flag {
	MU_SITE_IGNORED = 1, /* --ignore-fn */
	MU_SITE_NESTED = 2,  /* blocks inside another block: not in totals */
	MU_SITE_REQUEST = 4, /* announced by a client request */
	MU_SITE_PAGES = 8,   /* mapped pages */
	MU_SITE_FREE = 16,   /* free side */
	MU_SITE_AD_HOC = 32  /* ad hoc events: total_bytes is their weight, nothing else counts */
};

/* Frees go to the freeing thread's cell: only sums over threads mean anything. */
struct mu_cell {
	/* Every event changes these, a cache line ... */
	int64_t live_bytes;
	int64_t live_blocks;
	uint64_t total_bytes;
	uint64_t total_blocks;
	int64_t life; /* sum of free times minus sum of birth times */
	int64_t max_bytes;
	uint64_t temporary;
	uint32_t epoch;
	uint32_t site;
	/* ... and another, which a free does not touch. */
	int64_t peak_bytes; /* value at the global peak of `epoch`; see docs/format.md */
	int64_t peak_blocks;
	uint32_t size_class[8]; /* allocations of <=16 <=64 <=256 <=1K <=4K <=64K <=1M more */
	uint32_t thread; /* tid of the thread that met the site first with this cell */
	uint32_t flags;	 /* enum mu_cell_flag */
	uint64_t point;	 /* offset of the site's point; the recorder's own */
};

enum mu_cell_flag {
	MU_CELL_MASSIF = 1, /* only in Massif's counts: in snapshots, but in no other report */
	MU_CELL_ERROR = 2   /* a struct mu_error_cell of sampling.h */
};

struct mu_site_value {
	uint32_t site;
	uint32_t reserved;
	int64_t bytes;
	int64_t blocks;
};

enum mu_snapshot_kind { MU_SNAPSHOT_NORMAL = 0, MU_SNAPSHOT_DETAILED = 1, MU_SNAPSHOT_PEAK = 2,
			MU_SNAPSHOT_REQUESTED = 3 };

struct mu_snapshot {
	uint64_t mono_ns;
	uint64_t clock_bytes; /* bytes allocated and freed so far */
	uint64_t instructions;
	int64_t heap; /* bytes */
	int64_t extra;
	int64_t stacks;
	uint32_t kind;	 /* enum mu_snapshot_kind */
	uint32_t tick;	 /* low bits of the segment's */
	uint64_t values; /* offset of struct mu_site_value[value_count] */
	uint64_t value_count;
	struct mu_string name; /* mark or request that caused it */
	uint64_t sites; /* those with smaller numbers had allocated by then, no others */
	/* Younger than the format: smaller entries do without. */
	uint64_t packed; /* offset of a struct mu_values, instead of `values` */
	uint64_t packed_bytes; /* used bytes of it and of those that it leads to */
};
#define MU_SNAPSHOT_SIZE_MIN offsetof(struct mu_snapshot, packed)

/* Values of sites one after the other, ascending by site, each as three numbers: the site's
 * distance from the one after the last, bytes, blocks. A number has 7 bits in each byte, the lowest
 * first, and the highest bit set in all but its last; sums have their sign in the lowest bit
 * (zigzag). No value is in two pieces. */
struct mu_values {
	uint64_t next; /* offset of the next piece, 0 none */
	uint32_t used; /* bytes */
	uint32_t reserved;
	uint8_t byte[];
};

enum mu_mark_kind { MU_MARK_USER = 0, MU_MARK_PAUSE = 1, MU_MARK_RESUME = 2, MU_MARK_AD_HOC = 3 };

struct mu_mark {
	uint64_t mono_ns;
	uint32_t kind; /* enum mu_mark_kind */
	uint32_t thread;
	uint64_t value; /* bytes of heap at that moment */
	struct mu_string text;
};

_Static_assert(sizeof(struct mu_config) == 128, "mu_config is part of the format");
_Static_assert(sizeof(struct mu_slot) == 64, "mu_slot is part of the format");
_Static_assert(sizeof(struct mu_cell) == 128, "mu_cell must be two cache lines");
_Static_assert(sizeof(struct mu_error_cell) == sizeof(struct mu_cell) &&
	       offsetof(struct mu_error_cell, site) == offsetof(struct mu_cell, site) &&
	       offsetof(struct mu_error_cell, epoch) == offsetof(struct mu_cell, epoch) &&
	       offsetof(struct mu_error_cell, flags) == offsetof(struct mu_cell, flags),
	       "mu_error_cell is an entry of the table of cells");
_Static_assert(sizeof(struct mu_segment) <= MU_PAGE, "the segment header is one page");
