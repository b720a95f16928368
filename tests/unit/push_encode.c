/* push_encode.c -- a push has what was allocated since the one before and what is in use, in samples of
 * which the smallest are added up; servers of Pyroscope and OpenTelemetry read it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "formats/base/gzip.h"
#include "formats/push/push_encode.h"

#include "recording/labels.h"
#include "tests/lib/fake_profile.h"
#include "tests/lib/scratch.h"
#include "tests/lib/shell.h"
#include "tests/lib/tap.h"

#define SLOT UINT64_C(4194304)

static struct fake f;
static struct image im;
static struct profile p;
static struct filter filter;
static struct export e = { .filter = &filter, .image = &im, .command = "./prog", .version = "9",
			   .pid = 12 };
static struct push_process process = { .export = &e };
static struct push_set set;

static void site(const char *stack, int64_t live, int64_t blocks, uint64_t total, uint64_t calls)
{
	struct mu_cell *cell = fake_site(&f, stack, live, blocks);

	cell->total_bytes = total;
	cell->total_blocks = calls;
}

static void begin(void)
{
	struct mu_module *module;

	fake_segment(&f, MU_KIND_FILE, 1, SLOT);
	fake_image(&f, 0);
	fake_stacks(&f);
	module = fake_append(&f, MU_SEC_MODULES);
	*module = (struct mu_module){ .start = 0x7f0000000000, .end = 0x7f0000001000,
				      .build_id = { 0xab, 0xcd }, .build_id_length = 2,
				      .path = fake_string(&f, 0, "/lib/a.so", 9) };
}

/* The site that was added last has these labels. */
static void label_site(uint32_t set_number)
{
	struct mu_site *s = fake_entry(&f, MU_SEC_SITES, fake_count(&f, MU_SEC_SITES) - 1);

	s->label = set_number;
}

static void add_labels(void)
{
	struct mu_labels *l;

	fake_at(&f, 0)->labels = fake_alloc(&f, 0, sizeof(*l));
	l = fake_pointer(&f, 0, fake_at(&f, 0)->labels);
	*l = (struct mu_labels){ .count = 2, .used = 17 };
	memcpy(l->text, "a-bloginuser\377root", 17);
	l->label[0] = (struct mu_label){ .text = 0, .key_length = 3, .value_length = 5 };
	l->label[1] = (struct mu_label){ .parent = 1, .text = 8, .key_length = 4,
					 .value_length = 5 };
}

static void load(void)
{
	fake_profile(&f, &im, &p);
	filter_init(&filter, &p, NULL);
}

static void end(void)
{
	push_set_free(&set);
	filter_free(&filter);
	profile_free(&p);
	free(f.base);
	process = (struct push_process){ .export = &e };
}

static void build(void)
{
	push_set_free(&set);
	push_set_build(&set, &process, 1);
	set.time_ns = UINT64_C(1700000015000000000);
	set.duration_ns = UINT64_C(15000000000);
}

/* ---- sets ---------------------------------------------------------------------------------- */

static void values(void)
{
	struct site earlier[] = { { .stack = 0 }, { .total_blocks = 3, .total_bytes = 300 },
				  { .total_blocks = 9, .total_bytes = 90 },
				  { .total_blocks = 50, .total_bytes = 500 } };
	const struct sites before = { .site = earlier, .count = 4 };

	begin();
	site("main>f", 100, 1, 1000, 10);
	site("main>freed_only", 0, 0, 90, 9);	/* nothing new: not sent */
	site("main>shrank", 10, 1, 400, 40);	/* damaged: less than before */
	site("main>new", 5, 1, 5, 1);
	load();
	build();
	EQ_U(set.count, 4);
	process.earlier = &before;
	build();
	EQ_U(set.count, 3);
	EQ_U(set.sample[0].site, 1);
	EQ_I(set.sample[0].value[PUSH_ALLOC_OBJECTS], 7);
	EQ_I(set.sample[0].value[PUSH_ALLOC_SPACE], 700);
	EQ_I(set.sample[0].value[PUSH_INUSE_OBJECTS], 1);
	EQ_I(set.sample[0].value[PUSH_INUSE_SPACE], 100);
	for (size_t i = 1; i < set.count; i++) {
		const int64_t *v = set.sample[i].value;
		bool is_new = set.sample[i].site == 4;

		EQ_I(v[PUSH_ALLOC_SPACE], is_new ? 5 : 0);
		EQ_I(v[PUSH_INUSE_SPACE], is_new ? 5 : 10);
	}
	process.has_ended = true;
	build();
	EQ_U(set.count, 2);
	EQ_I(set.sample[0].value[PUSH_INUSE_SPACE], 0);
	EQ_I(set.sample[0].value[PUSH_ALLOC_SPACE], 700);
	end();
}

static int64_t sum_of(int type)
{
	int64_t sum = set.other[type];

	for (size_t i = 0; i < set.kept; i++)
		sum += set.sample[i].value[type];
	return sum;
}

static void limits(void)
{
	char stack[32];

	begin();
	for (int i = 0; i < 1000; i++) {
		sprintf(stack, "main>f%d", i % 300);
		site(stack, i, i > 0, (uint64_t)i * 3, (uint64_t)i + 1);
	}
	load();
	build();
	EQ_U(set.count, 1000);
	OK(!push_set_has_other(&set), "all are kept");
	for (size_t most = 1; most <= 1001; most += most < 990 ? 97 : 1) {
		push_set_keep(&set, most);
		EQ_U(set.kept + push_set_has_other(&set), most < 1000 ? most : 1000);
		EQ_I(sum_of(PUSH_ALLOC_OBJECTS), 500500);
		EQ_I(sum_of(PUSH_ALLOC_SPACE), 3 * 499500);
		EQ_I(sum_of(PUSH_INUSE_OBJECTS), 999);
		EQ_I(sum_of(PUSH_INUSE_SPACE), 499500);
	}
	push_set_keep(&set, 10);
	for (size_t i = 0; i < set.kept; i++)
		OK(set.sample[i].value[PUSH_INUSE_SPACE] >= 990, "the largest are kept");
	end();
}

