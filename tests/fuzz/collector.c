/* collector.c -- whatever processes say to a collector, and write into the memory that they share
 * with it, the collector goes on, keeps no descriptor that it was sent, and hands out none to
 * strangers.
 *
 * Input: flags of the recording, then steps (enum step): connections with registration, questions of
 * `memusage --pid` or anything else, with descriptors of any number; writes into the arena; looks
 * of the collector. All connections are this process's, which so is the program, its parent and its
 * child.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/collector/registration.h"

#include <dirent.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include "memusage/collector/code.h"
#include "memusage/collector/control.h"
#include "memusage/collector/tree_idle.h"
#include "memusage/collector/tree_memory.h"
#include "memusage/collector/tree_snapshots.h"
#include "memusage/common/control_wire.h"
#include "memusage/common/file_events.h"
#include "memusage/common/wire.h"
#include "recording/registration.h"
#include "tests/fuzz/scenes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const unsigned int replay_mutations;
const unsigned int replay_mutations = 40;

enum {
	SLOTS = 3,
	SLOT_BYTES = SCENES_SLOT,
	ARENA_BYTES = 2 * MU_PAGE + SLOTS * SLOT_BYTES,
	CLIENTS = 4,
	SENT_MAX = 4,	/* descriptors with one message */
	STEPS_MAX = 64
};

enum step {
	STEP_CONNECT, STEP_SEND, STEP_HELLO, STEP_QUESTION, STEP_CLOSE, STEP_WRITE, STEP_SLOT,
	STEP_SCENE, STEP_LOOK, STEP_END, STEP_WIRE, STEP_ROOT, STEPS
};

/* What is left of the input. */
struct input {
	const uint8_t *at;
	size_t left;
};

static struct settings settings;
static struct session session;
static struct tree tree;
static struct registration registration;
static struct sockaddr_un address = { .sun_family = AF_UNIX };
static socklen_t address_length;
static int listener = -1, client[CLIENTS];

static void die_of(const char *what)
{
	fprintf(stderr, "collector: %s\n", what);
	abort();
}

/* Behind the end there are zeros. */
static uint64_t take(struct input *in, size_t bytes)
{
	uint64_t value = 0;
	size_t n = bytes < in->left ? bytes : in->left;

	memcpy(&value, in->at, n);
	in->at += n;
	in->left -= n;
	return value;
}

static unsigned int count_descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	unsigned int count = 0;

	while (readdir(folder))
		count++;
	closedir(folder);
	return count;
}

static void list_descriptors(void)
{
	char path[32], file[128];

	for (int fd = 0; fd < 64; fd++) {
		ssize_t n;

		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		n = readlink(path, file, sizeof(file) - 1);
		if (n > 0)
			fprintf(stderr, "collector: %d is %.*s\n", fd, (int)n, file);
	}
}

/* ---- the collector ----------------------------------------------------------------------- */

static void listen_once(void)
{
	if (listener >= 0)
		return;
	snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "fuzz-collector-%d",
		 (int)getpid());
	address_length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
				     strlen(address.sun_path + 1));
	listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (bind(listener, (struct sockaddr *)&address, address_length) < 0 ||
	    listen(listener, 64) < 0)
		die_of("cannot listen");
}

static void make_arena(struct arena *a, uint32_t flags)
{
	struct mu_segment *h;

	*a = (struct arena){ .fd = memfd_create("memusage", MFD_CLOEXEC) };
	if (ftruncate(a->fd, ARENA_BYTES) < 0)
		die_of("no memory");
	h = mmap(NULL, ARENA_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, a->fd, 0);
	if (h == MAP_FAILED)
		die_of("no memory");
	*h = (struct mu_segment){
		.magic = MU_SEGMENT_MAGIC, .version = MU_VERSION, .header_size = sizeof(*h),
		.kind = MU_KIND_TREE, .slot_count = SLOTS, .size = ARENA_BYTES,
		.slot_table = MU_PAGE, .slots = 2 * MU_PAGE, .slot_size = SLOT_BYTES,
		.config.flags = flags, .config.log_limit = 1 << 20,
	};
	a->shared = h;
	a->slot = (struct mu_slot *)(void *)((uint8_t *)h + MU_PAGE);
	segment_view(&a->view, h, ARENA_BYTES, NULL);
	if (segment_watch(&a->view, a->fd, NULL) < 0)
		die_of("no memory");
}

