/* stranger.c -- a user who means harm to collectors, and to root's `memusage --pid`.
 *
 *	stranger descriptors NAME COUNT [hello]
 *		Connects COUNT times to the collector at the abstract name NAME, and sends a question (or
 *		a hello) with two descriptors each time. Prints "answers ok=N denied=N none=N".
 *	stranger hello NAME
 *		Asks to be recorded. Prints "hello recorded", "hello refused" or "hello closed".
 *	stranger question NAME PID
 *		Asks for process PID. Prints "question status=N" or "question closed".
 *	stranger collector HOW REAL PID [WORD]...
 *		Answers, to whatever question, what the collector at REAL answers for process PID, with
 *		WORDs more among the options. HOW is what is wrong with it:
 *			words     nothing but them
 *			lines     what is said of the options has three lines
 *			silent    no descriptor
 *			twice     two descriptors
 *			short     a quarter of an answer
 *			long      a text that does not end
 *		With these REAL is not asked, and the memory is its own process's, which root may ask for:
 *			empty     there is no image
 *			unsealed  the memory can be cut, and is, once it is handed out
 *			wraps     the end of its slot lies beyond what 64 bits can say
 *			number    the slot's number is 2^32 - 1
 *			file      as unsealed, of a regular file
 *		Prints "ready" when it listens, and "asked by UID" for each question. Ends with its input.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "memusage/common/control_wire.h"
#include "recording/recording.h"
#include "recording/registration.h"

static socklen_t address_of(struct sockaddr_un *a, const char *name)
{
	*a = (struct sockaddr_un){ .sun_family = AF_UNIX };
	memcpy(a->sun_path + 1, name, strlen(name));
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name));
}

static int connected(const char *name)
{
	const struct timeval patience = { 10, 0 };
	struct sockaddr_un a;
	socklen_t length = address_of(&a, name);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (connect(fd, (struct sockaddr *)&a, length) == 0)
		return fd;
	printf("cannot connect to %s: %s\n", name, strerror(errno));
	exit(1);
}

static ssize_t send_with(int to, const void *data, size_t size, const int *fd, size_t count)
{
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(2 * sizeof(int))];
	} control = { .room = { 0 } };
	struct iovec part = { (void *)data, size };
	struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1 };

	if (count) {
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(count * sizeof(int));
		memcpy(CMSG_DATA(&control.header), fd, count * sizeof(int));
		m.msg_control = &control;
		m.msg_controllen = CMSG_SPACE(count * sizeof(int));
	}
	return sendmsg(to, &m, MSG_NOSIGNAL);
}

static struct control_question question_for(int pid)
{
	return (struct control_question){ .magic = CONTROL_MAGIC, .version = CONTROL_VERSION,
					  .pid = pid };
}

static struct mu_registration hello_of(void)
{
	return (struct mu_registration){ .magic = MU_REGISTER_MAGIC, .version = MU_REGISTER_VERSION,
				  .kind = MU_REGISTER_IMAGE, .name = "stranger",
				  .pid = (uint32_t)getpid() };
}

static void send_descriptors(const char *name, int count, int hello)
{
	struct control_question question = question_for(getpid());
	struct mu_registration image = hello_of();
	int two[2] = { open("/dev/null", O_RDONLY), open("/dev/null", O_RDONLY) };
	unsigned int ok = 0, denied = 0, none = 0;

	image.version = 77;
	for (int i = 0; i < count; i++) {
		static struct control_answer a;
		int fd = connected(name);
		ssize_t n;

		send_with(fd, hello ? (void *)&image : (void *)&question,
			  hello ? sizeof(image) : sizeof(question), two, 2);
		n = recv(fd, &a, sizeof(a), 0);
		none += n <= 0;
		denied += n > 0 && (hello || a.status == CONTROL_DENIED);
		ok += n > 0 && !hello && a.status != CONTROL_DENIED;
		close(fd);
	}
	printf("answers ok=%u denied=%u none=%u\n", ok, denied, none);
}

static void say_hello(const char *name)
{
	struct mu_registration image = hello_of();
	struct mu_registration_reply reply;
	int fd = connected(name);

	send(fd, &image, sizeof(image), MSG_NOSIGNAL);
	if (recv(fd, &reply, sizeof(reply), 0) != sizeof(reply))
		puts("hello closed");
	else
		puts(reply.status == MU_REGISTER_RECORD ? "hello recorded" : "hello refused");
}

static void ask(const char *name, int pid)
{
	struct control_question question = question_for(pid);
	static struct control_answer a;
	int fd = connected(name);

	send(fd, &question, sizeof(question), MSG_NOSIGNAL);
	if (recv(fd, &a, sizeof(a), 0) <= 0)
		puts("question closed");
	else
		printf("question status=%u\n", a.status);
}

/* ---- a collector that lies --------------------------------------------------------------- */

static struct control_answer answer;
static size_t answer_size;
static int arena = -1;

