/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_NET_IP_H
#define VBM_NET_IP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/* IP addresses and networks: text, comparison, sets. Pure. */

/* A network or, with len 32 or 128, one address. */
struct ip_prefix {
	int family;		/* AF_INET, AF_INET6; AF_UNSPEC: no address */
	int len;
	uint8_t addr[16];	/* network order */
};

#define IP_TEXT_MAX 52		/* "ADDRESS/LEN" */

bool ip_parse(const char *text, struct ip_prefix *prefix);
/* The text has no "/LEN" when the prefix is a single address. */
const char *ip_format(const struct ip_prefix *prefix, char text[IP_TEXT_MAX]);
/* The address with @port, for the calls of sockets; returns its length. */
socklen_t ip_sockaddr(const struct ip_prefix *ip, int port, struct sockaddr_storage *ss);
bool ip_equal(const struct ip_prefix *a, const struct ip_prefix *b);
bool ip_overlap(const struct ip_prefix *a, const struct ip_prefix *b);

/* The networks that the machine already uses. */
struct ip_set {
	struct ip_prefix *items;	/* owned */
	size_t count;
};

void ip_set_add(struct ip_set *set, const struct ip_prefix *prefix);
void ip_set_fini(struct ip_set *set);

#endif
