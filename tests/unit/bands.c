/* bands.c -- memory over time by place, of a massif.out: which bands, their areas, what is left.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/bands.h"

#include <string.h>
#include <unistd.h>

#include "tests/lib/scratch.h"
#include "tests/lib/tap.h"

static int load(struct bands *b, const char *text, double least, struct mu_error *err)
{
	struct massif_file m;
	struct textfile in;
	FILE *file = tmpfile();
	int result;

	fputs(text, file);
	rewind(file);
	EQ_I(textfile_open(&in, fileno(file), err), 0);
	result = massif_read(&m, &in, err);
	if (result == 0)
		result = bands_of_massif(b, &m, true, least, err);
	textfile_close(&in);
	massif_free(&m);
	fclose(file);
	return result;
}

#define HEAD "desc: (none)\ncmd: ./prog\ntime_unit: ms\n"
#define SHOT(n, t, heap, extra, kind) \
	"#-----------\nsnapshot=" #n "\n#-----------\ntime=" #t "\nmem_heap_B=" #heap \
	"\nmem_heap_extra_B=" #extra "\nmem_stacks_B=0\nheap_tree=" kind "\n"
#define ROOT "(heap allocation functions) malloc/new/new[], --alloc-fns, etc."

static void test_areas(void)
{
	static const char text[] =
		HEAD SHOT(0, 0, 0, 0, "empty")
		SHOT(1, 100, 300, 10, "detailed")
		"n3: 300 " ROOT "\n n0: 200 0x1: a (a.c:1)\n n0: 90 0x2: b (b.c:2)\n"
		" n0: 10 in 2 places, all below massif's threshold (1.00%)\n"
		SHOT(2, 150, 250, 10, "empty")
		SHOT(3, 200, 400, 20, "peak")
		"n2: 400 " ROOT "\n n1: 400 0x3: a (a.c:1)\n  n0: 400 0x9: main (a.c:9)\n n0: 0 0x2: b (b.c:2)\n";
	struct mu_error err;
	struct bands b;

	EQ_I(load(&b, text, 0.5, &err), 0);
	EQ_U(b.count, 3);
	EQ_U(b.band_count, 2);
	EQ_S(b.band[0].name, "a (a.c:1)");
	EQ_S(b.band[1].name, "b (b.c:2)");
	/* The same line at two addresses is one place. */
	EQ_D(b.band[0].area, 100 * 200 / 2 + 100 * (200 + 400) / 2, 1e-6);
	EQ_D(b.band[1].area, 100 * 90 / 2 + 100 * 90 / 2, 1e-6);
	EQ_D(b.other.area, 1000, 1e-6);
	EQ_D(b.admin.area, 500 + 1500, 1e-6);
	EQ_D(b.area, 40000 + 9000 + 1000 + 2000, 1e-6);
	EQ_D(b.peak, 420, 1e-6);
	EQ_D(b.heap_peak, 400, 1e-6);
	EQ_D(b.peak_time, 200, 1e-6);
	bands_free(&b);
	EQ_I(load(&b, text, 20, &err), 0);
	EQ_U(b.band_count, 1);
	EQ_D(b.other.area, 10000, 1e-6);
	bands_free(&b);
}

/* Twenty places have a band each, of more the smallest share one. */
static void test_many(void)
{
	static char text[1 << 16];
	struct mu_error err;
	struct bands b;

	for (int places = 19; places <= 30; places++) {
		int at = sprintf(text, HEAD), sum = 0;

		for (int shot = 0; shot < 2; shot++) {
			sum = 0;
			for (int i = 1; i <= places; i++)
				sum += 1000 + i;
			at += sprintf(text + at, "#-----------\nsnapshot=%d\n#-----------\ntime=%d\nmem_heap_B=%d\n"
				      "mem_heap_extra_B=0\nmem_stacks_B=0\nheap_tree=detailed\nn%d: %d " ROOT "\n",
				      shot, shot * 10, sum, places, sum);
			for (int i = places; i >= 1; i--)
				at += sprintf(text + at, " n0: %d 0x%x: f%d (f.c:%d)\n", 1000 + i, i, i, i);
		}
		EQ_I(load(&b, text, 0, &err), 0);
		EQ_U(b.band_count, places <= 20 ? (unsigned int)places : 19);
		EQ_U(b.places, (unsigned int)places);
		EQ_D(b.area, 10.0 * sum, 1e-6);
		EQ_D(b.band[0].area, 10.0 * (1000 + places), 1e-6);
		bands_free(&b);
	}
}

static void test_too_little(void)
{
	struct mu_error err;
	struct bands b;

	EQ_I(load(&b, HEAD SHOT(0, 0, 0, 0, "empty"), 0, &err), -1);
	HAS_S(err.text, "fewer than two");
	bands_free(&b);
	EQ_I(load(&b, HEAD SHOT(0, 0, 0, 0, "empty") SHOT(1, 5, 7, 0, "empty"), 0, &err), -1);
	bands_free(&b);
}

int main(void)
{
	scratch();
	test_areas();
	test_many();
	test_too_little();
	return done_testing();
}
