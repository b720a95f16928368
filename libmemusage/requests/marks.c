/* marks.c -- moments that the program names, and pauses of the recording.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/requests/marks.h"

#include <time.h>

#include "libmemusage/base/clock.h"
#include "libmemusage/base/locks.h"
#include "libmemusage/base/spin.h"
#include "libmemusage/image/arena.h"

#define FIRST_LOG2 4

void marks_init(void)
{
	arena_table_init(MU_SEC_MARKS, sizeof(struct mu_mark), FIRST_LOG2);
	rec.pauses = 0;
	rec.was_paused = false;
}

/* Under the lock, so that marks are in the order of their times. */
static bool append_mark(struct thread *thread, enum mu_mark_kind kind, const char *text,
			uint64_t length)
{
	struct mu_table *marks = section_table(MU_SEC_MARKS);
	uint64_t number = marks->count;
	struct mu_mark *mark = number < MARKS_MAX ? arena_table_at(marks, number) : NULL;

	if (!mark)
		return false;
	*mark = (struct mu_mark){ .mono_ns = clock_ns(CLOCK_MONOTONIC),
				  .kind = kind,
				  .thread = thread->pub.tid,
				  .value = (uint64_t)(rec.image->heap.now +
						      thread->pub.pending_heap) };
	if (length)
		mark->text = arena_string(text, length, MARKS_TEXT);
	__atomic_store_n(&marks->count, number + 1, __ATOMIC_RELEASE);
	return true;
}

void marks_add(struct thread *thread, enum mu_mark_kind kind, const char *text)
{
	uint64_t length = 0;

	while (text && length < MARKS_TEXT && text[length])
		length++;
	if (!spin_lock(&locks.marks)) {
		count_drop(marks);
		return;
	}
	if (!append_mark(thread, kind, text, length))
		count_drop(marks);
	spin_unlock(&locks.marks);
}

void marks_pause(struct thread *thread)
{
	rec.was_paused = true;
	if (__atomic_fetch_add(&rec.pauses, 1, __ATOMIC_SEQ_CST))
		return;
	gate_change_mode(MODE_PAUSED, 0);
	marks_add(thread, MU_MARK_PAUSE, NULL);
}

bool marks_resume(struct thread *thread)
{
	uint32_t pauses = __atomic_load_n(&rec.pauses, __ATOMIC_SEQ_CST);

	do {
		if (!pauses)
			return false;
	} while (!__atomic_compare_exchange_n(&rec.pauses, &pauses, pauses - 1, false,
					      __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
	if (pauses > 1)
		return true;
	if (!(rec.flags & MU_CFG_AD_HOC))
		gate_change_mode(0, MODE_PAUSED);
	/* Another thread may have begun a pause meanwhile. */
	if (__atomic_load_n(&rec.pauses, __ATOMIC_SEQ_CST))
		gate_change_mode(MODE_PAUSED, 0);
	marks_add(thread, MU_MARK_RESUME, NULL);
	return true;
}
