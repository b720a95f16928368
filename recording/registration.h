/* registration.h -- Registration of a recorder at its collector.
 *
 * A SOCK_SEQPACKET socket: abstract name first, then a path (an abstract name is not seen
 * from another network namespace, a path not from a chroot). The recorder sends one
 * struct mu_registration and gets one struct mu_registration_reply, with the segment's descriptor
 * attached (SCM_RIGHTS) if status is MU_REGISTER_RECORD. It maps it, then closes both.
 * Identity comes from the socket's credentials, never from the message.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

#define MU_REGISTER_MAGIC 0x4f4c4c48u /* "HLLO" */
#define MU_REGISTER_VERSION 1u

enum mu_registration_kind {
	MU_REGISTER_IMAGE = 1, /* a new image (start or exec) asks for a slot */
	MU_REGISTER_FORK = 2,  /* a parent that cannot map slots asks for one for its child */
	MU_REGISTER_MOVE = 3   /* a process that gives up root asks for a copy of its image */
};

struct mu_registration {
	uint32_t magic; /* MU_REGISTER_MAGIC */
	uint32_t version;
	uint32_t kind; /* enum mu_registration_kind */
	uint32_t pid;  /* as the sender sees itself */
	uint32_t slot; /* FORK: of the sender */
	uint32_t user; /* MOVE: the user that the sender is about to become */
	char name[256]; /* program_invocation_short_name, zero-terminated, for -n */
};

enum mu_registration_status {
	MU_REGISTER_RECORD = 0, /* slot and descriptor follow */
	MU_REGISTER_IGNORE = 1, /* not to be recorded (-n, --trace-children=no): do nothing */
	MU_REGISTER_FULL = 2,   /* no slot left: counted, do nothing */
	MU_REGISTER_REFUSED = 3 /* other version, other user */
};

struct mu_registration_reply {
	uint32_t magic;
	uint32_t status; /* enum mu_registration_status */
	uint32_t slot;	 /* state CLAIMED, zeroed */
	uint32_t reserved;
	uint64_t size; /* of the segment */
	uint64_t slots;
	uint64_t slot_size;
};
