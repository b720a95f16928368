/* massif_read.c -- whatever a massif.out holds, it is read, read in part, or refused with the
 * number of the line.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/massif.h"

#include <sys/mman.h>
#include <unistd.h>

#include "tests/lib/tap.h"

#define HEAD "desc: --a=b\ncmd: ./prog x\ntime_unit: B\n"
#define FIELDS(kind) \
	"time=20\nmem_heap_B=100\nmem_heap_extra_B=8\nmem_stacks_B=2\nheap_tree=" kind "\n"
#define TREE "n2: 100 root\n n1: 60 a\n  n0: 60 c\n n0: 40 b\n"
#define SNAPSHOT(n, kind) "#-----------\nsnapshot=" n "\n#-----------\n" FIELDS(kind)

static const char whole[] = HEAD SNAPSHOT("0", "empty") SNAPSHOT("1", "peak") TREE
			    SNAPSHOT("2", "detailed") TREE;

static struct massif_file m;
static struct mu_error err;

static int read_bytes(const char *text, size_t size)
{
	int fd = memfd_create("massif", 0), result;
	struct textfile in;

	if (write(fd, text, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET) != 0)
		abort();
	massif_free(&m);
	memset(&err, 0, sizeof(err));
	if (textfile_open(&in, fd, &err) < 0)
		abort();
	result = massif_read(&m, &in, &err);
	textfile_close(&in);
	close(fd);
	return result;
}

static int read_text(const char *text)
{
	return read_bytes(text, strlen(text));
}

static void test_whole(void)
{
	const struct massif_node *root;

	EQ_I(read_text(whole), 0);
	EQ_S(m.desc, " --a=b\n");
	EQ_S(m.cmd, "./prog x");
	EQ_U(m.unit, MASSIF_BYTES);
	EQ_U(m.count, 3);
	EQ_U(m.node_count, 8);
	EQ_U(m.snapshots[1].number, 1);
	EQ_U(m.snapshots[1].time, 20);
	EQ_U(massif_total(&m.snapshots[1]), 110);
	EQ_U(m.snapshots[1].kind, MASSIF_PEAK);
	IS_NULL(massif_tree(&m, &m.snapshots[0]));
	root = massif_tree(&m, &m.snapshots[1]);
	EQ_U(root->bytes, 100);
	EQ_U(root->children, 2);
	EQ_U(root->size, 4);
	EQ_S(massif_text(&m, root), " root");
	EQ_S(massif_text(&m, &root[2]), " c");
	EQ_U(root[2].depth, 2);
	EQ_U(root[1].size, 2);
	EQ_U(root[3].depth, 1);
	/* One copy of each text. */
	EQ_U(m.texts.count, 4);
	EQ_P(massif_text(&m, massif_tree(&m, &m.snapshots[2])), massif_text(&m, root));
}

/* Cut anywhere, a file yields its whole snapshots; a cut after a line may go unnoticed. */
static void test_truncations(void)
{
	for (size_t size = 0; size < sizeof(whole) - 1; size++) {
		int result = read_bytes(whole, size);
		size_t count = m.count;
		bool is_clear = result == 0 || err.code == MU_ERROR_TRUNCATED ||
				(count == 0 && err.code == MU_ERROR_FORMAT);

		if (!OK(is_clear, "%zu bytes: %zu snapshots", size, count))
			diag("%d: %s", err.code, err.text);
		if (result < 0 && strncmp(err.text, "line ", 5) != 0)
			FAIL("%zu bytes: no line in '%s'", size, err.text);
	}
}

