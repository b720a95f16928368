/* code.c -- answer recorders that ask what the code of a module is (--ignore-fn).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/collector/code.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/xmalloc.h"
#include "memusage/common/library.h"
#include "memusage/report/reports.h"
#include "profile/symbols/elf_file.h"
#include "recording/family.h"

enum { FILES_MAX = 4096 };
#define WORDS_MAX (UINT64_C(1) << 24)

/* A file whose code was asked for; numbers name it whatever its path. */
struct file {
	bool is_symbols;	/* asked for what --alloc-symbol names */
	dev_t device;
	ino_t inode;
	struct timespec changed;
	pid_t reader;		/* 0: it is known, or cannot be */
	int pidfd;
	int answer;		/* memfd that the reader writes to, -1 */
	uint64_t *word;		/* NULL: it cannot be known */
	uint64_t count;
};

static struct file *files[FILES_MAX];
static size_t file_count;

/* ---- reading ------------------------------------------------------------------------------ */

static void add(struct opt_list *list, char *text)
{
	list->item = xreallocarray(list->item, list->count + 2, sizeof(*list->item));
	list->item[list->count++] = text;
	list->item[list->count] = NULL;
}

static void add_rules(struct opt_list *list, const struct settings *s)
{
	for (size_t i = 0; i < s->alloc_symbol.count; i++)
		add(list, xasprintf("--symbol-rule=a%s", s->alloc_symbol.item[i]));
	for (size_t i = 0; i < s->free_symbol.count; i++)
		add(list, xasprintf("--symbol-rule=f%s", s->free_symbol.item[i]));
	if (s->debuginfod)
		add(list, xstrdup("--debuginfod"));
}

static void execute(const struct tree *t, const struct file *f, const char *root,
		    const char *path, const struct build_id *id)
{
	const struct settings *s = t->s->settings;
	const struct opt_list *given = &s->massif.report;
	struct opt_list arguments = { .count = 0 };
	char *tool = library_sibling("memusageprint"), hex[2 * BUILD_ID_MAX + 1] = "";

	for (uint32_t i = 0; i < id->length; i++)
		snprintf(hex + (size_t)2 * i, 3, "%02x", id->byte[i]);
	add(&arguments, xstrdup("memusageprint"));
	add(&arguments, xasprintf("--code-below=%s", root));
	add(&arguments, xasprintf("--build-id=%s", hex));
	for (size_t i = 0; !f->is_symbols && i < given->count; i++)
		add(&arguments, xstrdup(given->item[i]));
	if (f->is_symbols)
		add_rules(&arguments, s);
	add(&arguments, xstrdup("--"));
	add(&arguments, xstrdup(path));
	dup2(f->answer, STDOUT_FILENO);
	reports_reset_signals();
	if (tool)
		execv(tool, (char **)(uintptr_t)arguments.item);
	_exit(127);
}

static void start(struct tree *t, struct file *f, const char *root, const char *path,
		  const struct build_id *id)
{
	struct epoll_event event = { .events = EPOLLIN };

	f->answer = memfd_create("memusage-code", MFD_CLOEXEC);
	f->reader = f->answer < 0 ? -1 : fork();
	if (f->reader == 0)
		execute(t, f, root, path, id);
	if (f->reader < 0) {
		f->reader = 0;
		return;
	}
	f->pidfd = (int)syscall(SYS_pidfd_open, f->reader, 0);
	event.data.fd = f->pidfd;
	if (f->pidfd < 0 || epoll_ctl(t->epoll, EPOLL_CTL_ADD, f->pidfd, &event) < 0)
		t->has_unwatched = true;
}

static void take(struct file *f)
{
	struct stat st;
	uint64_t *word;

	if (fstat(f->answer, &st) < 0 || st.st_size % 8 != 0 ||
	    (uint64_t)st.st_size > WORDS_MAX * 8)
		return;
	word = xcalloc((size_t)st.st_size / 8 + 1, sizeof(*word));
	if (pread(f->answer, word, (size_t)st.st_size, 0) == st.st_size) {
		f->word = word;
		f->count = (uint64_t)st.st_size / 8;
	} else {
		free(word);
	}
}

static void finish(struct file *f, int flags)
{
	int status;

	if (waitpid(f->reader, &status, flags) != f->reader)
		return;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		take(f);
	f->reader = 0;
	close(f->answer);
	f->answer = -1;
	if (f->pidfd >= 0)
		close(f->pidfd);
	f->pidfd = -1;
}

/* ---- files -------------------------------------------------------------------------------- */

static struct file *find(const struct stat *st, bool is_symbols)
{
	for (size_t i = 0; i < file_count; i++) {
		struct file *f = files[i];

		if (f->is_symbols == is_symbols &&
		    f->device == st->st_dev && f->inode == st->st_ino &&
		    f->changed.tv_sec == st->st_mtim.tv_sec &&
		    f->changed.tv_nsec == st->st_mtim.tv_nsec)
			return f;
	}
	return NULL;
}

