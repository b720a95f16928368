/* massif_write.c -- what is written of a profile is Massif's text to the byte, and is read again
 * as the same.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/massif.h"

#include <sys/mman.h>
#include <unistd.h>

#include "tests/lib/tap.h"

static char *text;
static size_t size;

/* Piece by piece, as a recorder does that has no tree in memory. */
static void test_pieces(void)
{
	FILE *out = open_memstream(&text, &size);

	massif_write_header(out, " --time-unit=ms\n more\n", "./prog a", MASSIF_MS);
	massif_write_snapshot(out, &(struct massif_snapshot){ .number = 0 });
	massif_write_snapshot(out, &(struct massif_snapshot){
		.number = 1, .time = UINT64_MAX, .heap = 1000, .extra = 16, .stacks = 4,
		.kind = MASSIF_PEAK });
	massif_write_node(out, &(struct massif_node){ .bytes = 1000, .children = 1 },
			  MASSIF_ROOT);
	massif_write_node(out, &(struct massif_node){ .bytes = 990, .depth = 1 },
			  " 0x401136: main (prog.c:7)");
	fclose(out);
	EQ_S(text,
	     "desc: --time-unit=ms\ndesc: more\ncmd: ./prog a\ntime_unit: ms\n"
	     "#-----------\nsnapshot=0\n#-----------\ntime=0\nmem_heap_B=0\n"
	     "mem_heap_extra_B=0\nmem_stacks_B=0\nheap_tree=empty\n"
	     "#-----------\nsnapshot=1\n#-----------\ntime=18446744073709551615\n"
	     "mem_heap_B=1000\nmem_heap_extra_B=16\nmem_stacks_B=4\nheap_tree=peak\n"
	     "n1: 1000 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.\n"
	     " n0: 990 0x401136: main (prog.c:7)\n");
}

static void test_round_trip(void)
{
	int fd = memfd_create("massif", 0);
	struct mu_error err = { 0 };
	struct massif_file m;
	struct textfile in;
	char *again;
	FILE *out = open_memstream(&again, &size);

	if (write(fd, text, strlen(text)) < 0 || lseek(fd, 0, SEEK_SET) != 0 ||
	    textfile_open(&in, fd, &err) < 0)
		abort();
	EQ_I(massif_read(&m, &in, &err), 0);
	massif_write(out, &m);
	fclose(out);
	EQ_S(again, text);
	massif_free(&m);
	textfile_close(&in);
	close(fd);
	free(again);
}

/* A name cannot add lines to the file. */
static void test_control_characters(void)
{
	FILE *out;

	free(text);
	out = open_memstream(&text, &size);
	massif_write_header(out, "", "a\nsnapshot=0\x01z", MASSIF_INSTRUCTIONS);
	massif_write_node(out, &(struct massif_node){ .depth = 2 }, " f\rg\nh\ti\xff");
	fclose(out);
	EQ_S(text, "cmd: a snapshot=0 z\ntime_unit: i\n  n0: 0 f g h\ti\xff\n");
}

int main(void)
{
	test_pieces();
	test_round_trip();
	test_control_characters();
	free(text);
	return done_testing();
}
