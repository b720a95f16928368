/* profile_process_list.c -- all processes of a recording, their parents and sums, of random trees;
 * which one has most, also before an exec; how an image ended, in words.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "profile/read/process_list.h"

#include <signal.h>

#include "tests/lib/fake_image.h"
#include "tests/lib/tap.h"

enum { SLOT = 1 << 20, PROCESSES = 12, IMAGES = 2 * PROCESSES };

static struct fake f;
static struct segment segment;
static struct process_list list;

static void load(void)
{
	struct mu_error err;

	OK(segment_view(&segment, f.base, f.size, &err) == 0, "the recording is one");
	process_list_load(&list, &segment);
}

/* ---- random trees -------------------------------------------------------------------------- */

struct truth {
	uint32_t pid, parent; /* parent: number of its process, or PROCESSES */
	uint64_t peak, live, inherited; /* of the last image */
	uint64_t earlier_peaks, earlier_lives, earlier_most; /* own figures of those before */
	uint32_t images;
};

static unsigned int seed, trees_with_earlier;

static uint32_t draw(uint32_t below)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % below;
}

/* Adds an image of a process; the first one of a child is forked, later ones began by an exec. */
static void add_image(uint32_t slot, struct truth *t, const struct truth *all, uint64_t now)
{
	struct mu_image *im = fake_image(&f, slot);

	if (t->images > 0) {
		t->earlier_peaks += t->peak - t->inherited;
		t->earlier_lives += t->live - t->inherited;
		if (t->peak - t->inherited > t->earlier_most)
			t->earlier_most = t->peak - t->inherited;
	}
	t->inherited = t->images == 0 && t->parent < PROCESSES ? draw(1000) : 0;
	t->live = t->inherited + draw(100000);
	t->peak = t->live + draw(100000) * (draw(8) == 0 ? 30 : 1);
	im->process.pid = t->pid;
	im->process.ppid = t->parent < PROCESSES ? all[t->parent].pid : 1;
	im->process.start_mono_ns = t->images == 0 && t->parent < PROCESSES ? 5 : now;
	im->process.fork_mono_ns = t->images == 0 && t->parent < PROCESSES ? now : 0;
	im->fork_heap = (int64_t)t->inherited;
	im->heap.now = (int64_t)t->live;
	im->heap.peak = (int64_t)t->peak;
	f.slot[slot].pid = t->pid;
	t->images++;
}

static const struct process_entry *entry_of(uint32_t pid)
{
	for (uint32_t i = 0; i < list.count; i++)
		if (list.entry[i].is_last && list.entry[i].pid == (pid_t)pid)
			return &list.entry[i];
	return NULL;
}

static bool is_true(const struct truth *t, const struct truth *all)
{
	const struct process_entry *e = entry_of(t->pid);

	return e && e->peak == t->peak && e->live == t->live &&
	       e->own_peak == t->peak - t->inherited && e->own_live == t->live - t->inherited &&
	       e->has_parent == (t->parent < PROCESSES) &&
	       (pid_t)(t->parent < PROCESSES ? all[t->parent].pid : 1) == e->parent;
}

static void compare_with_truth(const struct truth *all, uint32_t images)
{
	uint64_t peaks = 0, lives = 0, most = 0, earlier_most = 0;
	uint32_t wrong = 0, unordered = 0;

	for (uint32_t i = 0; i < PROCESSES; i++) {
		wrong += !is_true(&all[i], all);
		peaks += all[i].peak - all[i].inherited + all[i].earlier_peaks;
		lives += all[i].live - all[i].inherited + all[i].earlier_lives;
		if (all[i].earlier_most > earlier_most)
			earlier_most = all[i].earlier_most;
		if (all[i].peak - all[i].inherited > most)
			most = all[i].peak - all[i].inherited;
	}
	for (uint32_t i = 1; i < list.count; i++)
		unordered += list.entry[i].start_ns < list.entry[i - 1].start_ns;
	EQ_U(wrong, 0);
	EQ_U(unordered, 0);
	EQ_U(list.count, images);
	EQ_U(list.processes, PROCESSES);
	EQ_U(list.own_peaks, peaks);
	EQ_U(list.own_lives, lives);
	if (earlier_most >= 1 << 20 && earlier_most >= 2 * most) {
		most = earlier_most;
		trees_with_earlier++;
	}
	EQ_U(process_list_largest(&list, 0, PROCESS_PEAK)->own_peak, most);
}

/* The slots are in a random order, as those of a run are. */
static void random_tree(unsigned int number)
{
	struct truth all[PROCESSES] = { { 0 } };
	uint32_t slot[IMAGES], begun = 0, images = 0;

	seed = number;
	fake_segment(&f, MU_KIND_TREE, IMAGES, SLOT);
	for (uint32_t i = 0; i < IMAGES; i++) {
		uint32_t other = draw(i + 1);

		slot[i] = slot[other];
		slot[other] = i;
	}
	while (begun < PROCESSES || (images < IMAGES && draw(4))) {
		bool is_exec = begun > 0 && images - begun < PROCESSES && draw(3) == 0;
		uint32_t i = is_exec ? draw(begun) : begun;

		if (!is_exec && begun == PROCESSES)
			continue;
		if (!is_exec)
			all[begun++] = (struct truth){ .pid = 100 + draw(100) * PROCESSES + i,
						       .parent = i ? draw(i) : PROCESSES };
		images++;
		add_image(slot[images - 1], &all[i], all, 1000 * images);
	}
	load();
	compare_with_truth(all, images);
	process_list_free(&list);
	free(f.base);
}