/* As the process sees it; where we may not look, as we do. */
static bool look_below(pid_t pid, const char *path, char root[32], struct stat *st)
{
	char whole[PATH_MAX + 32];

	snprintf(root, 32, "/proc/%d/root", (int)pid);
	if (snprintf(whole, sizeof(whole), "%s%s", root, path) < (int)sizeof(whole) &&
	    stat(whole, st) == 0)
		return S_ISREG(st->st_mode);
	root[0] = '\0';
	return stat(path, st) == 0 && S_ISREG(st->st_mode);
}

static struct file *file_of(struct tree *t, const struct process *p, const struct image *im,
			    const struct mu_module *module, bool is_symbols)
{
	char *path = image_text(im, &module->path), root[32];
	struct build_id id = { .length = 0 };
	struct file *f = NULL;
	struct stat st;

	if (path && path[0] == '/' && look_below(p->pid, path, root, &st)) {
		f = find(&st, is_symbols);
		if (!f && file_count < FILES_MAX) {
			f = xcalloc(1, sizeof(*f));
			*f = (struct file){ .device = st.st_dev, .inode = st.st_ino,
					    .changed = st.st_mtim,
					    .is_symbols = is_symbols, .pidfd = -1, .answer = -1 };
			files[file_count++] = f;
			if (module->build_id_length <= BUILD_ID_MAX) {
				id.length = module->build_id_length;
				memcpy(id.byte, module->build_id, id.length);
			}
			start(t, f, root, path, &id);
		}
	}
	free(path);
	return f;
}

/* ---- answering ---------------------------------------------------------------------------- */

/* The image as it lies in memory: its fields are checked wherever they are used. */
static struct mu_image *live_image(const struct process *p)
{
	const struct mu_segment *h = &p->arena->view.head;

	return (struct mu_image *)((uint8_t *)p->arena->shared + h->slots +
				   (uint64_t)p->slot * h->slot_size);
}

static void say(struct mu_image *live, uint32_t state)
{
	__atomic_store_n(&live->query_state, state, __ATOMIC_RELEASE);
	syscall(SYS_futex, &live->query_state, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void copy_words(const struct process *p, struct mu_image *live, const struct file *f)
{
	const uint64_t size = p->arena->view.head.slot_size;
	uint64_t offset = __atomic_load_n(&live->query_offset, __ATOMIC_RELAXED);

	if (offset % 8 != 0 || offset > size || size - offset < f->count * 8) {
		say(live, MU_QUERY_FAILED);
		return;
	}
	memcpy((uint8_t *)live + offset, f->word, f->count * 8);
	say(live, MU_QUERY_DONE);
}

/* What is asked about. Returns false if nothing is there. */
static bool copy_module(const struct image *im, uint32_t wanted, struct mu_module *module)
{
	if (wanted == MU_QUERY_SYMBOLS)
		return image_copy(im, im->head.query_module, module, sizeof(*module));
	return image_copy_entry(im, MU_SEC_MODULES, wanted - 1, module, sizeof(*module));
}

static void answer(struct tree *t, const struct process *p, struct mu_image *live,
		   uint32_t wanted, uint32_t state)
{
	struct mu_module module;
	struct image im;
	struct file *f;

	if (segment_image(&p->arena->view, (uint32_t)p->slot, &im, NULL) < 0)
		return;
	if (!copy_module(&im, wanted, &module)) {
		say(live, MU_QUERY_FAILED);
		return;
	}
	f = file_of(t, p, &im, &module, wanted == MU_QUERY_SYMBOLS);
	if (f && f->reader) {
		if (f->pidfd < 0)
			finish(f, WNOHANG);
		if (state == MU_QUERY_WANTED)
			say(live, MU_QUERY_WORKING);
	} else if (!f || !f->word) {
		say(live, MU_QUERY_FAILED);
	} else if (state == MU_QUERY_ROOM) {
		copy_words(p, live, f);
	} else {
		live->query_count = f->count;
		say(live, MU_QUERY_COUNTED);
	}
}

void code_look(struct tree *t, const struct process *p)
{
	struct mu_image *live = live_image(p);
	uint32_t wanted = __atomic_load_n(&live->query_wanted, __ATOMIC_ACQUIRE);
	uint32_t state = __atomic_load_n(&live->query_state, __ATOMIC_ACQUIRE);

	if (wanted && (state == MU_QUERY_WANTED || state == MU_QUERY_WORKING ||
		       state == MU_QUERY_ROOM))
		answer(t, p, live, wanted, state);
}

bool code_ended(int fd)
{
	for (size_t i = 0; i < file_count; i++) {
		if (files[i]->reader && files[i]->pidfd == fd) {
			finish(files[i], 0);
			return true;
		}
	}
	return false;
}

void code_forget(void)
{
	for (size_t i = 0; i < file_count; i++) {
		if (files[i]->reader) {
			kill(files[i]->reader, SIGKILL);
			finish(files[i], 0);
		}
		free(files[i]->word);
		free(files[i]);
	}
	file_count = 0;
}
