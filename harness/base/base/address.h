/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_ADDRESS_H
#define VBM_BASE_ADDRESS_H

#include <stdbool.h>
#include <sys/socket.h>
#include <sys/un.h>

/* For messages. An IPv6 address may also end with %SCOPE. */
#define ADDRESS_FORMS "IP, IP:PORT or [IP6]:PORT"

#define ADDRESS_SCOPE_MAX 16	/* with its NUL, like IF_NAMESIZE */

struct address {
	int family;			/* AF_INET or AF_INET6 */
	unsigned char ip[16];		/* network order */
	char scope[ADDRESS_SCOPE_MAX];	/* of an IPv6 address: the name or number of an interface; or "" */
	int port;			/* -1: no port */
};

/*
 * The only reader of addresses in text. False when @text is not an address. Pure: the
 * caller checks whether the scope is an interface.
 */
bool address_read(const char *text, struct address *address);

/*
 * The abstract address of @name; *@len is its length. Such an address has no file. The
 * kernel gives it to one socket of a network namespace at a time, and frees it with the
 * socket. 0, or -ENAMETOOLONG, also for an empty name.
 */
int address_abstract(const char *name, struct sockaddr_un *sa, socklen_t *len);

#endif