/* ---- programs before an exec ---------------------------------------------------------------- */

static void set_image(uint32_t slot, uint32_t pid, uint64_t start, uint64_t peak)
{
	struct mu_image *im = fake_image(&f, slot);

	im->process.pid = f.slot[slot].pid = pid;
	im->process.ppid = 1;
	im->process.start_mono_ns = start;
	im->heap.peak = (int64_t)peak;
}

/* Process 10 has the images 0, 2 and 3, process 20 only image 1. */
static void chain(void)
{
	static const struct {
		uint64_t peak[4];
		uint32_t largest;
	} cases[] = {
		{ { 50 << 20, 5000, 0, 7 }, 0 },
		{ { 50 << 20, 25 << 20, 60 << 20, 7 }, 2 },
		{ { 50 << 20, (25 << 20) + 1, 0, 7 }, 1 },	/* not twice as much */
		{ { (1 << 20) - 1, 0, 0, 7 }, 3 },		/* too small, like a shell */
		{ { 1 << 20, 0, 0, 7 }, 0 },
		{ { 0, 0, 0, 0 }, 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct process_entry *e;

		fake_segment(&f, MU_KIND_TREE, 4, SLOT);
		for (uint32_t k = 0; k < 4; k++)
			set_image(k, k == 1 ? 20 : 10, 100 * (k + 1), cases[i].peak[k]);
		load();
		EQ_U(process_list_largest(&list, 1, PROCESS_PEAK)->slot, cases[i].largest);
		EQ_U(list.processes, 2);
		e = process_list_find(&list, 0);
		EQ_U(process_list_next_image(&list, e)->slot, 2);
		EQ_U(process_list_last_image(&list, e)->slot, 3);
		e = process_list_find(&list, 1);
		OK(!process_list_next_image(&list, e), "a process that executed nothing");
		OK(process_list_last_image(&list, e) == e, "... has one image");
		OK(!process_list_earlier(&list, 20, PROCESS_PEAK), "... and none before an exec");
		process_list_free(&list);
		free(f.base);
	}
	OK(!process_is_clearly_larger(9999, 0, PROCESS_CALLS), "calls of a shell");
	OK(process_is_clearly_larger(10000, 5000, PROCESS_CALLS), "... and of more");
}

/* ---- the end ------------------------------------------------------------------------------- */

static void ends(void)
{
	static const struct {
		uint32_t end, status, exit;
		const char *word, *text;
	} cases[] = {
		{ MU_END_EXIT, 3, 0, "exit", "exit status 3" },
		{ MU_END_EXIT, UINT32_MAX, 0, "exit", "exited, status not known" },
		{ MU_END_IMMEDIATE, 0, 0, "_exit", "_exit, status 0" },
		{ MU_END_STATUS, 9, 0, "status", "exit status 9 without exit handlers" },
		{ MU_END_SIGNAL, SIGSEGV, 0, "signal", "killed by SIGSEGV" },
		{ MU_END_SIGNAL, 40, 0, "signal", "killed by signal 40" },
		{ MU_END_EXEC, 0, 0, "exec", "executed another program" },
		{ MU_END_RUNNING, 0, 1, "running", "still running" },
		{ MU_END_UNKNOWN, 0, 1, "exit", "exited, status not known" },
		{ MU_END_UNKNOWN, 7, 0, "unknown", "killed, or ended without exit and _exit" },
		{ 4711, 7, 0, "unknown", "killed, or ended without exit and _exit" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct mu_image head = { .end = cases[i].end, .end_status = cases[i].status,
					 .process.exit = cases[i].exit };
		char text[IMAGE_END_TEXT];

		EQ_S(image_end_text(image_end_of(&head), text), cases[i].text);
		EQ_S(image_end_word(image_end_of(&head)), cases[i].word);
	}
}

/* A recording of an earlier version has other things where its shorter header ends. */
static void older_header(void)
{
	struct mu_image *im;

	fake_segment(&f, MU_KIND_FILE, 1, SLOT);
	im = fake_image(&f, 0);
	im->header_size = offsetof(struct mu_image, end);
	im->end = MU_END_SIGNAL;
	im->process.exit = MU_EXIT_NORMAL;
	load();
	EQ_U(list.entry[0].end.how, MU_END_EXIT);
	OK(!image_end_has_status(list.entry[0].end), "its status is not known");
	process_list_free(&list);
	free(f.base);
}

static void names(void)
{
	char text[200], small[10];

	fake_segment(&f, MU_KIND_FILE, 14, SLOT);
	for (uint32_t k = 0; k < 14; k++) {
		struct mu_image *im = fake_image(&f, k);

		im->process.pid = f.slot[k].pid = 10 + k;
		im->process.start_mono_ns = 100 + k;
		im->process.cmdline = fake_string(&f, k, "/bin/p", 7);
	}
	load();
	process_list_name_all(&list, text, sizeof(text));
	EQ_S(text, "10 (p), 11 (p), 12 (p), 13 (p), 14 (p), 15 (p), 16 (p), 17 (p), 18 (p), 19 (p), "
		   "20 (p), 21 (p) and 2 more");
	process_list_name_all(&list, small, sizeof(small));
	EQ_S(small, "10 (p), 1");
	process_list_free(&list);
	free(f.base);
}

int main(void)
{
	for (unsigned int i = 0; i < 40; i++)
		random_tree(i);
	OK(trees_with_earlier > 0 && trees_with_earlier < 40, "some trees have most before an exec");
	chain();
	ends();
	older_header();
	names();
	return done_testing();
}
