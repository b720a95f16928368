/* stack_import.c -- the stacks of a massif.out become a profile: what was merged, what has no name,
 * and which functions are shown.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/stack_import.h"

#include <stdlib.h>
#include <string.h>

#include "profile/model/shortname.h"
#include "profile/model/top.h"
#include "tests/lib/tap.h"

#define HEAD \
	"desc: (none)\ncmd: ./prog\ntime_unit: B\n" \
	"#-----------\nsnapshot=0\n#-----------\ntime=9\nmem_heap_B=1000\nmem_heap_extra_B=0\n" \
	"mem_stacks_B=0\nheap_tree=peak\n"

static const char cxx[] =
	HEAD
	"n4: 1000 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.\n"
	" n2: 700 0x1: allocate (new_allocator.h:137)\n"
	"  n1: 500 0x2: push_back (stl_vector.h:9)\n"
	"   n1: 500 0x3: work(int) (a.cc:7)\n"
	"    n1: 500 0x4: start_thread (pthread_create.c:442)\n"
	"     n0: 500 0x5: clone (clone.S:81)\n"
	"  n1: 200 0x6: work(int) (a.cc:8)\n"
	"   n0: 150 0x7: main (a.cc:20)\n"
	" n1: 150 0x48FD1: ??? (in /opt/lib/libx.so)\n"
	"  n0: 150 0x7: main (a.cc:20)\n"
	" n1: 100 0x8: call_init (dl-init.c:74)\n"
	"  n0: 100 0x9: (below main) (in /lib/ld-linux-x86-64.so.2)\n"
	" n0: 50 in 3 places, all below massif's threshold (1.00%)\n";

static void load(struct massif_file *m, const char *text)
{
	struct textfile in;
	struct mu_error err;
	FILE *file = tmpfile();

	fputs(text, file);
	rewind(file);
	EQ_I(textfile_open(&in, fileno(file), &err), 0);
	EQ_I(massif_read(m, &in, &err), 0);
	textfile_close(&in);
	fclose(file);
}

/* "FUNCTION BYTES, ..." of the places, largest first. */
static const char *show(const struct filter *f, const struct weight *weight, int64_t total)
{
	static char list[1024];
	struct top t;
	size_t used = 0;

	top_build(&t, f, weight, TOP_BY_FUNCTION, TOP_BY_BYTES);
	EQ_I(t.bytes, total);
	list[0] = '\0';
	for (uint32_t i = 0; i < t.count; i++) {
		const struct symbols_level *level = position_level(f->profile, &t.entry[i].at);
		char name[64];

		shortname(level ? symbols_text(&f->profile->symbols, level->full) : "???", name,
			  sizeof(name));
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s %d", i ? ", " : "",
					 name, (int)t.entry[i].bytes);
	}
	top_free(&t);
	return list;
}

static void places(void)
{
	struct massif_file m;
	struct stack_import s;
	struct weight weight[64];
	struct mu_error err;

	load(&m, cxx);
	EQ_I(stack_import_massif(&s, &m, NULL, &err), 0);
	IS_TRUE(s.profile.sites.count < 64);
	stack_import_weigh_snapshot(&s, &m, massif_peak(&m), weight);
	EQ_S(show(&s.filter, weight, 1000),
	     "allocate 700, ??? 150, call_init 100, [below threshold] 50");
	stack_import_filter(&s, true, NULL);
	EQ_S(show(&s.program.filter, weight, 1000),
	     "work 700, ??? 150, call_init 100, [below threshold] 50");
	stack_import_free(&s);
	stack_import_free(&s);
	massif_free(&m);
}

/* Functions of an interpreter are hidden only if those of its program have names. */
static void interpreters(void)
{
	static const char *const innermost[] = { "unicode_join 10", "py::note:/a.py 10" };
	static const char *const caller[] = { "main (main.c:2)", "py::note:/a.py (in ?" "?" "?)" };

	for (int i = 0; i < 2; i++) {
		struct massif_file m;
		struct stack_import s;
		struct weight weight[8];
		struct mu_error err;
		char *file;

		EQ_I(asprintf(&file, HEAD "n2: 10 (page allocation syscalls) mmap/mremap/brk\n"
			      " n1: 10 0x1: _PyUnicode_New (in /usr/lib/libpython3.12.so.1.0)\n"
			      "  n1: 10 0x2: unicode_join (in /usr/lib/libpython3.12.so.1.0)\n"
			      "   n0: 10 0x3: %s\n n0: 0 in 2 places, all below it\n",
			      caller[i]) > 0, 1);
		load(&m, file);
		EQ_I(stack_import_massif(&s, &m, NULL, &err), 0);
		stack_import_filter(&s, true, NULL);
		stack_import_weigh_snapshot(&s, &m, massif_peak(&m), weight);
		EQ_S(show(&s.program.filter, weight, 10), innermost[i]);
		stack_import_free(&s);
		massif_free(&m);
		free(file);
	}
}

int main(void)
{
	places();
	interpreters();
	return done_testing();
}
