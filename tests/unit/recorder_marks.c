/* recorder_marks.c -- marks are kept in order with their texts, up to what there is room for; pauses
 * nest, and only the outermost is marked; what a reader makes of them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/requests/marks.h"

#include <pthread.h>
#include <string.h>

#undef MARKS_MAX	/* the reader has its own, of the same value */
#include "profile/read/marks.h"
#include "tests/lib/recorder.h"

static struct image im;

static void load(void)
{
	image_load(&im, rec.image, UINT64_C(64) << 20, NULL, NULL);
}

static const char *text_of(uint64_t index)
{
	static char text[1000];
	struct mu_mark mark;

	load();
	if (!marks_get(&im, index, &mark))
		return "no such mark";
	image_string(&im, &mark.text, text, sizeof(text));
	return text;
}

static void texts(void)
{
	char longer[MARKS_TEXT + 50];
	struct mu_mark mark, before = { .mono_ns = 0 };

	recorder_image(UINT64_C(64) << 20, 0);
	memset(longer, 'x', sizeof(longer));	/* without an end */
	marks_add(self, MU_MARK_USER, "first");
	marks_add(self, MU_MARK_USER, "");
	marks_add(self, MU_MARK_USER, NULL);
	marks_add(self, MU_MARK_USER, longer);
	EQ_S(text_of(0), "first");
	EQ_S(text_of(1), "");
	EQ_S(text_of(2), "");
	EQ_U(strlen(text_of(3)), MARKS_TEXT);
	EQ_S(text_of(4), "no such mark");
	for (uint64_t i = 0; i < 4; i++) {
		EQ_U(marks_get(&im, i, &mark), true);
		EQ_U(mark.mono_ns >= before.mono_ns && mark.mono_ns > 0, true);
		EQ_U(mark.thread, self->pub.tid);
		before = mark;
	}
}

static void full(void)
{
	recorder_image(UINT64_C(64) << 20, 0);
	for (uint64_t i = 0; i < MARKS_MAX + 10; i++)
		marks_add(self, MU_MARK_USER, NULL);
	load();
	EQ_U(image_count(&im, MU_SEC_MARKS), MARKS_MAX);
	EQ_U(rec.image->drops.marks, 10);
}

static void pauses(void)
{
	uint64_t ns = 7;
	bool is_over;

	recorder_image(UINT64_C(64) << 20, 0);
	EQ_U(marks_resume(self), false);
	load();
	EQ_U(marks_paused(&im, 100, &ns, &is_over), 0);
	EQ_U(ns, 0);
	EQ_U(is_over, true);
	marks_pause(self);
	marks_pause(self);
	EQ_U(!!(gate.mode & MODE_PAUSED), true);
	EQ_U(marks_resume(self), true);
	EQ_U(!!(gate.mode & MODE_PAUSED), true);
	load();
	EQ_U(marks_paused(&im, UINT64_MAX, &ns, &is_over), 1);
	EQ_U(is_over, false);
	EQ_U(marks_resume(self), true);
	EQ_U(!!(gate.mode & MODE_PAUSED), false);
	EQ_U(marks_resume(self), false);
	marks_pause(self);
	EQ_U(marks_resume(self), true);
	load();
	EQ_U(image_count(&im, MU_SEC_MARKS), 4);
	EQ_U(marks_paused(&im, 0, &ns, &is_over), 2);
	EQ_U(is_over, true);
}

static void *pause_often(void *thread)
{
	for (int i = 0; i < 20000; i++) {
		marks_pause(thread);
		if (!marks_resume(thread))
			return thread;
	}
	return NULL;
}

/* However they meet, recording goes on in the end, and marks pair. */
static void threads(void)
{
	pthread_t other;
	void *failed = NULL, *mine;
	struct mu_mark mark;
	int depth = 0, wrong = 0;

	recorder_image(UINT64_C(64) << 20, 0);
	if (pthread_create(&other, NULL, pause_often, (void *)self) != 0)
		return;
	mine = pause_often((void *)self);
	pthread_join(other, &failed);
	EQ_P(mine, NULL);
	EQ_P(failed, NULL);
	EQ_U(rec.pauses, 0);
	EQ_U(!!(gate.mode & MODE_PAUSED), false);
	load();
	for (uint64_t i = 0; marks_get(&im, i, &mark); i++) {
		depth += mark.kind == MU_MARK_PAUSE ? 1 : -1;
		wrong += depth < -1 || depth > 2;
	}
	EQ_I(wrong, 0);
}

static void parts(void)
{
	static const enum mu_mark_kind kind[] = {
		MU_MARK_PAUSE, MU_MARK_RESUME, MU_MARK_USER, MU_MARK_RESUME, MU_MARK_PAUSE,
		MU_MARK_PAUSE, MU_MARK_RESUME, MU_MARK_PAUSE, MU_MARK_RESUME
	};
	struct mark_part part[2] = { { 0, 0 } };
	struct mu_mark mark[9];
	uint64_t ns, all;

	recorder_image(UINT64_C(64) << 20, 0);
	for (int i = 0; i < 9; i++)
		marks_add(self, kind[i], NULL);
	load();
	for (uint64_t i = 0; i < 9; i++)
		EQ_U(marks_get(&im, i, &mark[i]), true);
	EQ_U(marks_recorded(&im, 0, part, 2, &ns), 3);
	EQ_U(part[0].from, mark[1].mono_ns);
	EQ_U(part[0].to, mark[4].mono_ns);
	EQ_U(part[1].from, mark[6].mono_ns);
	EQ_U(part[1].to, mark[7].mono_ns);
	all = mark[4].mono_ns - mark[1].mono_ns + mark[7].mono_ns - mark[6].mono_ns;
	EQ_U(ns, all);
	EQ_U(marks_recorded(&im, mark[8].mono_ns + 5, NULL, 0, &ns), 3);
	EQ_U(ns, all + 5);
}

int main(void)
{
	texts();
	full();
	pauses();
	threads();
	parts();
	return done_testing();
}
