/* start.c -- how recording begins in a process, and how it ends.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/lifecycle/start.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libmemusage/base/arch.h"
#include "libmemusage/base/clock.h"
#include "libmemusage/base/emulated_pause.h"
#include "libmemusage/base/environment.h"
#include "libmemusage/base/objects.h"
#include "libmemusage/base/readable.h"
#include "libmemusage/base/real.h"
#include "libmemusage/base/sandbox.h"
#include "libmemusage/base/sys.h"
#include "libmemusage/base/trace.h"
#include "libmemusage/emulated/emulated.h"
#include "libmemusage/event/hook_recovery.h"
#include "libmemusage/event/stale_links.h"
#include "libmemusage/image/list_lock.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/image/registration.h"
#include "libmemusage/image/thread.h"
#include "libmemusage/lifecycle/begin.h"
#include "libmemusage/lifecycle/fork.h"
#include "libmemusage/lifecycle/image.h"
#include "libmemusage/lifecycle/pages_query.h"
#include "libmemusage/lifecycle/pause.h"
#include "libmemusage/lifecycle/sampler.h"
#include "libmemusage/lifecycle/snapshot_signal.h"
#include "libmemusage/lifecycle/standalone.h"
#include "libmemusage/lifecycle/threads.h"
#include "libmemusage/pages/pages_start.h"
#include "libmemusage/pages/passthrough.h"
#include "libmemusage/patch/builtin_malloc_detect.h"
#include "libmemusage/patch/macros.h"
#include "libmemusage/patch/symbol_hooks.h"
#include "libmemusage/requests/leak_query.h"
#include "libmemusage/requests/request.h"
#include "libmemusage/tables/snapshots.h"
#include "recording/env.h"

static bool begin_recording(void)
{
	const char *collector = environment_value(MU_ENV_COLLECTOR);
	bool is_wiped = !SYS3(SYS_madvise, &gate, sizeof(gate), MADV_WIPEONFORK);
	struct slot slot;

	/* memusage has asked for it, or runs the program in an emulator, which may not have it. */
	if (!is_wiped && !collector) {
		standalone_refuse("the kernel has no MADV_WIPEONFORK");
		return false;
	}
	if (collector ? !registration_new_image(collector, &slot)
		      : !standalone_begin(&slot))
		return false;
	rec.is_standalone = !collector;
	recorder_configure(slot.segment);
	if (!is_wiped)
		trace("no MADV_WIPEONFORK: children of raw clone() are not told apart");
	if (!image_begin(&slot))
		return false;
	if (!thread_attach(NULL))
		return false;
	emulated_begin();
	snapshots_find_clock();
	pause_begin(self);
	if (rec.flags & (MU_CFG_LEAKS | MU_CFG_HOLDERS))
		stale_links_start();
	recorder_open_gate();
	request_publish_entry();
	if (rec.flags & MU_CFG_REQUESTS)
		macros_start();
	if (rec.flags & MU_CFG_PAGES)
		pages_start();
	if (rec.flags & MU_CFG_START_PAUSED)
		passthrough_sleep();
	else if (rec.flags & MU_CFG_SAMPLE)
		passthrough_sample();
	return true;
}

/* Without memusage it is not known which filters may be there: those of a container, say. */
static void note_inherited_sandbox(void)
{
	if (environment_value(MU_ENV_COLLECTOR))
		sandbox_inherit(environment_value(MU_ENV_FILTERS));
}

static void init_modules(void)
{
	clock_begin_without_ticks();
	clock_init();
	objects_init();
	readable_init();
	hook_recovery_init();
	list_lock_init();
	trace_init(environment_value(MU_ENV_TRACE));
}

void recorder_start(void)
{
	uint32_t expected = STATE_NOT_YET;

	/* Nothing can be decided before libc has set up the environment. */
	if (!environ || !__atomic_compare_exchange_n(&rec.state, &expected, STATE_STARTING, false,
						     __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	emulated_pause();
	int saved = errno;
	real_resolve();
	note_inherited_sandbox();
	/* Not a single system call of ours may be allowed. Memcheck has a malloc of its own,
	 * complains of the recorder, and takes a second for each change of so large a mapping. */
	bool may_begin = !sandbox.is_on && !cpu_is_memcheck();
	if (may_begin)
		init_modules();
	bool ok = may_begin && !getauxval(AT_SECURE) && begin_recording();
	if (!ok && rec.image)
		image_unmap();
	__atomic_store_n(&rec.state, ok ? STATE_ON : STATE_OFF, __ATOMIC_RELEASE);
	trace(ok ? "recording" : "not recording");
	errno = saved;
	emulated_resume();
}

__attribute__((constructor)) static void start_at_load(void)
{
	emulated_pause();
	int saved = errno;

	recorder_start();
	if (rec.state == STATE_ON) {
		thread_key_init();
		fork_init();
		sampler_start();
		snapshot_signal_start();
		builtin_malloc_detect();
		if (rec.flags & MU_CFG_SYMBOLS)
			symbol_hooks_start();
		emulated_start();
	}
	errno = saved;
	emulated_resume();
}

__attribute__((destructor)) static void finish_at_exit(void)
{
	emulated_pause();
	int saved = errno;

	pages_query_at_end();
	leak_query_at_end();
	image_exit();
	if (rec.is_standalone && !sandbox.is_on)
		standalone_end();
	trace("exit");
	errno = saved;
	emulated_resume();
}
