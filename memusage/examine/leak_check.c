/* leak_check.c -- Examines a process: which of its blocks are lost.
 *
 * The process that examines is one of its own, because what it does must be over when it ends: the
 * kernel then lets go of each thread that it has stopped.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/examine/leak_check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/xmalloc.h"
#include "memusage/common/child.h"
#include "memusage/examine/heap_graph.h"
#include "profile/base/file.h"
#include "profile/graph/leak_heuristics.h"
#include "profile/graph/leak_losses.h"

#define RESULT_MAX (UINT64_C(1) << 30)

/* What the file begins with: a result follows, or the text of an error. */
enum outcome { OUTCOME_FAILED = 1, OUTCOME_FOUND = 2 };

/* ---- interior pointers ------------------------------------------------------------------ */

struct explainer {
	const struct snapshot *s;
	struct leak_memory memory;
	unsigned int heuristics;
};

static unsigned int read_words(void *data, uint64_t address, uint64_t *word, unsigned int count)
{
	const struct snapshot *s = data;

	return (unsigned int)(address_space_read(&s->space, address, word, count * 8) / 8);
}

static bool is_code(void *data, uint64_t address)
{
	const struct snapshot *s = data;
	const struct area *a = address_space_find(&s->space, address);

	return a && a->flags & AREA_CODE && a->flags & AREA_FILE;
}

static bool is_file(void *data, uint64_t address)
{
	const struct snapshot *s = data;
	const struct area *a = address_space_find(&s->space, address);

	return a && a->flags & AREA_FILE;
}

/* The address of the code that asked for the blocks of a site; 0 if unknown. */
static uint64_t caller_of_site(const struct image *im, uint32_t number)
{
	struct mu_site site;
	struct mu_stack stack;
	struct mu_frame frame;

	return image_copy_entry(im, MU_SEC_SITES, number, &site, sizeof(site)) &&
			       image_copy_entry(im, MU_SEC_STACKS, site.stack, &stack,
						sizeof(stack)) &&
			       image_copy_entry(im, MU_SEC_FRAMES, stack.frame, &frame,
						sizeof(frame)) ?
		       frame.pc : 0;
}

/* The dynamic linker keeps no pointers but interior ones to some of its tables. */
static bool is_linkers_block(const struct snapshot *s, const struct heap_block *b)
{
	const uint64_t pc = b->is_announced ? 0 : caller_of_site(&s->image, b->site);
	const struct area *a = pc ? address_space_find(&s->space, pc) : NULL;
	const char *base = a ? strrchr(a->name, '/') : NULL;

	return base && (strncmp(base, "/ld-", 4) == 0 || strncmp(base, "/ld.so", 6) == 0);
}

static uint8_t explain_pointer(void *data, uint32_t block, uint64_t offset)
{
	struct explainer *e = data;
	const struct heap_block *b = &e->s->blocks.block[block];

	if (is_linkers_block(e->s, b))
		return LEAK_EXPLAINED;
	return e->heuristics ?
		       (uint8_t)leak_heuristics_explain(&e->memory, e->heuristics, b, offset) : 0;
}

/* ---- the check -------------------------------------------------------------------------- */

static bool write_result(int fd, const struct snapshot *s, const struct leak_losses *l,
			 const struct leak_check_options *o, bool is_incomplete)
{
	const uint64_t outcome = OUTCOME_FOUND;
	const struct mu_leak_check c = {
		.mono_ns = s->mono_ns,
		.pause_ns = s->pause_ns,
		.count = l->count,
		.flags = (s->tracee.copy > 0 ? 0u : MU_LEAK_CHECK_STOPPED) |
			 (is_incomplete ? MU_LEAK_CHECK_CUT : 0u),
	};

	return file_write_at(fd, &outcome, sizeof(outcome), 0) &&
	       file_write_at(fd, &c, sizeof(c), sizeof(outcome)) &&
	       file_write_at(fd, l->loss, l->count * sizeof(*l->loss),
			     sizeof(outcome) + sizeof(c));
}

