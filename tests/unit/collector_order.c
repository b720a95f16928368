/* collector_order.c -- an image that ended by exec is reported, whatever the collector sees first.
 *
 * A forked child announces its image in a slot, executes a program, and the program registers. The
 * collector looks at slots and connections in any order, and may be late. This test is the
 * collector, and does what its loop does, step by step.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusage/collector/registration.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memusage/collector/retired_slots.h"
#include "recording/registration.h"
#include "tests/lib/tap.h"

static struct settings settings;
static struct session session;
static struct tree tree;
static struct registration registration;

static void learn_nothing(void *data)
{
	(void)data;
}

/* Ends the process of this play if something is not as it has to be. */
static void require(bool holds)
{
	if (!holds)
		_exit(90);
}

static void begin(enum trace_children children)
{
	struct mu_config config = { .flags = 0 };
	struct mu_error err;

	settings = (struct settings){ .command = (char *[]){ (char *)"prog", NULL },
				      .trace_children = children };
	session = (struct session){ .settings = &settings, .program = (char *)"/bin/true",
				    .report = -1, .ended_images = -1 };
	datafiles_open(&session.files, &settings);
	recordfile_check(&session.record, &settings);
	require(arena_create(&session.arena, &config, &err) == 0);
	require(endpoint_open(&session.endpoint, &err) == 0);
	require(fcntl(session.endpoint.abstract_fd, F_SETFL, O_NONBLOCK) == 0);
	require(tree_init(&tree, &session) == 0);
	require(registration_init(&registration, &tree, learn_nothing, NULL) == 0);
	tree.root = getpid();
	tree_watch(&tree, tree.root);
}

/* What a recorder does before an exec: its image is in slot K, and it has had an event. */
static void announce(unsigned int k, pid_t pid)
{
	const struct mu_segment *h = &session.arena.view.head;
	struct mu_image *im =
		(struct mu_image *)((char *)session.arena.shared + h->slots + k * h->slot_size);

	im->version = MU_VERSION;
	im->header_size = sizeof(*im);
	im->features = MU_FEATURE(MU_SEC_PROCESS) | MU_FEATURE(MU_SEC_COUNTERS);
	im->used = sizeof(*im);
	im->process.fork_mono_ns = session.arena.view.head.start_mono_ns;
	im->process.pid = (uint32_t)pid;
	im->magic = MU_IMAGE_MAGIC;
	session.arena.slot[k].pid = (uint32_t)pid;
	__atomic_store_n(&session.arena.slot[k].state, MU_SLOT_LIVE, __ATOMIC_RELEASE);
}

/* A process that registers as an executed program does, then waits for the end of GO. */
static pid_t start_successor(const int go[2])
{
	const struct mu_registration hello = { .magic = MU_REGISTER_MAGIC,
					       .version = MU_REGISTER_VERSION,
					       .kind = MU_REGISTER_IMAGE, .name = "next" };
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	size_t length = strlen(session.endpoint.name);
	int ready[2], fd;
	pid_t pid;
	char byte;

	require(pipe(ready) == 0);
	fflush(stdout);
	pid = fork();
	if (pid > 0) {
		close(ready[1]);
		require(read(ready[0], &byte, 1) == 1);
		close(ready[0]);
		return pid;
	}
	close(go[1]);
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	memcpy(address.sun_path + 1, session.endpoint.name, length);
	if (connect(fd, (struct sockaddr *)&address,
		    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length)) < 0 ||
	    send(fd, &hello, sizeof(hello), MSG_NOSIGNAL) != sizeof(hello) ||
	    write(ready[1], "", 1) != 1)
		_exit(97);
	while (read(go[0], &byte, 1) > 0)
		;
	_exit(0);
}

static void note_ends(void)
{
	for (size_t i = 0; i < tree.processes.count; i++) {
		struct process *p = tree.processes.item[i];

		p->has_ended = p->pid != tree.root && process_is_dead(p);
	}
	tree_check_ends(&tree);
}

static void take_step(char step, pid_t pid)
{
	struct process *p;

	switch (step) {
	case 's': tree_scan(&tree); break;
	case 'r': registration_accept(&registration, session.endpoint.abstract_fd); break;
	case 'e': note_ends(); break;
	default:
		p = tree_watch(&tree, pid);
		require(tree_claim(&tree, p, false, geteuid()));
	}
}

/* Ends with the number of images that have been reported. STEPS: the collector looks at the slots
 * (s), the connections (r), the ends (e), or gives the successor a slot without a look (n); the
 * process leaves its image (l), or ends (d). */
static _Noreturn void play(const char *steps, enum trace_children children)
{
	struct rlimit limit;
	unsigned int k;
	int go[2];
	pid_t pid;

	begin(children);
	require(pipe2(go, O_CLOEXEC) == 0);
	k = (unsigned int)arena_claim(&session.arena);
	pid = start_successor(go);
	close(go[0]);
	announce(k, pid);
	for (const char *at = steps; *at; at++) {
		if (*at == 'd') {
			close(go[1]);
			require(waitpid(pid, NULL, 0) == pid);
		} else if (*at == 'l') {
			session.arena.slot[k].state = MU_SLOT_LEFT;
		} else {
			take_step(*at, pid);
		}
	}
	/* Without a descriptor it is not known whether anybody uses the slot. */
	require(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	require(setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 0, limit.rlim_max }) == 0);
	retired_slots_free(&tree, true);
	require(session.arena.slot[k].state == MU_SLOT_ENDED);
	require(setrlimit(RLIMIT_NOFILE, &limit) == 0);
	retired_slots_free(&tree, true);
	require(session.arena.slot[k].state == MU_SLOT_FREE);
	endpoint_close(&session.endpoint);
	_exit((int)tree.report.images);
}

/* A collector cannot begin twice in one process. */
static void check_order(const char *steps, enum trace_children children, const char *text)
{
	int status = -1;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0)
		play(steps, children);
	waitpid(pid, &status, 0);
	OK(WIFEXITED(status) && WEXITSTATUS(status) == 1,
	   "%s, %s: the image is reported once, not %d times", steps, text,
	   WEXITSTATUS(status));
}

int main(void)
{
	/* Every order in which slots and connections can be seen. */
	static const char *const orders[] = {
		"srdse", "rdse", "rsdse", "rsedse", "drse", "dsre", "serdse", "dserse", "nsdse", "nsrdse",
		"lsrdse", "slsrdse", "lrsdse", "ldsre", "dlse", "ldse",
	};

	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++) {
		check_order(orders[i], TRACE_YES, "the successor recorded");
		check_order(orders[i], TRACE_NO, "the successor ignored");
	}
	return done_testing();
}