static void learn_nothing(void *data)
{
	(void)data;
}

static void begin(uint32_t flags, uint8_t what)
{
	listen_once();
	settings = (struct settings){ .trace_children = what & 1 ? TRACE_YES : TRACE_NO,
				      .progname = what & 2 ? "prog" : NULL, .quiet = true };
	session = (struct session){ .settings = &settings,
				    .report = -1,
				    .text = -1,
				    .wire = -1,
				    .ended_images = -1,
				    .record.fd = memfd_create("kept", MFD_CLOEXEC) };
	session.files = (struct datafiles){ .is_wanted = true, .is_regular = true,
					    .fd = memfd_create("data", MFD_CLOEXEC) };
	make_arena(&session.arena, flags);
	if (tree_init(&tree, &session) < 0 ||
	    registration_init(&registration, &tree, learn_nothing, NULL) < 0)
		die_of("no descriptors");
}

static void forget_arenas(void)
{
	for (unsigned int i = 0; i < tree.arena_count; i++) {
		arena_close(&tree.arena[i]->arena);
		free(tree.arena[i]->claimer);
		free(tree.arena[i]->unknown_ns);
		free(tree.arena[i]);
	}
}

/* As a collector that goes, but for what a process's end does by itself. */
static void end(void)
{
	tree_shutdown(&tree);
	tree_snapshots_finish(&tree);
	for (size_t i = 0; i < tree.processes.count; i++)
		tree.processes.item[i]->is_gone = true;
	processes_sweep(&tree.processes);
	free(tree.processes.item);
	report_close(&tree.report);
	code_free();
	recordfile_close(&session.record);
	datafiles_close(&session.files);
	for (size_t i = 0; i < session.chroots.count; i++)
		free(session.chroots.path[i]);
	session.chroots.count = 0;
	for (unsigned int i = 0; i < REGISTRATION_WAITING; i++)
		if (registration.waiting[i] >= 0)
			close(registration.waiting[i]);
	close(registration.reserve);
	file_events_end();
	close(tree.event);
	forget_arenas();
}

static void look(uint8_t which)
{
	int event[16], count;

	registration_accept(&registration, listener);
	count = file_events_wait(event, 16, 0);
	for (int i = 0; i < count; i++) {
		int fd = event[i];

		if (!file_events_is_ready(fd))
			continue;
		if (!tree_process_ended(&tree, fd) && !control_closed(&tree, fd))
			registration_read(&registration, fd);
	}
	if (which & 1)
		tree_scan(&tree);
	if (which & 2)
		tree_check_ends(&tree);
	if (which & 4)
		tree_drain(&tree);
	if (which & 8)
		tree_memory_sample_due(&tree);
	if (which & 16)
		tree_idle_check(&tree);
	if (which & 32)
		tree_report_running(&tree);
	if (which & 64)
		tree_end_unmapped(&tree);
}

/* ---- processes --------------------------------------------------------------------------- */

/* With COUNT descriptors. */
static void send_with(int fd, const void *data, size_t size, unsigned int count)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(SENT_MAX * sizeof(int))];
	} control = { .room = { 0 } };
	struct iovec part = { (void *)(uintptr_t)data, size };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
	int sent[SENT_MAX];

	for (unsigned int i = 0; i < SENT_MAX; i++)
		sent[i] = i < count ? (int)syscall(SYS_pidfd_open, getpid(), 0) : -1;
	if (count > 0) {
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(count * sizeof(int));
		memcpy(CMSG_DATA(&control.header), sent, count * sizeof(int));
		message.msg_control = &control;
		message.msg_controllen = CMSG_SPACE(count * sizeof(int));
	}
	sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
	for (unsigned int i = 0; i < count; i++)
		close(sent[i]);
}