static int find_losses(int fd, struct snapshot *s, const struct leak_check_options *o,
		       struct mu_error *err)
{
	struct explainer e = { .s = s, .heuristics = o->heuristics,
			       .memory = { s, read_words, is_code, is_file } };
	struct leak_marks marks;
	struct leak_losses losses;
	struct heap_graph g;
	bool is_written;

	heap_graph_build(&g, s);
	leak_marks_find(&marks, &g.pointers, explain_pointer, &e);
	leak_losses_add_up(&losses, &s->blocks, &marks);
	is_written = write_result(fd, s, &losses, o, g.is_incomplete);
	leak_losses_free(&losses);
	leak_marks_free(&marks);
	heap_graph_free(&g);
	return is_written ? 0 : mu_error_set(err, MU_ERROR_SYSTEM, 0, "%m");
}

static void examine_process(const struct live *l, pid_t pid, const struct leak_check_options *o,
			    int fd)
{
	const uint64_t outcome = OUTCOME_FAILED;
	struct mu_error err = { .text = "" };
	struct snapshot s;
	int result = snapshot_take(&s, l, pid, o->snapshot, &err);

	if (result == 0)
		result = find_losses(fd, &s, o, &err);
	snapshot_close(&s);
	if (result < 0) {
		file_write_at(fd, &outcome, sizeof(outcome), 0);
		file_write_at(fd, err.text, sizeof(err.text), sizeof(outcome));
	}
	_exit(0);
}

pid_t leak_check_start(const struct live *l, pid_t pid, const struct leak_check_options *o, int fd)
{
	pid_t child = fork();

	if (child == 0) {
		child_reset_signals();
		examine_process(l, pid, o, fd);
	}
	return child;
}

/* ---- the result ------------------------------------------------------------------------- */

uint64_t leak_check_bytes(const struct mu_leak_check *c)
{
	return sizeof(*c) + c->count * sizeof(*c->loss);
}

static void read_reason(int fd, struct mu_error *err)
{
	char text[sizeof(err->text)] = "";

	if (pread(fd, text, sizeof(text) - 1, sizeof(uint64_t)) < 0)
		text[0] = '\0';
	mu_error_set(err, MU_ERROR_SYSTEM, 0, "%s", text);
}

struct mu_leak_check *leak_check_read(int fd, struct mu_error *err)
{
	struct mu_leak_check *c;
	uint64_t outcome = 0, size;
	struct stat st;

	if (fstat(fd, &st) < 0 || pread(fd, &outcome, sizeof(outcome), 0) != sizeof(outcome)) {
		mu_error_set(err, MU_ERROR_SYSTEM, 0, "the check did not come to its end");
		return NULL;
	}
	size = (uint64_t)st.st_size - sizeof(outcome);
	if (outcome != OUTCOME_FOUND || size < sizeof(*c) || size > RESULT_MAX) {
		read_reason(fd, err);
		return NULL;
	}
	c = xmalloc(size);
	if (pread(fd, c, size, sizeof(outcome)) == (ssize_t)size && leak_check_bytes(c) == size)
		return c;
	free(c);
	mu_error_set(err, MU_ERROR_SYSTEM, 0, "%m");
	return NULL;
}

struct mu_leak_check *leak_check_run(const struct live *l, pid_t pid,
				     const struct leak_check_options *o, struct mu_error *err)
{
	struct mu_leak_check *result = NULL;
	int fd = memfd_create("memusage-leaks", MFD_CLOEXEC);
	pid_t child = fd < 0 ? -1 : leak_check_start(l, pid, o, fd);

	if (child > 0) {
		child_wait(child);
		result = leak_check_read(fd, err);
	} else {
		mu_error_set(err, MU_ERROR_SYSTEM, 0, "%m");
	}
	if (fd >= 0)
		close(fd);
	return result;
}
