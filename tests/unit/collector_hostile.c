/* collector_hostile.c -- a collector survives whatever a recorded program does to it.
 *
 * The collector runs as it does under memusage. This test is its launcher, and plays recorders
 * that send garbage, say nothing, die, and overwrite the memory they share with it.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/collector/collector.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memusage/common/wire.h"
#include "recording/registration.h"
#include "tests/lib/tap.h"

static struct settings settings;
static struct session session;
static pid_t collector;
static int wire;

static void begin(unsigned int flags)
{
	struct mu_config config = { .flags = flags, .log_limit = 1 << 20, .log_wake_records = 1 };
	struct mu_error err;
	int pair[2];

	settings = (struct settings){ .command = (char *[]){ (char *)"prog", NULL },
				      .data = flags & MU_CFG_LOG ? "data.dat" : NULL };
	session = (struct session){ .settings = &settings, .program = (char *)"/bin/true" };
	session.report = open("report", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	datafiles_open(&session.files, &settings);
	recordfile_check(&session.record, &settings);
	EQ_I(arena_create(&session.arena, &config, &err), 0);
	EQ_I(endpoint_open(&session.endpoint, &err), 0);
	EQ_I(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	fflush(stdout);
	collector = fork();
	if (collector == 0) {
		close(pair[0]);
		session.wire = pair[1];
		collector_run(&session);
		_exit(0);
	}
	close(pair[1]);
	wire = pair[0];
}

static void tell(enum wire_kind kind, pid_t pid)
{
	struct wire message = { .kind = kind, .pid = pid };

	EQ_I(wire_send(wire, &message), 0);
}

/* The program has ended: the collector must say DONE soon, and end well. */
static void finish(pid_t pid, const char *text)
{
	struct pollfd wait = { .fd = wire, .events = POLLIN };
	struct wire done;
	int status = -1;

	tell(WIRE_ENDED, pid);
	if (!OK(poll(&wait, 1, 100000) == 1, "%s: an answer", text))
		kill(collector, SIGKILL);
	EQ_I(wire_receive(wire, &done), 1);
	EQ_U(done.kind, WIRE_DONE);
	close(wire);
	waitpid(collector, &status, 0);
	EQ_I(status, 0);
	arena_close(&session.arena);
	endpoint_close(&session.endpoint);
	datafiles_close(&session.files);
}

static int connect_to(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	size_t length = strlen(session.endpoint.name);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	struct timeval limit = { .tv_sec = 10 };

	memcpy(address.sun_path + 1, session.endpoint.name, length);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	if (connect(fd, (struct sockaddr *)&address,
		    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length)) < 0)
		_exit(97);
	return fd;
}

/* The status of the answer, -1 if the connection was closed. */
static int ask(const void *hello, size_t size, struct mu_registration_reply *reply)
{
	int fd = connect_to();
	ssize_t n;

	send(fd, hello, size, MSG_NOSIGNAL);
	n = recv(fd, reply, sizeof(*reply), 0);
	close(fd);
	return n == sizeof(*reply) ? (int)reply->status : -1;
}

static int hello_image(struct mu_registration_reply *reply)
{
	const struct mu_registration hello = { .magic = MU_REGISTER_MAGIC, .version = MU_REGISTER_VERSION,
					.kind = MU_REGISTER_IMAGE, .name = "prog" };

	return ask(&hello, sizeof(hello), reply);
}

/* A child that lets itself be recorded, does ACT with its slot, and waits to be killed. */
static pid_t play(void (*act)(unsigned int slot))
{
	struct mu_registration_reply reply;
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	if (hello_image(&reply) != MU_REGISTER_RECORD)
		_exit(1);
	act(reply.slot);
	_exit(0);
}

