/* LDLIBS: -pthread */
/* own_files.c -- a process that has a file open in a file system of its own (FUSE): `own_files DIR
 * [silent | gone]`.
 *
 * One of its threads answers the kernel, also when a copy of the process closes the file. If it is
 * silent the file is mapped, and who reads that mapping never gets an answer; if it is gone the
 * mapping is all that is left of the file system. Says "ready", and allocates until its standard
 * input ends; then "closed=N", how often it was told of a close. "refused: WHY" if it may not mount.
 *
 * Source  Linux, include/uapi/linux/fuse.h.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/lib/workload.h"

enum { ROOT = 1, OUR_FILE = 2, REPLY_MOST = 512, REQUEST_MOST = 1 << 18 };

static int device;
static volatile int closed;

static void reply(uint64_t request, int error, const void *data, size_t size)
{
	char text[REPLY_MOST];
	struct fuse_out_header head = { .len = (uint32_t)(sizeof(head) + size), .error = error,
					.unique = request };

	memcpy(text, &head, sizeof(head));
	if (size > 0)
		memcpy(text + sizeof(head), data, size);
	if (write(device, text, head.len) < 0 && errno != ENOENT)
		_exit(98);
}

static struct fuse_attr attributes(uint64_t of)
{
	return (struct fuse_attr){ .ino = of, .nlink = 1, .blksize = 4096, .size = 4096,
				   .mode = of == ROOT ? S_IFDIR | 0755 : S_IFREG | 0644 };
}

static void answer(const struct fuse_in_header *h)
{
	const struct fuse_init_out begin = { .major = 7, .minor = 31, .max_write = 4096,
					     .max_readahead = 4096 };
	const struct fuse_entry_out entry = { .nodeid = OUR_FILE, .attr_valid = 100,
					      .entry_valid = 100, .attr = attributes(OUR_FILE) };
	const struct fuse_attr_out attr = { .attr_valid = 100, .attr = attributes(h->nodeid) };
	const struct fuse_open_out open = { .fh = 1 };

	switch (h->opcode) {
	case FUSE_INIT:
		return reply(h->unique, 0, &begin, sizeof(begin));
	case FUSE_LOOKUP:
		return reply(h->unique, 0, &entry, sizeof(entry));
	case FUSE_GETATTR:
		return reply(h->unique, 0, &attr, sizeof(attr));
	case FUSE_OPEN:
		return reply(h->unique, 0, &open, sizeof(open));
	case FUSE_FLUSH:
		closed++;
		return reply(h->unique, 0, NULL, 0);
	case FUSE_RELEASE:
		return reply(h->unique, 0, NULL, 0);
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
	case FUSE_READ:
		return;
	default:
		return reply(h->unique, -ENOSYS, NULL, 0);
	}
}

static void *serve(void *unused)
{
	static _Alignas(8) char request[REQUEST_MOST];

	for (;;) {
		if (read(device, request, sizeof(request)) > 0)
			answer((const struct fuse_in_header *)(const void *)request);
		else if (errno != EINTR && errno != ENOENT)
			return unused;
	}
}

/* The mount is in a namespace of its own, and ends with the process. */
static int mount_at(const char *directory)
{
	char options[128];

	device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", device);
	return device < 0 || unshare(CLONE_NEWNS) < 0 ||
			       mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ?
		       -1 :
		       mount("own_files", directory, "fuse", 0, options);
}

int main(int argc, char **argv)
{
	static void *volatile lost;
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	pthread_t thread;
	char path[4096];
	bool is_gone;
	int file;

	if (argc < 2 || mount_at(argv[1]) < 0) {
		say("refused: %s", strerror(errno));
		return 0;
	}
	snprintf(path, sizeof(path), "%s/file", argv[1]);
	if (pthread_create(&thread, NULL, serve, NULL) != 0 || (file = open(path, O_RDONLY)) < 0)
		return 99;
	if (argc > 2 && mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0) == MAP_FAILED)
		return 99;
	is_gone = argc > 2 && strcmp(argv[2], "gone") == 0;
	if (is_gone) {
		close(file);
		umount2(argv[1], MNT_DETACH);
		pthread_cancel(thread);
		pthread_join(thread, NULL);
	}
	lost = malloc(1000);
	lost = NULL;
	say("ready");
	fflush(stdout);
	for (unsigned int turn = 0; poll(&in, 1, 1) == 0; turn++)
		free(malloc(turn % 5000));
	/* At its end nothing would answer. */
	if (!is_gone)
		close(file);
	say("closed=%d", closed);
	fflush(stdout);
	if (!is_gone)
		umount2(argv[1], MNT_DETACH);
	_exit(0);
}
