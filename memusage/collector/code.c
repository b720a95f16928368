/* code.c -- Answer recorders that ask for the code of a module (--ignore-fn).
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/collector/code.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/xmalloc.h"
#include "memusage/collector/query.h"
#include "memusage/collector/tree_arenas.h"
#include "memusage/common/child.h"
#include "memusage/common/file_events.h"
#include "memusage/common/process.h"
#include "memusage/rights/isolation.h"
#include "memusage/rights/owner.h"
#include "profile/base/array.h"
#include "profile/symbols/elf_file.h"
#include "recording/family.h"

/* Of one user. The answers of a user take twice as much as the largest one, and one more. */
enum { FILES_MAX = 4096 };
#define WORDS_MAX (UINT64_C(1) << 24)

/* A file whose code was asked for, identified by numbers, whatever its path. Its path and build-id
 * are what a process of the user says, and the path may lead to another file when it is read: so
 * no other user gets the answer, by which a recorder changes code. */
struct code_file {
	uid_t user;
	bool is_symbols; /* the question is where the functions of --alloc-symbol are */
	dev_t device;
	ino_t inode;
	struct timespec changed;
	pid_t asker;  /* the process that asked first */
	pid_t reader; /* 0: the answer is known, or there is none */
	int pidfd;
	int answer;	/* memfd that the reader writes to, -1 none */
	uint64_t *word; /* NULL: there is no answer */
	uint64_t count;
};

static struct code_file **files;
static uint32_t file_count, file_room;

/* ---- reading ------------------------------------------------------------------------------ */

static void append_symbol_rules(struct opt_list *list, const struct settings *s)
{
	for (size_t i = 0; i < s->alloc_symbol.count; i++)
		opt_list_append(list, xasprintf("--symbol-rule=a%s", s->alloc_symbol.item[i]));
	for (size_t i = 0; i < s->free_symbol.count; i++)
		opt_list_append(list, xasprintf("--symbol-rule=f%s", s->free_symbol.item[i]));
	if (s->debuginfod)
		opt_list_append(list, "--debuginfod");
}

/* Returns the group of a process that has only the rights of this user; ends this process else. */
static gid_t find_group(pid_t pid, uid_t user)
{
	unsigned int uid[PROCESS_IDS], gid[PROCESS_IDS];

	if (!process_read_ids(pid, uid, gid))
		_exit(1);
	for (int i = 0; i < PROCESS_IDS; i++) {
		if (uid[i] != user)
			_exit(1);
	}
	return gid[0];
}

/* What root reads for a user is what the user can read, wherever the path leads by now. Replaces
 * ROOT, a directory that the user may not be able to name. */
static void take_rights(const struct code_file *f, const char **root)
{
	const int directory = open(*root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	const struct owner owner = { .uid = f->user, .gid = find_group(f->asker, f->user) };

	if (directory < 0 || null < 0)
		_exit(1);
	isolation_begin(f->answer, null);
	*root = child_pass_file(directory);
	owner_become(&owner);
}

static void execute_reader(const struct tree *t, const struct code_file *f, const char *root,
			   const char *path, const struct build_id *id)
{
	const bool is_other = geteuid() == 0 && f->user != 0;
	const int tool = is_other ? child_open("memusageprint") : -1;
	const struct settings *s = t->s->settings;
	const struct opt_list *given = &s->massif.report;
	struct opt_list arguments = { .count = 0 };
	char hex[2 * BUILD_ID_MAX + 1] = "";

	if (is_other)
		take_rights(f, &root);
	else
		dup2(f->answer, STDOUT_FILENO);
	for (uint32_t i = 0; i < id->length; i++)
		snprintf(hex + (size_t)2 * i, 3, "%02x", id->byte[i]);
	opt_list_append(&arguments, "memusageprint");
	opt_list_append(&arguments, xasprintf("--code-below=%s", root));
	opt_list_append(&arguments, xasprintf("--build-id=%s", hex));
	for (size_t i = 0; !f->is_symbols && i < given->count; i++)
		opt_list_append(&arguments, given->item[i]);
	if (f->is_symbols)
		append_symbol_rules(&arguments, s);
	opt_list_append(&arguments, "--");
	opt_list_append(&arguments, path);
	child_reset_signals();
	if (is_other)
		child_execute_opened(tool, &arguments);
	child_execute(&arguments, "");
}

static void start_reader(struct tree *t, struct code_file *f, const char *root, const char *path,
			 const struct build_id *id)
{
	f->answer = memfd_create("memusage-code", MFD_CLOEXEC);
	f->reader = f->answer < 0 ? -1 : fork();
	if (f->reader == 0)
		execute_reader(t, f, root, path, id);
	if (f->reader < 0) {
		f->reader = 0;
		return;
	}
	f->pidfd = file_events_add_process(f->reader);
	if (f->pidfd < 0)
		t->has_unwatched_process = true;
}

static void read_answer(struct code_file *f)
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

static void reap_reader(struct code_file *f, int flags)
{
	int status;

	if (waitpid(f->reader, &status, flags) != f->reader)
		return;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		read_answer(f);
	f->reader = 0;
	close(f->answer);
	f->answer = -1;
	file_events_close(f->pidfd);
	f->pidfd = -1;
}

/* ---- files -------------------------------------------------------------------------------- */

static struct code_file *find_code_file(const struct stat *st, bool is_symbols, uid_t user)
{
	for (uint32_t i = 0; i < file_count; i++) {
		struct code_file *f = files[i];

		if (f->user == user && f->is_symbols == is_symbols &&
		    f->device == st->st_dev && f->inode == st->st_ino &&
		    f->changed.tv_sec == st->st_mtim.tv_sec &&
		    f->changed.tv_nsec == st->st_mtim.tv_nsec)
			return f;
	}
	return NULL;
}

static void free_file(struct code_file *f)
{
	free(f->word);
	free(f);
}

/* Forgets the oldest answers of a user that has too many: they are read again if they are asked
 * for. Returns false if there is no room, since all are still being read. */
static bool make_room(uid_t user)
{
	uint64_t count = 0, words = 0;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < file_count; i++) {
		count += files[i]->user == user;
		words += files[i]->user == user ? files[i]->count : 0;
	}
	for (uint32_t i = 0; i < file_count; i++) {
		struct code_file *f = files[i];

		if ((count < FILES_MAX && words <= 2 * WORDS_MAX) || f->user != user || f->reader) {
			files[kept++] = f;
			continue;
		}
		count--;
		words -= f->count;
		free_file(f);
	}
	file_count = kept;
	return count < FILES_MAX;
}