static const struct {
	const char *text, *error;
} wrong[] = {
	{ "", "line 0: the file ends before the first snapshot" },
	{ "foo\n", "line 1: expected 'desc:', 'cmd:', 'time_unit:' or 'snapshot=', got 'foo'" },
	{ HEAD, "line 3: the file ends before the first snapshot" },
	{ HEAD "bar\n",
	  "line 4: expected 'desc:', 'cmd:', 'time_unit:' or 'snapshot=', got 'bar'" },
	{ "desc: x\ntime_unit: q\n",
	  "line 2: expected 'i', 'ms', 'B' or 's' after 'time_unit:', got 'time_unit: q'" },
	{ "cmd: x\nsnapshot=0\n",
	  "line 2: expected 'time_unit:' before the first snapshot, got 'snapshot=0'" },
	{ "time_unit: i\ntime_unit: B\n", "line 2: the unit of time changes" },
	{ HEAD "snapshot=x\n", "line 4: expected a number after 'snapshot=', got 'snapshot=x'" },
	{ HEAD "snapshot=0\n\n# c\ntame=1\n", "line 7: expected 'time=', got 'tame=1'" },
	{ HEAD "snapshot=0\ntime=-1\n", "line 5: expected a number of 64 bits, got 'time=-1'" },
	{ HEAD "snapshot=0\ntime=1.5\n", "line 5: expected a number of 64 bits, got 'time=1.5'" },
	{ HEAD "snapshot=0\ntime=18446744073709551616\n",
	  "line 5: expected a number of 64 bits, got 'time=18446744073709551616'" },
	{ HEAD "snapshot=0\ntime=1\nmem_heap_B=18446744073709551615\nmem_heap_extra_B=1\n"
	  "mem_stacks_B=0\n", "line 8: heap, extra and stacks exceed 64 bits together" },
	{ HEAD "snapshot=0\n" FIELDS("foo"),
	  "line 9: expected 'empty', 'detailed' or 'peak' after 'heap_tree=', "
	  "got 'heap_tree=foo'" },
	{ HEAD "snapshot=0\n" FIELDS("peak"),
	  "line 9: expected a line of a tree, got the end of the file" },
	{ HEAD "snapshot=0\n" FIELDS("peak") "n1: 5 a\n",
	  "line 10: expected a line of a tree, got the end of the file" },
	{ HEAD "snapshot=0\n" FIELDS("peak") "x\n",
	  "line 10: expected a line of a tree, 'nCHILDREN: BYTES NAME', got 'x'" },
	{ HEAD "snapshot=0\n" FIELDS("peak") "n0: 111 x\n",
	  "line 10: 111 bytes in a snapshot of 110" },
	{ HEAD "snapshot=0\n" FIELDS("peak") "n99999999999: 1 x\n",
	  "line 10: more than 16777216 lines of trees" },
	{ HEAD "snapshot=0\n" FIELDS("peak") "n0: 1 x\n n0: 1 y\n",
	  "line 11: expected 'snapshot=', got ' n0: 1 y'" },
	{ "snapshot=0\ntime=x\n", "line 2: expected a number of seconds, got 'time=x'" },
	{ "snapshot=0\ntime=-1\n", "line 2: expected a number of seconds, got 'time=-1'" },
	{ "snapshot=0\ntime=nan\n", "line 2: expected a number of seconds, got 'time=nan'" },
};

static void test_errors(void)
{
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		EQ_I(read_text(wrong[i].text), -1);
		EQ_S(err.text, wrong[i].error);
	}
	EQ_I(read_bytes("desc: a\0b\n", 10), -1);
	EQ_S(err.text, "line 1: a zero byte: this is no text");
	EQ_U(err.offset, 0);
}

/* What a line that is much too long says is not repeated in full. */
static void test_long_lines(void)
{
	size_t size = TEXTFILE_LINE_MAX + 100;
	char *text = malloc(size);

	memset(text, 'x', size);
	EQ_I(read_bytes(text, 1000), -1);
	OK(strlen(err.text) < sizeof(err.text) - 1, "the text is short");
	EQ_I(read_bytes(text, size), -1);
	EQ_S(err.text, "line 1: longer than 1048576 bytes");
	free(text);
}