static void wake(void)
{
	__atomic_fetch_add(&session.arena.shared->wake, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &session.arena.shared->wake, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static struct mu_image *image_of(unsigned int slot)
{
	const struct mu_segment *h = &session.arena.view.head;

	return (struct mu_image *)((char *)session.arena.shared + h->slots + slot * h->slot_size);
}

static void publish(unsigned int slot, struct mu_image *im)
{
	im->version = MU_VERSION;
	im->header_size = sizeof(*im);
	im->magic = MU_IMAGE_MAGIC;
	session.arena.slot[slot].pid = (uint32_t)getpid();
	__atomic_store_n(&session.arena.slot[slot].state, MU_SLOT_LIVE, __ATOMIC_RELEASE);
	wake();
}

/* ---- what hostile recorders do ----------------------------------------------------------- */

static unsigned int seed;

static void fill_randomly(void *memory, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		seed = seed * 1103515245 + 12345;
		((unsigned char *)memory)[i] = (unsigned char)(seed >> 16);
	}
}

static void garbage(unsigned int slot)
{
	struct mu_image *im = image_of(slot);

	fill_randomly(im, 200000);
	publish(slot, im);
	usleep(20000);
}

static void huge_counts(unsigned int slot)
{
	struct mu_image *im = image_of(slot);

	for (int i = 0; i < MU_SEC_COUNT; i++) {
		im->table[i] = (struct mu_table){ .entry_size = 64, .first_log2 = 20,
						  .count = UINT64_MAX };
		im->table[i].extent[0] = sizeof(*im);
	}
	im->table[MU_SEC_THREADS].entry_size = sizeof(struct mu_thread);
	im->features = UINT64_MAX;
	im->blocks_root = 8;
	publish(slot, im);
	usleep(20000);
}

/* A log that runs in a circle for ever. */
static void circle(unsigned int slot)
{
	struct mu_image *im = image_of(slot);
	struct mu_log_chunk *chunk = (struct mu_log_chunk *)((char *)im + 65536);
	struct mu_thread *thread = (struct mu_thread *)((char *)im + 131072);

	im->features = UINT64_MAX;
	im->table[MU_SEC_THREADS] = (struct mu_table){ .entry_size = sizeof(*thread),
						       .count = 2, .first_log2 = 1 };
	im->table[MU_SEC_THREADS].extent[0] = 131072;
	for (int i = 0; i < 2; i++) {
		thread[i].log_first = 65536;
		chunk[i] = (struct mu_log_chunk){ .next = i ? 65536 : 65536 + sizeof(*chunk),
						  .sealed = 1 };
	}
	publish(slot, im);
	usleep(50000);
}

/* The table of slots belongs to everybody. */
static void all_slots(unsigned int slot)
{
	struct mu_slot *table = session.arena.slot;

	for (uint32_t i = 0; i < session.arena.view.head.slot_count; i++) {
		if (i == slot)
			continue;
		table[i].state = 1 + i % 4;
		table[i].pid = i % 3 == 0 ? (uint32_t)getpid() : i % 3 == 1 ? 1 : 0x7fffffff;
		table[i].parent_slot = i * 7;
	}
	publish(slot, image_of(slot));
	usleep(20000);
	fill_randomly(table, 64 * sizeof(*table));
	wake();
	usleep(20000);
}

static void header(unsigned int slot)
{
	struct mu_segment *h = session.arena.shared;

	publish(slot, image_of(slot));
	h->slot_count = UINT32_MAX;
	h->slots = UINT64_MAX;
	h->slot_size = 0;
	h->size = 0;
	h->slot_table = 12345;
	wake();
	usleep(20000);
	memset(h, 0xff, sizeof(*h));
	wake();
	usleep(20000);
}

static void truncate_it(unsigned int slot)
{
	publish(slot, image_of(slot));
	/* Sealed: neither smaller nor larger, by whatever way. */
	if (ftruncate(session.arena.fd, 4096) == 0 ||
	    ftruncate(session.arena.fd, INT64_MAX) == 0 ||
	    fcntl(session.arena.fd, F_ADD_SEALS, F_SEAL_WRITE) == 0)
		_exit(96);
	fallocate(session.arena.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 1 << 20);
	wake();
	usleep(20000);
}

static void wake_storm(unsigned int slot)
{
	publish(slot, image_of(slot));
	for (int i = 0; i < 20000; i++)
		wake();
}

static void one(const char *text, void (*act)(unsigned int slot), unsigned int flags)
{
	int status;
	pid_t pid;

	begin(flags);
	fflush(stdout);
	pid = play(act);
	tell(WIRE_STARTED, pid);
	waitpid(pid, &status, 0);
	OK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s: was recorded", text);
	finish(pid, text);
}

/* ---- hellos ------------------------------------------------------------------------------ */

static void hellos(void)
{
	struct mu_registration hello = { .magic = MU_REGISTER_MAGIC, .version = MU_REGISTER_VERSION,
				  .kind = MU_REGISTER_IMAGE, .name = "prog" };
	struct mu_registration_reply reply;
	char large[70000] = "";
	int silent[200];

	begin(0);
	tell(WIRE_STARTED, getpid());
	for (int i = 0; i < 200; i++)
		silent[i] = connect_to();
	EQ_I(ask("x", 1, &reply), -1);
	EQ_I(ask("", 0, &reply), -1);
	EQ_I(ask(large, sizeof(large), &reply), -1);
	EQ_I(ask(&hello, sizeof(hello) - 1, &reply), -1);
	hello.version = 99;
	EQ_I(ask(&hello, sizeof(hello), &reply), MU_REGISTER_REFUSED);
	hello.version = MU_REGISTER_VERSION;
	hello.kind = 77;
	EQ_I(ask(&hello, sizeof(hello), &reply), MU_REGISTER_REFUSED);
	hello.kind = MU_REGISTER_FORK;
	EQ_I(ask(&hello, sizeof(hello), &reply), MU_REGISTER_FULL);
	hello.kind = MU_REGISTER_IMAGE;
	memset(hello.name, 'x', sizeof(hello.name));
	EQ_I(ask(&hello, sizeof(hello), &reply), MU_REGISTER_RECORD);
	/* Again and again from one process. It has our memory mapped, so it executes nothing; where
	 * that cannot be found out, for want of a descriptor, each is an exec. */
	for (int i = 0; i < 300; i++) {
		int answer = hello_image(&reply);

		if (answer != MU_REGISTER_RECORD && answer != MU_REGISTER_IGNORE)
			FAIL("hello %d", i);
	}
	for (int i = 0; i < 200; i++)
		close(silent[i]);
	/* We are still alive, but the launcher says we ended: then we are not waited for. */
	tell(WIRE_ENDED, getpid());
	usleep(100000);
	kill(collector, SIGTERM);
	close(wire);
	EQ_I(waitpid(collector, NULL, 0), collector);
	arena_close(&session.arena);
	endpoint_close(&session.endpoint);
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	hellos();
	one("garbage", garbage, 0);
	one("garbage with a log", garbage, MU_CFG_LOG);
	one("huge counts", huge_counts, MU_CFG_LOG);
	one("a circle of chunks", circle, MU_CFG_LOG);
	one("the table of slots", all_slots, 0);
	one("the header", header, MU_CFG_LOG);
	one("truncation", truncate_it, 0);
	one("a storm of wakes", wake_storm, MU_CFG_LOG);
	return done_testing();
}