static void damaged(void)
{
	begin();
	site("main>f", INT64_MAX, INT64_MAX, UINT64_MAX, UINT64_MAX);
	site("main>g", INT64_MAX, -5, INT64_MAX, INT64_MAX);
	site("main>h", -1, -1, 1, 1);
	load();
	build();
	push_set_keep(&set, 1);
	EQ_I(set.other[PUSH_INUSE_SPACE], INT64_MAX);
	OK(set.other[PUSH_ALLOC_SPACE] >= 0, "sums do not wrap");
	end();
}

static void names(void)
{
	char name[] = "1a.b\303\244-c", none[] = "";

	push_label_name(name);
	EQ_S(name, "_a_b___c");
	push_label_name(none);
	EQ_S(none, "");
}

/* ---- messages ------------------------------------------------------------------------------ */

static const struct push_text own_labels[] = { { "env", "test" }, { "zone", "a\"b" } };
static const struct push_identity identity = { .service = "prog", .label = own_labels,
					       .labels = 2, .version = "9",
					       .id = { 1, 2, 3, 4, 5, 6, 0x40, 8, 0x80 } };

static void write_file(const char *file, const void *data, size_t size)
{
	FILE *out = fopen(file, "w");

	fwrite(data, 1, size, out);
	fclose(out);
}

static void write_pyroscope(const char *file)
{
	struct protobuf profile = { .size = 0 }, request = { .size = 0 };
	struct push_dictionary d;
	char *packed;
	size_t size;
	FILE *out = open_memstream(&packed, &size);
	struct gzip *gzip = gzip_open(out);

	push_dictionary_build(&d, &set);
	push_pprof_encode(&profile, &set, &d);
	gzip_write(gzip, profile.data, profile.size);
	gzip_close(gzip);
	fclose(out);
	push_pyroscope_encode(&request, &identity, packed, size);
	write_file(file, request.data, request.size);
	push_dictionary_free(&d);
	protobuf_free(&profile);
	protobuf_free(&request);
	free(packed);
}

static void write_otlp(const char *file)
{
	struct protobuf request = { .size = 0 };
	struct push_dictionary d;

	push_dictionary_build(&d, &set);
	push_otlp_encode(&request, &set, &d, &identity);
	write_file(file, request.data, request.size);
	push_dictionary_free(&d);
	protobuf_free(&request);
}

static const char *read_by_server(const char *kind, const char *file)
{
	static char *text;
	FILE *in;
	size_t size = 0;

	OK(shell("\"$MU_SRC/tests/lib/push/python\" \"$MU_SRC/tests/lib/push/read_push.py\" "
		 "%s %s >read 2>&1", kind, file), "a strict server reads it");
	free(text);
	text = NULL;
	in = fopen("read", "r");
	if (!in || getdelim(&text, &size, '\0', in) < 0)
		text = calloc(1, 1);
	if (in)
		fclose(in);
	return text;
}

/* Both formats say the same of the same set. */
static void compare_formats(const char *samples)
{
	static const char types[] = "types alloc_objects/count alloc_space/bytes "
				    "inuse_objects/count inuse_space/bytes\n"
				    "time 1700000015000000000 duration 15000000000 period 1\n";
	char want[4096];

	write_pyroscope("pyroscope");
	snprintf(want, sizeof(want), "labels __delta__=false __name__=memory env=test "
		 "service_name=prog zone=a\"b\n%s%s", types, samples);
	EQ_S(read_by_server("pyroscope", "pyroscope"), want);
	write_otlp("otlp");
	snprintf(want, sizeof(want), "labels env=test service.name=prog zone=a\"b\n%s%s", types,
		 samples);
	EQ_S(read_by_server("otlp", "otlp"), want);
}

static void messages(void)
{
	if (!shell("\"$MU_SRC/tests/lib/push/python\" -c 1 && protoc --version >/dev/null")) {
		skip("no protoc, or no protobuf for python3 here");
		return;
	}
	begin();
	add_labels();
	site("main>load>read;line", 600, 6, 6000, 60);
	site("main>load>read;line", 50, 5, 500, 5);
	label_site(2);
	site("main>x\377y", 0, 0, 40, 4);
	label_site(1);
	site("", 7, 1, 70, 7);
	site("main>f>g>f", 1, 1, 1, 1);
	load();
	build();
	compare_formats("sample [other places]:0 7 70 1 7\n"
			"sample f:0;g:0;f:0;main:0 1 1 1 1\n"
			"sample read;line:0;load:0;main:0 5 500 5 50 a_b=login user=?root\n"
			"sample read;line:0;load:0;main:0 60 6000 6 600\n"
			"sample x?y:0;main:0 4 40 0 0 a_b=login\n");
	push_set_keep(&set, 2);
	compare_formats("sample [other places]:0 17 611 7 58\n"
			"sample read;line:0;load:0;main:0 60 6000 6 600\n");
	end();
}

int main(void)
{
	values();
	limits();
	damaged();
	names();
	messages();
	return done_testing();
}