static void test_tolerance(void)
{
	EQ_I(read_text("\n# c\ndesc: a\ndesc:b #c\r\ncmd:  c \ntime_unit:ms # x\nsnapshot=3 \n"
		       "time=  5 # y\nmem_heap_B=0\nmem_heap_extra_B=0\nmem_stacks_B=0\n"
		       "heap_tree= empty"), -1);
	EQ_I(read_text("\n# c\ndesc: a\ndesc:b #c\r\ncmd:  c \ntime_unit:ms # x\nsnapshot=3 \n"
		       "time=  5 # y\nmem_heap_B=0\nmem_heap_extra_B=0\nmem_stacks_B=0\n"
		       "heap_tree=empty"), 0);
	EQ_S(m.desc, " a\nb #c\n");
	EQ_S(m.cmd, "c ");
	EQ_U(m.snapshots[0].number, 3);
	EQ_U(m.snapshots[0].time, 5);
	/* Indentation says nothing. */
	EQ_I(read_text(HEAD "snapshot=0\n" FIELDS("peak") "n2:100\n   n0:\t1  a \nn0: 2\n"), 0);
	EQ_U(m.node_count, 3);
	EQ_S(massif_text(&m, &m.nodes[0]), "");
	EQ_S(massif_text(&m, &m.nodes[1]), "  a ");
}

/* heaptrack's export: the header at the end, in part or not at all; seconds. */
static void test_heaptrack(void)
{
#define HT "snapshot=0\ntime=0.344\nmem_heap_B=5\nmem_heap_extra_B=0\nmem_stacks_B=0\n" \
	"heap_tree=empty\n"
	EQ_I(read_text(HT), 0);
	EQ_U(m.unit, MASSIF_MS);
	EQ_U(m.snapshots[0].time, 344);
	EQ_I(read_text("desc: heaptrack\ncmd: \ntime_unit: s\n" HT
		       "desc: heaptrack\ncmd: ./p\ntime_unit: s\n"), 0);
	EQ_S(m.desc, " heaptrack\n");
	EQ_S(m.cmd, "./p");
	EQ_I(read_text(HT "desc: heaptrack\ncmd: ./p\ntime_unit: s\n"), 0);
	EQ_S(m.cmd, "./p");
	EQ_I(read_text("snapshot=0\ntime=1.23457e+06\nmem_heap_B=5\nmem_heap_extra_B=0\n"
		       "mem_stacks_B=0\nheap_tree=empty\n"), 0);
	EQ_U(m.snapshots[0].time, 1234570000);
}

static void test_depth(void)
{
	for (unsigned levels = MASSIF_DEPTH_MAX; levels <= MASSIF_DEPTH_MAX + 1; levels++) {
		char *text;
		size_t size;
		FILE *out = open_memstream(&text, &size);

		fputs(HEAD "snapshot=0\n" FIELDS("peak"), out);
		for (unsigned i = 0; i < levels; i++)
			fprintf(out, "n%d: 1 x\n", i + 1 < levels);
		fclose(out);
		EQ_I(read_bytes(text, size), levels == MASSIF_DEPTH_MAX ? 0 : -1);
		free(text);
	}
	EQ_S(err.text, "line 4106: a tree of more than 4096 levels");
}

static void test_peak(void)
{
	EQ_I(read_text(HEAD SNAPSHOT("0", "empty")), 0);
	IS_NULL(massif_peak(&m));
	EQ_I(read_text(HEAD SNAPSHOT("0", "detailed") TREE SNAPSHOT("1", "detailed") TREE), 0);
	EQ_P(massif_peak(&m), &m.snapshots[0]);
	EQ_I(read_text(HEAD SNAPSHOT("0", "peak") TREE SNAPSHOT("1", "peak") TREE
		       SNAPSHOT("2", "detailed") TREE), 0);
	EQ_P(massif_peak(&m), &m.snapshots[1]);
}

int main(void)
{
	test_whole();
	test_truncations();
	test_errors();
	test_long_lines();
	test_tolerance();
	test_heaptrack();
	test_depth();
	test_peak();
	massif_free(&m);
	return done_testing();
}