/* Finds the file as the process sees it or, without permission, as we do. */
static bool stat_for_process(pid_t pid, const char *path, char root[32], struct stat *st)
{
	char whole[PATH_MAX + 32];

	snprintf(root, 32, "/proc/%d/root", (int)process_view(pid));
	if (snprintf(whole, sizeof(whole), "%s%s", root, path) < (int)sizeof(whole) &&
	    stat(whole, st) == 0)
		return S_ISREG(st->st_mode);
	strcpy(root, "/");
	return stat(path, st) == 0 && S_ISREG(st->st_mode);
}

static struct code_file *find_or_start_file(struct tree *t, const struct process *p,
					    const struct image *im, const struct mu_module *module,
					    bool is_symbols)
{
	const struct tree_arena *a = tree_arenas_find(t, p->arena);
	const uid_t user = a ? a->uid : geteuid();
	char *path = image_text(im, &module->path), root[32];
	struct build_id id = { .length = 0 };
	struct code_file *f = NULL;
	struct stat st;

	if (path && path[0] == '/' && stat_for_process(p->pid, path, root, &st)) {
		f = find_code_file(&st, is_symbols, user);
		if (!f && make_room(user)) {
			f = xcalloc(1, sizeof(*f));
			*f = (struct code_file){ .user = user,
						 .asker = p->pid,
						 .device = st.st_dev,
						 .inode = st.st_ino,
						 .changed = st.st_mtim,
						 .is_symbols = is_symbols,
						 .pidfd = -1,
						 .answer = -1 };
			array_reserve(&files, &file_room, file_count + UINT64_C(1),
				      sizeof(struct code_file *));
			files[file_count++] = f;
			if (module->build_id_length <= BUILD_ID_MAX) {
				id.length = module->build_id_length;
				memcpy(id.byte, module->build_id, id.length);
			}
			start_reader(t, f, root, path, &id);
		}
	}
	free(path);
	return f;
}

/* ---- answering ---------------------------------------------------------------------------- */

/* Copies the module of the question. Returns false if there is none. */
static bool copy_wanted_module(const struct image *im, uint32_t wanted, struct mu_module *module)
{
	if (wanted == MU_QUERY_SYMBOLS)
		return image_copy(im, im->head.query_module, module, sizeof(*module));
	return image_copy_entry(im, MU_SEC_MODULES, wanted - 1, module, sizeof(*module));
}

static void answer_question(struct tree *t, const struct process *p, struct mu_image *live,
			    uint32_t wanted, uint32_t state)
{
	struct mu_module module;
	struct image im;
	struct code_file *f;

	if (!arena_image(p->arena, (uint32_t)p->slot, &im))
		return;
	if (!copy_wanted_module(&im, wanted, &module)) {
		query_set_state(live, MU_QUERY_FAILED);
		return;
	}
	f = find_or_start_file(t, p, &im, &module, wanted == MU_QUERY_SYMBOLS);
	if (f && f->reader) {
		if (f->pidfd < 0)
			reap_reader(f, WNOHANG);
		if (state == MU_QUERY_WANTED)
			query_set_state(live, MU_QUERY_WORKING);
	} else if (!f || !f->word) {
		query_set_state(live, MU_QUERY_FAILED);
	} else if (state == MU_QUERY_ROOM && live->query_count != f->count) {
		/* It was forgotten meanwhile, and the file has changed: there is no room for it. */
		query_set_state(live, MU_QUERY_FAILED);
	} else if (state == MU_QUERY_ROOM) {
		query_copy_answer(p, live, f->word, f->count * 8);
	} else {
		live->query_count = f->count;
		query_set_state(live, MU_QUERY_COUNTED);
	}
}

void code_answer(struct tree *t, const struct process *p)
{
	struct mu_image *live = query_image(p);
	uint32_t wanted = __atomic_load_n(&live->query_wanted, __ATOMIC_ACQUIRE);
	uint32_t state = __atomic_load_n(&live->query_state, __ATOMIC_ACQUIRE);

	if (wanted && !mu_query_is_examination(wanted) && query_is_open(state))
		answer_question(t, p, live, wanted, state);
}

bool code_reader_ended(int fd)
{
	for (uint32_t i = 0; i < file_count; i++) {
		if (files[i]->reader && files[i]->pidfd == fd) {
			reap_reader(files[i], 0);
			return true;
		}
	}
	return false;
}

void code_free(void)
{
	for (uint32_t i = 0; i < file_count; i++) {
		if (files[i]->reader) {
			kill(files[i]->reader, SIGKILL);
			reap_reader(files[i], 0);
		}
		free_file(files[i]);
	}
	free(files);
	files = NULL;
	file_count = file_room = 0;
}
