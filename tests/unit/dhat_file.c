/* dhat_file.c -- profiles of DHAT: what is written is laid out as DHAT does and read back the
 * same, points with the same frames become one, and damage is told with its place.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/dhat.h"

#include <sys/mman.h>
#include <unistd.h>

#include "tests/lib/tap.h"

#define HEAD(lifetimes, accesses) \
	"{\"dhatFileVersion\":2\n,\"mode\":\"heap\",\"verb\":\"Allocated\"\n" \
	",\"bklt\":" lifetimes ",\"bkacc\":" accesses "\n,\"tu\":\"instrs\",\"Mtu\":\"Minstr\"\n"
#define REST ",\"cmd\":\"./p \\\"x\\\" \\u00e9\"\n,\"pid\":12\n,\"te\":1000\n"
#define HEAP HEAD("true", "true") ",\"tuth\":500\n" REST ",\"tg\":700\n"
#define FRAMES(more) ",\"ftbl\":\n [\"[root]\"\n ,\"0x1: f (a.c:1)\"\n" more " ]\n}\n"
#define MIDDLE \
	"  ,\"tl\":50\n  ,\"mb\":80,\"mbk\":2\n  ,\"gb\":40,\"gbk\":1\n  ,\"eb\":8,\"ebk\":1\n" \
	"  ,\"rb\":5,\"wb\":6\n"
#define POINT(counts, fs) \
	"{\"tb\":100,\"tbk\":3\n" MIDDLE counts "  ,\"fs\":[" fs "]\n  }\n"

static struct dhat d;
static struct mu_error err;

static int read_bytes(const char *text, size_t size)
{
	int fd = memfd_create("dhat", 0), result;
	struct textfile in;

	if (write(fd, text, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET) != 0)
		abort();
	dhat_free(&d);
	memset(&err, 0, sizeof(err));
	if (textfile_open(&in, fd, &err) < 0)
		abort();
	result = dhat_read(&d, &in, &err);
	textfile_close(&in);
	close(fd);
	return result;
}

static int read_text(const char *text)
{
	return read_bytes(text, strlen(text));
}

static char *written(const struct dhat *from)
{
	static char *text;
	static size_t size;
	FILE *out;

	free(text);
	text = NULL;
	out = open_memstream(&text, &size);
	dhat_write(out, from);
	fclose(out);
	return text;
}

static const char whole[] =
	HEAP ",\"pps\":\n [" POINT("  ,\"acc\":[7,-3,0,-2,65535]\n", "1,2") " ," POINT("", "1")
	" ]\n" FRAMES(" ,\"0x2: main (a.c:9)\"\n");

static void test_whole(void)
{
	const struct dhat_point *p;

	if (!EQ_I(read_text(whole), 0))
		diag("%s", err.text);
	EQ_S(d.mode, "heap");
	EQ_S(d.command, "./p \"x\" \303\251");
	EQ_U(d.pid, 12);
	EQ_U(d.end_time, 1000);
	EQ_U(d.peak_time, 700);
	EQ_U(d.short_lived, 500);
	IS_NULL(d.bytes);
	EQ_U(d.count, 2);
	p = &d.point[0];
	EQ_U(p->total_bytes, 100);
	EQ_U(p->max_blocks, 2);
	EQ_U(p->written_bytes, 6);
	EQ_U(p->frames, 2);
	EQ_S(dhat_text(&d, d.stacked[p->first_frame + 1]), "0x2: main (a.c:9)");
	EQ_U(p->counts, 6);
	EQ_U(d.access[p->first_count], 7);
	EQ_U(d.access[p->first_count + 3], 0);
	EQ_U(d.access[p->first_count + 5], DHAT_COUNT_MAX);
	EQ_U(d.point[1].counts, 0);
	EQ_U(dhat_sum(&d).total_blocks, 6);
	/* Only the escape of a character that needs none is not kept. */
	HAS_S(written(&d), "\"cmd\":\"./p \\\"x\\\" \303\251\"");
	EQ_S(strstr(written(&d), ",\"pid\""), strstr(whole, ",\"pid\""));
}

static void test_modes(void)
{
	const uint32_t none = 0;
	const struct dhat_stack empty = { &none, 0, NULL, 0 };

	dhat_free(&d);
	dhat_init(&d, DHAT_AD_HOC);
	EQ_I(dhat_add(&d, &(struct dhat_point){ .total_bytes = 170, .total_blocks = 7 }, &empty,
		      &err), 0);
	EQ_S(written(&d),
	     "{\"dhatFileVersion\":2\n,\"mode\":\"ad-hoc\",\"verb\":\"Occurred\"\n"
	     ",\"bklt\":false,\"bkacc\":false\n"
	     ",\"bu\":\"unit\",\"bsu\":\"units\",\"bksu\":\"events\"\n"
	     ",\"tu\":\"instrs\",\"Mtu\":\"Minstr\"\n,\"cmd\":\"\"\n,\"pid\":0\n,\"te\":0\n"
	     ",\"pps\":\n [{\"tb\":170,\"tbk\":7\n  ,\"fs\":[]\n  }\n ]\n"
	     ",\"ftbl\":\n [\"[root]\"\n ]\n}\n");
	dhat_free(&d);
	dhat_init(&d, DHAT_COPY);
	HAS_S(written(&d), "\"verb\":\"Copied\"\n,\"bklt\":false,\"bkacc\":false\n,\"tu\"");
	HAS_S(written(&d), ",\"pps\":\n [ ]\n");
	EQ_I(read_text(written(&d)), 0);
	EQ_U(d.count, 0);
}