static void connect_client(unsigned int k)
{
	if (client[k] >= 0)
		return;
	client[k] = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (connect(client[k], (struct sockaddr *)&address, address_length) < 0) {
		close(client[k]);
		client[k] = -1;
	}
}

static void send_hello(struct input *in, unsigned int k)
{
	struct mu_registration hello = { .magic = MU_REGISTER_MAGIC, .version = MU_REGISTER_VERSION };
	uint8_t what = (uint8_t)take(in, 1);

	hello.kind = what & 1 ? MU_REGISTER_FORK : MU_REGISTER_IMAGE;
	if (what & 2)
		hello.kind = (uint32_t)take(in, 4);
	hello.pid = what & 4 ? (uint32_t)take(in, 4) : (uint32_t)getpid();
	hello.slot = (what >> 3) % 4;
	if (what & 32)
		memset(hello.name, 'x', sizeof(hello.name));
	else
		strcpy(hello.name, "prog");
	connect_client(k);
	send_with(client[k], &hello, sizeof(hello), what >> 6);
}

static void send_question(struct input *in, unsigned int k)
{
	struct control_question q = { .magic = CONTROL_MAGIC, .version = CONTROL_VERSION };
	uint8_t what = (uint8_t)take(in, 1);

	q.flags = (what & 3) | (what & 32 ? CONTROL_SAMPLES : 0);
	q.pid = what & 4 ? (int32_t)take(in, 4) : (int32_t)getpid();
	if (what & 8)
		q.version = (uint32_t)take(in, 1);
	connect_client(k);
	send_with(client[k], &q, sizeof(q) - (what & 16 ? 4 : 0), what >> 6);
}

/* What is answered; descriptors come in with it. */
static void read_answers(unsigned int k)
{
	static char text[sizeof(struct control_answer)];
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(8 * sizeof(int))];
	} control;
	struct iovec part = { text, sizeof(text) };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };

	for (int i = 0; i < 4 && client[k] >= 0; i++) {
		int fd;

		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
		if (recvmsg(client[k], &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) <= 0)
			return;
		if (message.msg_controllen < CMSG_LEN(sizeof(fd)) ||
		    control.header.cmsg_type != SCM_RIGHTS)
			continue;
		if (control.header.cmsg_len != CMSG_LEN(sizeof(fd)))
			die_of("handed out more than an arena");
		memcpy(&fd, CMSG_DATA(&control.header), sizeof(fd));
		close(fd);
	}
}

static void close_client(unsigned int k)
{
	if (client[k] >= 0)
		close(client[k]);
	client[k] = -1;
}

/* ---- memory ------------------------------------------------------------------------------ */

static void write_memory(struct input *in)
{
	uint8_t *base = (uint8_t *)session.arena.shared;
	size_t at = take(in, 1) % 2 ? 2 * MU_PAGE + take(in, 1) % SLOTS * SLOT_BYTES : 0;
	size_t length = take(in, 1) % 16 + 1;

	at += take(in, 2) * 8;
	for (size_t i = 0; i < length && at + i < ARENA_BYTES; i++)
		base[at + i] = (uint8_t)take(in, 1);
}

static void set_slot(struct input *in)
{
	struct mu_slot *slot = &session.arena.slot[take(in, 1) % SLOTS];
	const uint32_t pids[] = { (uint32_t)getpid(), (uint32_t)getppid(), 1, 0, 0x7fffffff,
				  UINT32_MAX };
	uint8_t what = (uint8_t)take(in, 1);

	slot->state = what % 8;
	slot->pid = pids[(what >> 3) % 6];
	slot->parent_slot = (uint32_t)take(in, 1);
	slot->claimed_by = (uint32_t)getpid();
	if (what & 64)
		slot->claimed_ns = take(in, 8);
}

