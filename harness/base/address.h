/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_BASE_ADDRESS_H
#define VBM_BASE_ADDRESS_H

#include <stdbool.h>

/* For messages. After an IPv6 address, %SCOPE may stand, too. */
#define ADDRESS_FORMS "IP, IP:PORT or [IP6]:PORT"

#define ADDRESS_SCOPE_MAX 16	/* with its NUL, as IF_NAMESIZE */

struct address {
	int family;			/* AF_INET or AF_INET6 */
	unsigned char ip[16];		/* network order */
	char scope[ADDRESS_SCOPE_MAX];	/* of an IPv6 address: an interface's name or number; "" */
	int port;			/* -1: none */
};

/*
 * The one reader of addresses in text; false when @text is none. Pure: the
 * caller finds out whether an interface has the scope's name.
 */
bool address_read(const char *text, struct address *address);

#endif
