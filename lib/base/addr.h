/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef VBM_LIB_BASE_ADDR_H
#define VBM_LIB_BASE_ADDR_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include <infiniband/ib.h>

/* An address of one of the three families. AF_UNSPEC: no address. */
union addr {
	struct sockaddr sa;
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	struct sockaddr_ib ib;
};

/*
 * The size of the family's sockaddr; 0 for AF_UNSPEC and for families that the library
 * does not know.
 */
socklen_t vbm_addr_family_len(int family);

static inline socklen_t addr_len(const union addr *a)
{
	return vbm_addr_family_len(a->sa.sa_family);
}

static inline bool addr_is_set(const union addr *a)
{
	return a->sa.sa_family != AF_UNSPEC;
}

void vbm_addr_set_in(union addr *a, uint32_t host_order, uint16_t port);
void vbm_addr_set_in6(union addr *a, const uint8_t bytes[16], uint16_t port);

/* Set the port; for AF_IB the service id of @port in @port_space. */
void vbm_addr_set_service(union addr *a, uint16_t port, int port_space);
uint16_t vbm_addr_port(const union addr *a);

/* The GID that carries the address on RoCE. An IPv4 address becomes an IPv4-mapped one. */
void vbm_addr_to_gid(const union addr *a, uint8_t gid[16]);

/* The reverse: AF_INET or AF_INET6, or AF_IB with @ib. */
void vbm_addr_from_gid(union addr *a, const uint8_t gid[16], bool ib);

/* A growing list of addresses. */
struct addr_list {
	union addr *item;	/* owned */
	size_t count, room;
};

/* 0 or -ENOMEM. */
int vbm_addr_list_add(struct addr_list *list, const union addr *a);
void vbm_addr_list_clear(struct addr_list *list);

enum literal {
	LITERAL_ADDRESS,	/* *out is set, port 0 */
	LITERAL_NAME,		/* may be a host's name */
	LITERAL_NEITHER,	/* is neither an address nor a possible name */
	LITERAL_FAILED,		/* looking up its scope failed, see errno */
};

/*
 * Reads @node: dotted-decimal IPv4 of four parts, IPv6 with an optional scope, or text
 * that may be a host's name. The old short, octal and hexadecimal notations of IPv4 are
 * LITERAL_NEITHER, so no name server is asked about them or about other numbers with dots.
 *
 * The function asks the kernel only about a scope that is a name: an interface of that
 * name must exist.
 */
enum literal vbm_literal_read(const char *node, union addr *out);

#endif
