/* recorder_labels.c -- a set of labels has one number, in whatever order the labels were set; what
 * there is no room for is counted; a reader gets the same labels, and none from a damaged recording.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "libmemusage/requests/labels.h"

#include <stdio.h>
#include <string.h>

#include "profile/read/labels.h"
#include "tests/lib/recorder.h"

static struct image im;

static void begin(void)
{
	recorder_image(UINT64_C(64) << 20, MU_CFG_STACKS);
}

static uint32_t set(const char *key, const char *value)
{
	OK(labels_set(self, key, value), "a label is set");
	return self->label;
}

/* "a=1 b=2" */
static const char *text_of(uint32_t number)
{
	static char text[4096];
	struct label label[MU_LABELS_DEPTH];
	struct labels labels;
	char *end = text;

	image_load(&im, rec.image, UINT64_C(64) << 20, NULL, NULL);
	labels_load(&labels, &im);
	uint32_t count = labels_of_set(&labels, number, label);
	*text = '\0';
	for (uint32_t i = 0; i < count; i++)
		end += sprintf(end, "%s%s=%s", i ? " " : "", label[i].key, label[i].value);
	labels_free(&labels);
	return text;
}

static struct mu_labels *stored(void)
{
	return (struct mu_labels *)arena_at(rec.image->labels);
}

static void numbers(void)
{
	begin();
	EQ_U(rec.image->labels, 0);
	EQ_U(set("b", NULL), 0);
	EQ_U(rec.image->labels, 0);
	uint32_t b = set("b", "2"), both = set("a", "1");
	EQ_S(text_of(both), "a=1 b=2");
	uint32_t a = set("b", NULL);
	EQ_S(text_of(a), "a=1");
	EQ_U(set("b", "2"), both);
	EQ_U(set("a", ""), b);
	EQ_S(text_of(set("b", "3")), "b=3");
	EQ_S(text_of(set("c", "4")), "b=3 c=4");
	EQ_S(text_of(set("a", "5")), "a=5 b=3 c=4");
	EQ_S(text_of(set("b", "22")), "a=5 b=22 c=4");
	EQ_S(text_of(set("bb", "6")), "a=5 b=22 bb=6 c=4");
	EQ_S(text_of(set("b", NULL)), "a=5 bb=6 c=4");
	EQ_S(text_of(set("a", NULL)), "bb=6 c=4");
	set("c", NULL);
	EQ_U(set("bb", NULL), 0);
	uint32_t sets = stored()->count;
	EQ_U(set("b", "2"), b);
	EQ_U(set("a", "1"), both);
	EQ_U(stored()->count, sets);
	EQ_U(labels_set(self, NULL, "1"), false);
	EQ_U(labels_set(self, "", "1"), false);
	EQ_U(self->label, both);
	EQ_U(rec.image->labels_dropped, 0);
}

static void limits(void)
{
	static char key[MU_LABEL_KEY + 10], value[MU_LABEL_VALUE + 10];
	char number[16];

	begin();
	memset(key, 'k', sizeof(key));	/* without an end */
	memset(value, 'v', sizeof(value));
	EQ_U(strlen(text_of(set(key, value))), MU_LABEL_KEY + 1 + MU_LABEL_VALUE);
	set(key, NULL);
	for (int i = 0; i < 8; i++) {
		sprintf(number, "%d", i);
		set(number, "x");
	}
	uint32_t eight = self->label;
	EQ_U(set("9", "x"), eight);
	EQ_U(rec.image->labels_dropped, 1);
	EQ_S(text_of(set("3", "y")), "0=x 1=x 2=x 3=y 4=x 5=x 6=x 7=x");
	EQ_U(rec.image->labels_dropped, 1);
}

static void full(void)
{
	char number[300];
	uint32_t more;

	begin();
	for (unsigned int i = 0; i < 2000; i++) {
		sprintf(number, "%u", i);
		set("n", number);
	}
	EQ_U(stored()->count, MU_LABELS_MAX - 128 + 1);
	EQ_U(rec.image->labels_dropped, 2000 - (MU_LABELS_MAX - 128));
	more = self->label;
	EQ_S(text_of(more), "n=(more)");
	EQ_S(text_of(set("n", "17")), "n=17");
	EQ_U(set("n", "1999"), more);
	for (unsigned int i = 0; i < 300; i++) {
		sprintf(number, "%u", i);
		set(number, "x");
		set(number, NULL);
	}
	EQ_U(stored()->count, MU_LABELS_MAX);
	uint64_t dropped = rec.image->labels_dropped;
	EQ_S(text_of(set("new", "x")), "");
	OK(rec.image->labels_dropped > dropped, "a label that is left out is counted");

	begin();
	EQ_U(self->label, 0);
	memset(number, 'x', sizeof(number));
	for (unsigned int i = 0; i < 1000; i++) {
		sprintf(number, "%u", i);
		number[strlen(number)] = 'x';
		set("n", number);
	}
	OK(stored()->count < 300, "long texts fill the room for texts");
	OK(stored()->used <= MU_LABELS_TEXT, "... and no more");
	EQ_S(text_of(self->label), "n=(more)");
}

/* Nothing that a damaged recording says leads outside. */
static void damaged(void)
{
	struct labels labels;
	struct label label[MU_LABELS_DEPTH];
	struct mu_labels *s;

	begin();
	set("a", "1");
	set("b", "2");
	set("c", "3");
	s = stored();
	EQ_U(s->count, 3);
	s->label[2].parent = 3;
	EQ_S(text_of(3), "");
	EQ_S(text_of(2), "a=1 b=2");
	s->label[1].text = s->used + 1;
	EQ_S(text_of(2), "");
	s->label[0].value_length = 60000;
	EQ_S(text_of(1), "");
	s->count = s->used = UINT32_MAX;
	EQ_S(text_of(1), "");
	s->label[0].value_length = 1;
	EQ_S(text_of(1), "a=1");
	EQ_S(text_of(UINT32_MAX), "");
	rec.image->labels = UINT64_MAX;
	EQ_S(text_of(1), "");
	labels = (struct labels){ .count = 0 };
	EQ_U(labels_of_set(&labels, 1, label), 0);
	labels_free(&labels);
}

/* Without call stacks there are no sites to label. */
static void counting(void)
{
	recorder_image(UINT64_C(64) << 20, 0);
	EQ_U(set("a", "1"), 0);
	EQ_U(rec.image->labels, 0);
}

int main(void)
{
	numbers();
	limits();
	full();
	damaged();
	counting();
	return done_testing();
}