/* The same frames by the same numbers, and by others that have the same text. */
static void test_merged(void)
{
	EQ_I(read_text(HEAP ",\"pps\":[" POINT(",\"acc\":[1,65000]\n", "1") ","
		       POINT(",\"acc\":[2,1000]\n", "1") "," POINT(",\"acc\":[-2,1]\n", "2") "]\n"
		       FRAMES(",\"0x1: f (a.c:1)\"\n")), 0);
	EQ_U(d.count, 1);
	EQ_U(d.point[0].total_bytes, 300);
	EQ_U(d.point[0].counts, 2);
	EQ_U(d.access[d.point[0].first_count], 4);
	EQ_U(d.access[d.point[0].first_count + 1], DHAT_COUNT_MAX);
	EQ_I(read_text(HEAP ",\"pps\":[" POINT(",\"acc\":[1,2]\n", "1") ","
		       POINT(",\"acc\":[2]\n", "1") "]\n" FRAMES("")), 0);
	EQ_U(d.point[0].counts, 0);
}

static void test_lenient(void)
{
	/* Another order, keys that nobody knows, numbers as jq writes them. */
	EQ_I(read_text("{\"ftbl\":[\"[root]\",\"x\"],\"new\":{\"a\":[1,{}]},\"pps\":[{\"fs\":[1],"
		       "\"tbk\":2,\"tb\":1e3,\"more\":null}],\"te\":1,\"pid\":1,\"cmd\":\"\\ud83d"
		       "\\ude00\\ud83d!\\u0000\",\"Mtu\":\"\",\"tu\":\"\",\"bkacc\":false,"
		       "\"bklt\":false,\"verb\":\"v\",\"mode\":\"rust-heap\","
		       "\"dhatFileVersion\":2}"), 0);
	EQ_U(d.point[0].total_bytes, 1000);
	EQ_S(d.command, "\360\237\230\200\357\277\275!\357\277\275");
}

static void refuse(const char *text, enum mu_error_code code, const char *why)
{
	EQ_I(read_text(text), -1);
	EQ_U(err.code, code);
	HAS_S(err.text, why);
}

static void test_refused(void)
{
	refuse("[]", MU_ERROR_FORMAT, "not a profile of DHAT");
	refuse("{\"dhatFileVersion\":1}", MU_ERROR_VERSION, "version 1 of DHAT's format");
	refuse("{\"dhatFileVersion\":2}", MU_ERROR_FORMAT, "\"mode\" is missing");
	refuse(HEAP ",\"pps\":[]" FRAMES("") "x", MU_ERROR_FORMAT, "more than one value");
	refuse(HEAP ",\"pps\":[{\"tb\":1,\"tbk\":1,\"fs\":[1]}]" FRAMES(""), MU_ERROR_FORMAT,
	       "\"tl\" is missing");
	refuse(HEAP ",\"pps\":[" POINT("", "2") "]" FRAMES(""), MU_ERROR_FORMAT,
	       "frame 2, but there are only 2");
	refuse(HEAP ",\"pps\":[" POINT("", "-1") "]" FRAMES(""), MU_ERROR_FORMAT, "not a number");
	refuse(HEAP ",\"pps\":[" POINT(",\"acc\":[-3]", "1") "]" FRAMES(""), MU_ERROR_FORMAT,
	       "without a count");
	refuse(HEAP ",\"pps\":[" POINT(",\"acc\":[-99999,1]", "1") "]" FRAMES(""),
	       MU_ERROR_FORMAT, "too large a block");
	refuse(HEAP ",\"pps\":[" POINT(",\"acc\":[70000]", "1") "]" FRAMES(""), MU_ERROR_FORMAT,
	       "too large an access count");
	refuse(HEAP ",\"pid\":1", MU_ERROR_FORMAT, "the same key once more");
	refuse("{\"a\":01}", MU_ERROR_FORMAT, "bad number");
	refuse("{\"a\":\"\\x\"}", MU_ERROR_FORMAT, "bad escape");
	refuse("{\"a\":\"\n\"}", MU_ERROR_FORMAT, "control character");
	refuse("{\"a\":tru}", MU_ERROR_FORMAT, "unknown word at byte 8");
	refuse("{\"a\" 1}", MU_ERROR_FORMAT, "no colon");
	refuse("{\"a\":1,}", MU_ERROR_FORMAT, "no name of a member");
}

static void test_truncated(void)
{
	size_t size = sizeof(whole) - 1, bad = 0;

	/* Blanks at the end may be missing. */
	for (size_t i = 0; i + 1 < size; i++) {
		if (read_bytes(whole, i) != -1 || err.code != MU_ERROR_TRUNCATED)
			bad++;
	}
	EQ_U(bad, 0);
	EQ_I(read_bytes(whole, size - 1), 0);
}

static void test_deep(void)
{
	static char text[4096];
	size_t at = (size_t)sprintf(text, "{\"x\":");

	memset(text + at, '[', 2000);
	refuse(text, MU_ERROR_FORMAT, "too deep");
}

int main(void)
{
	test_whole();
	test_modes();
	test_merged();
	test_lenient();
	test_refused();
	test_truncated();
	test_deep();
	dhat_free(&d);
	return done_testing();
}
