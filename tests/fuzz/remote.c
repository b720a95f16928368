/* remote.c -- whatever a collector answers `memusage --pid`, and the process does while it is
 * looked at, the client stays within what it was given and comes to an end.
 *
 * Input: what the answer is like, the number of a scene, how many changes come before, what is
 * asked for; the answer's fields; then changes (struct moving_change) of 4 bytes. Those before are
 * at places of the arena that is handed out; each of the rest is what the process does while the
 * client sleeps. One whose value is 255 serves what was asked for.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memusage/common/fd_passing.h"
#include "memusage/record/live_snapshot.h"
#include "memusage/remote/collector_socket.h"
#include "tests/fuzz/moving.h"
#include "tests/fuzz/scenes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const unsigned int replay_mutations;
const unsigned int replay_mutations = 60;

enum {
	HEADER = 16,
	CHANGES_MAX = 128,
	KEPT_MAX = 64 << 20,	/* bytes that a snapshot of any scene may take */
	SERVE = 255
};

enum answer_bit { ANSWER_RAW = 1, ANSWER_SHORT = 2, ANSWER_OTHER_FILE = 4, ANSWER_TWO = 8,
		  ANSWER_LONG_TEXT = 16, ANSWER_SLOT = 32 };

static const uint8_t *scene;
static struct live played;

/* The process has a moment for itself. */
static void play_process(void)
{
	const struct moving_change *c = &moving.change[moving.next];
	struct mu_image *im = played.shared;

	if (moving.next == moving.changes)
		return;
	moving.next++;
	if (c->value != SERVE)
		moving_apply((size_t)c->where * 16 + (c->how & 128 ? 8 : 0), c);
	else if (im)
		__atomic_store_n(&im->served_serial, im->request_serial, __ATOMIC_RELEASE);
}

/* In the place of libc's: the client waits for nothing but this. */
int nanosleep(const struct timespec *wanted, struct timespec *left)
{
	(void)wanted;
	(void)left;
	play_process();
	return 0;
}

static int play_arena(unsigned int number, uint8_t **memory)
{
	size_t length;
	int fd = memfd_create("memusage", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	scene = scenes_get(number, &length);
	if (fd < 0 || ftruncate(fd, (off_t)length) < 0 ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) < 0)
		abort();
	*memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (*memory == MAP_FAILED)
		abort();
	memcpy(*memory, scene, length);
	moving.base = *memory;
	moving.size = length;
	moving.origin = scene;
	return fd;
}

/* ---- the collector ----------------------------------------------------------------------- */

static size_t play_answer(struct control_answer *a, const uint8_t *data, size_t size)
{
	size_t length = offsetof(struct control_answer, text);

	*a = (struct control_answer){ .magic = CONTROL_MAGIC, .version = CONTROL_VERSION,
				      .status = data[4] % 8, .pid = getpid(), .number = 1,
				      .slot = data[0] & ANSWER_SLOT ? data[5] : 0,
				      .generation = data[6] };
	if (data[0] & ANSWER_RAW)
		memcpy(a, data + HEADER, size - HEADER < sizeof(*a) ? size - HEADER : sizeof(*a));
	if (data[0] & ANSWER_LONG_TEXT)
		memset(a->text, '-', sizeof(a->text));
	memcpy(&a->text_length, data + 8, sizeof(a->text_length));
	length += a->text_length % (CONTROL_TEXT + 1);
	return data[0] & ANSWER_SHORT ? data[7] : length;
}

static void play_collector(int connection, int arena, const uint8_t *data, size_t size)
{
	static struct control_answer a;
	size_t length = play_answer(&a, data, size);
	int other = data[0] & ANSWER_OTHER_FILE ? open("/dev/null", O_RDWR | O_CLOEXEC) : -1;

	if (data[0] & ANSWER_TWO)
		fd_passing_send(connection, &a, length, -1, MSG_DONTWAIT);
	fd_passing_send(connection, &a, length, other >= 0 ? other : arena, MSG_DONTWAIT);
	if (other >= 0)
		close(other);
}

/* ---- the client -------------------------------------------------------------------------- */

static void play_shots(bool detailed, bool is_final)
{
	struct mu_snapshot one = { .value_count = 4, .values = 64 };
	int fd = memfd_create("shot", MFD_CLOEXEC);
	struct live_snapshots s = { .count = 0 };
	struct mu_error err;
	struct stat st;

	played.is_final = is_final;
	if (live_snapshot_take(&s, &played, detailed, &err) == 0)
		live_snapshot_save(&s, &played, 1, fd, &err);
	live_snapshot_free(&s);
	if (live_snapshot_copy_all(&s, &played, &err) == 0)
		live_snapshot_save(&s, &played, 1, fd, &err);
	live_snapshot_free(&s);
	if (live_snapshot_copy_one(&s, &played, &one, &err) == 0)
		live_snapshot_save(&s, &played, 1, fd, &err);
	live_snapshot_free(&s);
	if (fstat(fd, &st) == 0 && st.st_size > KEPT_MAX)
		abort();
	close(fd);
}

static void play_client(int arena, const struct control_answer *a, uint8_t what)
{
	struct mu_error err;

	if (live_open(&played, arena, a->slot, a->generation, &err) == 0) {
		live_is_current(&played);
		if (live_request(&played, what % 5) == LIVE_STUCK)
			live_withdraw(&played, what % 5);
		live_is_quiet(&played);
		play_shots(what & 8, what & 16);
	}
	live_close(&played);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct moving_change change[CHANGES_MAX];
	static struct control_answer heard;
	int pair[2], arena, got = -1;
	size_t changes, before;
	uint8_t *memory;

	if (size < HEADER ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0)
		return 0;
	changes = (size - HEADER) / sizeof(*change);
	changes = changes < CHANGES_MAX ? changes : CHANGES_MAX;
	memcpy(change, data + HEADER, changes * sizeof(*change));
	before = data[2] < changes ? data[2] : changes;
	arena = play_arena(data[1], &memory);
	for (size_t i = 0; i < before; i++)
		moving_apply((size_t)change[i].where * 16 + (change[i].how & 128 ? 8 : 0),
			     &change[i]);
	moving.change = change;
	moving.changes = changes;
	moving.next = before;
	play_collector(pair[0], arena, data, size);
	if (collector_socket_receive(&heard, pair[1], &got)) {
		/* What is behind the length is none of the answer. */
		if (heard.text_length >= CONTROL_TEXT)
			abort();
		if (got >= 0)
			play_client(got, &heard, data[3]);
	}
	if (got >= 0)
		close(got);
	munmap(memory, moving.size);
	close(arena);
	close(pair[0]);
	close(pair[1]);
	return 0;
}