static void learn(const char *real, int pid)
{
	struct control_question question = question_for(pid);
	char room[64];
	struct iovec part = { &answer, sizeof(answer) };
	struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = room,
			    .msg_controllen = sizeof(room) };
	int fd = connected(real);

	send(fd, &question, sizeof(question), MSG_NOSIGNAL);
	if (recvmsg(fd, &m, 0) < 0 || answer.status != CONTROL_OK || !CMSG_FIRSTHDR(&m)) {
		printf("the collector answers %u\n", answer.status);
		exit(1);
	}
	memcpy(&arena, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(arena));
}

/* A header that is believed, SIZE bytes. */
static int forge(int fd, size_t size, struct mu_segment *head)
{
	if (ftruncate(fd, (off_t)size) < 0 || pwrite(fd, head, sizeof(*head), 0) < 0) {
		perror("forge");
		exit(1);
	}
	return fd;
}

static void add_words(char **word)
{
	for (; *word; word++) {
		strcpy(answer.text + answer.text_length, *word);
		answer.text_length += (uint32_t)strlen(*word) + 1;
	}
	answer_size = offsetof(struct control_answer, text) + answer.text_length;
}

static int is(const char *how, const char *name)
{
	return strcmp(how, name) == 0;
}

static int is_forged(const char *how)
{
	return is(how, "empty") || is(how, "unsealed") || is(how, "wraps") || is(how, "number") ||
	       is(how, "file");
}

/* What is asked for has it mapped: this program. */
static void make_memory(const char *how)
{
	struct mu_segment head = {
		.magic = MU_SEGMENT_MAGIC, .version = MU_VERSION, .header_size = sizeof(head),
		.kind = MU_KIND_TREE, .slot_count = 512, .slot_table = 4096, .slots = 1 << 20,
		.slot_size = 1 << 20,
	};
	size_t size = 64 << 20;

	answer = (struct control_answer){ .magic = CONTROL_MAGIC, .version = CONTROL_VERSION,
					  .pid = getpid(), .collector = getpid(), .number = 1,
					  .text_length = 1 };
	if (is(how, "wraps")) {
		head.slot_count = 1 << 16;
		head.slots = 6 << 20;
		head.slot_size = (UINT64_C(1) << 48) - 8;
		answer.slot = (1 << 16) - 1;
	}
	if (is(how, "number"))
		answer.slot = UINT32_MAX;
	arena = is(how, "file") ? open("cut", O_RDWR | O_CREAT, 0644) :
				  memfd_create("memusage", MFD_ALLOW_SEALING);
	forge(arena, size, &head);
	if (!is(how, "unsealed") && !is(how, "file"))
		fcntl(arena, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
	mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, arena, 0);
}

static void spoil(const char *how)
{
	if (is(how, "lines")) {
		strcpy(answer.text, "x\n$(touch made)\n");
		answer.text_length = (uint32_t)strlen(answer.text) + 1;
		answer_size = offsetof(struct control_answer, text) + answer.text_length;
	}
	if (is(how, "short"))
		answer_size = sizeof(answer) / 4;
	if (is(how, "long")) {
		memset(answer.text, 'x', sizeof(answer.text));
		answer.text_length = UINT32_MAX;
		answer_size = sizeof(answer);
	}
}

static void reply(int fd, const char *how)
{
	struct control_question question;
	struct ucred peer = { .uid = 0 };
	socklen_t length = sizeof(peer);
	int two[2] = { arena, arena };

	if (recv(fd, &question, sizeof(question), 0) != sizeof(question))
		return;
	getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length);
	printf("asked by %u\n", peer.uid);
	send_with(fd, &answer, answer_size, two, is(how, "twice") ? 2 : is(how, "silent") ? 0 : 1);
	if (is(how, "unsealed") || is(how, "file"))
		ftruncate(arena, 4096);
}

static void collect(const char *how, const char *real, int pid, char **words)
{
	struct sockaddr_un a;
	socklen_t length = address_of(&a, "memusage-0000001-0123456789abcdef");
	int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	struct pollfd p[2] = { { .fd = listener, .events = POLLIN }, { .events = POLLIN } };

	if (is_forged(how))
		make_memory(how);
	else
		learn(real, pid);
	add_words(words);
	spoil(how);
	if (bind(listener, (struct sockaddr *)&a, length) < 0 || listen(listener, 10) < 0) {
		perror("listen");
		exit(1);
	}
	puts("ready");
	while (poll(p, 2, -1) >= 0 && !p[1].revents) {
		int fd = accept(listener, NULL, NULL);

		/* Kept open, as a collector does. */
		if (fd >= 0)
			reply(fd, how);
	}
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc > 3 && is(argv[1], "descriptors"))
		send_descriptors(argv[2], atoi(argv[3]), argc > 4);
	else if (argc > 2 && is(argv[1], "hello"))
		say_hello(argv[2]);
	else if (argc > 3 && is(argv[1], "question"))
		ask(argv[2], atoi(argv[3]));
	else if (argc > 4 && is(argv[1], "collector"))
		collect(argv[2], argv[3], atoi(argv[4]), argv + 5);
	else
		return 2;
	return 0;
}