/* An image as a recorder would have it. */
static void put_scene(struct input *in)
{
	unsigned int k = (unsigned int)(take(in, 1) % SLOTS);
	unsigned int number = (unsigned int)take(in, 1);
	uint8_t *to = (uint8_t *)session.arena.shared + 2 * MU_PAGE + k * SLOT_BYTES;
	const struct mu_segment *h;
	const uint8_t *scene;
	uint64_t from;
	size_t size;

	scene = scenes_get(number, &size);
	h = (const struct mu_segment *)(const void *)scene;
	from = h->kind == MU_KIND_KEPT ?
		((const struct mu_slot *)(const void *)(scene + h->slot_table))->offset : h->slots;
	if (from < size)
		memcpy(to, scene + from, size - from < SLOT_BYTES ? size - from : SLOT_BYTES);
}

/* ---- all together ------------------------------------------------------------------------ */

static void send_wire(struct input *in)
{
	static uint8_t bytes[sizeof(struct wire) + 64];
	size_t length = take(in, 2) % sizeof(bytes), n = length < in->left ? length : in->left;
	struct wire message;
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) < 0)
		return;
	memset(bytes, 0xff, sizeof(bytes));
	memcpy(bytes, in->at, n);
	in->at += n;
	in->left -= n;
	send_with(pair[0], bytes, length, length & 1);
	if (wire_receive(pair[1], &message) > 0)
		wire_send(pair[1], &message);
	close(pair[0]);
	close(pair[1]);
}

static void make_step(struct input *in)
{
	uint8_t what = (uint8_t)take(in, 1);
	unsigned int k = what / STEPS % CLIENTS;
	size_t length;

	switch ((enum step)(what % STEPS)) {
	case STEP_CONNECT:
		connect_client(k);
		break;
	case STEP_SEND:
		connect_client(k);
		length = take(in, 1);
		length = length < in->left ? length : in->left;
		send_with(client[k], in->at, length, length % (SENT_MAX + 1));
		take(in, 8);
		break;
	case STEP_HELLO:
		send_hello(in, k);
		break;
	case STEP_QUESTION:
		send_question(in, k);
		break;
	case STEP_CLOSE:
		close_client(k);
		break;
	case STEP_WRITE:
		write_memory(in);
		break;
	case STEP_SLOT:
		set_slot(in);
		break;
	case STEP_SCENE:
		put_scene(in);
		break;
	case STEP_LOOK:
		look((uint8_t)take(in, 1));
		read_answers(k);
		break;
	case STEP_END:
		if (tree.processes.count > 0)
			tree_end_image(&tree, tree.processes.item[k % tree.processes.count],
				       take(in, 1) % 2 ? TREE_DEATH : TREE_EXEC);
		break;
	case STEP_WIRE:
		send_wire(in);
		break;
	case STEP_ROOT:
		tree.root = take(in, 1) % 2 ? getpid() : 0;
		break;
	case STEPS:
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint32_t known = MU_CFG_LOG | MU_CFG_STACKS | MU_CFG_TIMELINE | MU_CFG_LIFETIMES |
				      MU_CFG_PAGES | MU_CFG_POINTS | MU_CFG_ACCESSES;
	struct input in = { data, size };
	unsigned int before, after;
	uint32_t flags;
	uint8_t what;

	listen_once();
	before = count_descriptors();
	flags = (uint32_t)take(&in, 4) & known;
	what = (uint8_t)take(&in, 1);
	begin(flags, what);
	for (unsigned int i = 0; i < CLIENTS; i++)
		client[i] = -1;
	for (int i = 0; i < STEPS_MAX && in.left > 0; i++)
		make_step(&in);
	look(127);
	for (unsigned int i = 0; i < CLIENTS; i++) {
		read_answers(i);
		close_client(i);
	}
	look(127);
	end();
	after = count_descriptors();
	if (after != before) {
		list_descriptors();
		die_of("keeps descriptors that it was sent");
	}
	return 0;
}
