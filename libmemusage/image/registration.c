/* registration.c -- one message to the collector, one reply with a descriptor.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "recording/registration.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include "libmemusage/base/sys.h"
#include "libmemusage/image/recorder.h"
#include "libmemusage/image/registration.h"

#define REPLY_SECONDS 5

static char collector[256]; /* "1:ABSTRACT:PATH" */

/* A process that takes the name of a collector that has died would own the memory that we write: so
 * only processes of our own user and of root are trusted. */
static bool is_trusted_peer(long fd)
{
	struct ucred peer = { .uid = (uid_t)-1 };
	socklen_t size = sizeof(peer);

	if (sys_failed(SYS5(SYS_getsockopt, fd, SOL_SOCKET, SO_PEERCRED, &peer, &size)) ||
	    (peer.uid != 0 && peer.uid != (uid_t)SYS1(SYS_geteuid, 0)))
		return false;
	rec.collector = (uint32_t)peer.pid;
	return true;
}

static int connect_to_address(struct sockaddr_un *address, size_t length)
{
	struct timeval patience = { REPLY_SECONDS, 0 };
	long fd = SYS3(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	if (sys_failed(fd))
		return (int)fd;
	SYS5(SYS_setsockopt, fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	SYS5(SYS_setsockopt, fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	long result = SYS3(SYS_connect, fd, address,
			   offsetof(struct sockaddr_un, sun_path) + length);
	if (!sys_failed(result) && is_trusted_peer(fd))
		return (int)fd;
	SYS1(SYS_close, fd);
	return sys_failed(result) ? (int)result : -EPERM;
}

/* Abstract name first; the path where that is in another network namespace. */
static int connect_to_collector(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const char *name = collector + 2;
	const char *colon = strncmp(collector, "1:", 2) ? NULL : strchr(name, ':');

	if (!colon || (size_t)(colon - name) >= sizeof(address.sun_path) - 1)
		return -EINVAL;
	memcpy(address.sun_path + 1, name, (size_t)(colon - name));
	int fd = connect_to_address(&address, 1 + (size_t)(colon - name));
	if (fd >= 0 || !colon[1] || strlen(colon + 1) >= sizeof(address.sun_path))
		return fd;
	memset(address.sun_path, 0, sizeof(address.sun_path));
	strcpy(address.sun_path, colon + 1);
	return connect_to_address(&address, strlen(colon + 1) + 1);
}

/* Takes what came with the reply: the descriptor, and who has sent it, as the process that listened
 * may have been the collector's parent. Returns the descriptor, or -1. Calls nothing, as
 * CMSG_NXTHDR() would. */
static int take_parts(const uint8_t *parts, size_t length)
{
	const struct cmsghdr *part;
	struct ucred sender;
	int segment = -1;

	for (size_t at = 0; at + sizeof(*part) <= length; at += CMSG_ALIGN(part->cmsg_len)) {
		part = (const struct cmsghdr *)(parts + at);
		if (part->cmsg_len < sizeof(*part) || part->cmsg_level != SOL_SOCKET)
			break;
		if (part->cmsg_type == SCM_RIGHTS && part->cmsg_len == CMSG_LEN(sizeof(int)))
			memcpy(&segment, CMSG_DATA(part), sizeof(segment));
		if (part->cmsg_type == SCM_CREDENTIALS &&
		    part->cmsg_len == CMSG_LEN(sizeof(sender))) {
			memcpy(&sender, CMSG_DATA(part), sizeof(sender));
			rec.collector = (uint32_t)sender.pid;
		}
	}
	return segment;
}

/* The reply and its descriptor; -errno on failure. There is room for one: CMSG_SPACE() is rounded
 * up, and the second of two would stay open in the program. */
static int receive_reply(int fd, struct mu_registration_reply *reply)
{
	union {
		uint8_t bytes[CMSG_SPACE(sizeof(struct ucred)) + CMSG_SPACE(sizeof(int))];
		struct cmsghdr header;
	} control;
	struct iovec part = { reply, sizeof(*reply) };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = control.bytes,
				  .msg_controllen = CMSG_SPACE(sizeof(struct ucred)) +
						    CMSG_LEN(sizeof(int)) };
	long got;

	do
		got = SYS3(SYS_recvmsg, fd, &message, MSG_CMSG_CLOEXEC);
	while (got == -EINTR);
	int segment = sys_failed(got) ? -1 : take_parts(control.bytes, message.msg_controllen);
	if (got == sizeof(*reply) && reply->magic == MU_REGISTER_MAGIC &&
	    reply->status == MU_REGISTER_RECORD && segment >= 0)
		return segment;
	if (segment >= 0)
		SYS1(SYS_close, segment);
	return -EPROTO;
}

/* Returns the segment's descriptor with the reply that came with it, or -errno. */
static int send_and_receive(int fd, uint32_t kind, uint32_t user,
			    struct mu_registration_reply *reply)
{
	struct mu_registration message = { .magic = MU_REGISTER_MAGIC,
					   .version = MU_REGISTER_VERSION,
					   .kind = kind,
					   .pid = sys_getpid(),
					   .slot = rec.slot,
					   .user = user };
	const int on = 1;
	long sent;

	strncpy(message.name, program_invocation_short_name, sizeof(message.name) - 1);
	SYS5(SYS_setsockopt, fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on));
	do
		sent = SYS6(SYS_sendto, fd, &message, sizeof(message), MSG_NOSIGNAL, 0, 0);
	while (sent == -EINTR);
	return sys_failed(sent) ? (int)sent : receive_reply(fd, reply);
}

/* Connects where there is room for one descriptor more: that of the segment. */
static int connect_with_spare_fd(void)
{
	int fd = connect_to_collector();
	long more = fd < 0 ? fd : SYS3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 0);

	if (!sys_failed(more))
		SYS1(SYS_close, more);
	if (fd >= 0 && sys_failed(more)) {
		SYS1(SYS_close, fd);
		fd = (int)more;
	}
	return fd;
}

