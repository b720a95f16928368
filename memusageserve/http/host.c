/* host.c -- Whether the name by which a browser reached us is ours.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memusageserve/http/host.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

enum { NAME_MAX_LENGTH = 255 };

/* Copies the host of "HOST:PORT" or "[HOST]:PORT". Returns false if that is not its form. */
static bool copy_host(char name[NAME_MAX_LENGTH + 1], const char *header)
{
	const bool has_brackets = *header == '[';
	const char *begin = header + has_brackets;
	const size_t length = strcspn(begin, has_brackets ? "]" : ":");
	const char *rest = begin + length;

	if (has_brackets && *rest++ != ']')
		return false;
	if (length == 0 || length > NAME_MAX_LENGTH || (*rest != '\0' && *rest != ':') ||
	    (*rest == ':' && rest[1 + strspn(rest + 1, "0123456789")] != '\0'))
		return false;
	memcpy(name, begin, length);
	name[length] = '\0';
	return true;
}

static bool is_address(const char *name)
{
	unsigned char address[sizeof(struct in6_addr)];

	return inet_pton(AF_INET, name, address) == 1 || inet_pton(AF_INET6, name, address) == 1;
}

bool host_is_ours(const char *header, const char *own)
{
	char name[NAME_MAX_LENGTH + 1];

	if (!header)
		return true;
	if (!copy_host(name, header))
		return false;
	return is_address(name) || strcasecmp(name, "localhost") == 0 ||
	       (own && strcasecmp(name, own) == 0);
}