/* Two descriptors are needed for a moment. Where the soft limit forbids them it is raised
 * for that moment. */
static int request_segment(uint32_t kind, uint32_t user, struct mu_registration_reply *reply)
{
	struct rlimit limit;
	bool raised = false;
	int fd = connect_with_spare_fd();

	if (fd == -EMFILE && !sys_failed(SYS4(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, &limit))) {
		struct rlimit more = { limit.rlim_cur + 16, limit.rlim_max };
		if (more.rlim_max < more.rlim_cur)
			more.rlim_max = more.rlim_cur;
		raised = !sys_failed(SYS4(SYS_prlimit64, 0, RLIMIT_NOFILE, &more, 0));
		fd = connect_with_spare_fd();
	}
	int segment = fd < 0 ? fd : send_and_receive(fd, kind, user, reply);
	if (fd >= 0)
		SYS1(SYS_close, fd);
	if (raised)
		SYS4(SYS_prlimit64, 0, RLIMIT_NOFILE, &limit, 0);
	return segment;
}

static bool request_slot(uint32_t kind, struct slot *slot)
{
	struct mu_registration_reply reply;
	int segment = request_segment(kind, 0, &reply);

	if (segment < 0)
		return false;
	slot->index = reply.slot;
	bool mapped = slot_map(segment, reply.size, reply.slots, reply.slot_size, slot);
	if (mapped)
		slot_note_claim(slot);
	SYS1(SYS_close, segment);
	return mapped;
}

bool registration_new_image(const char *address, struct slot *slot)
{
	if (strlen(address) >= sizeof(collector))
		return false;
	strcpy(collector, address);
	return request_slot(MU_REGISTER_IMAGE, slot);
}

void registration_meet_collector(void)
{
	int fd = collector[0] ? connect_to_collector() : -ENOENT;

	if (fd >= 0)
		SYS1(SYS_close, fd);
}

bool registration_for_fork(struct slot *slot)
{
	return collector[0] && request_slot(MU_REGISTER_FORK, slot);
}

int registration_move_image(uint32_t user, const struct image_maps *maps, uint32_t *index)
{
	struct mu_registration_reply reply;
	int segment = collector[0] ? request_segment(MU_REGISTER_MOVE, user, &reply) : -ENOENT;

	if (segment < 0)
		return segment;
	*index = reply.slot;
	if (reply.slots == maps->header && reply.slot_size == maps->segment->slot_size)
		return segment;
	SYS1(SYS_close, segment);
	return -EPROTO;
}
