/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/base/addr.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <endian.h>
#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <rdma/rdma_cma.h>

#include "lib/base/fail.h"
#include "lib/base/mem.h"

static const uint8_t mapped_prefix[12] = {[10] = 0xff, [11] = 0xff};

socklen_t vbm_addr_family_len(int family)
{
	switch (family) {
	case AF_INET:
		return sizeof(struct sockaddr_in);
	case AF_INET6:
		return sizeof(struct sockaddr_in6);
	case AF_IB:
		return sizeof(struct sockaddr_ib);
	}
	return 0;
}

void vbm_addr_set_in(union addr *a, uint32_t host_order, uint16_t port)
{
	memset(a, 0, sizeof(*a));
	a->in.sin_family = AF_INET;
	a->in.sin_addr.s_addr = htonl(host_order);
	a->in.sin_port = htons(port);
}

void vbm_addr_set_in6(union addr *a, const uint8_t bytes[16], uint16_t port)
{
	memset(a, 0, sizeof(*a));
	a->in6.sin6_family = AF_INET6;
	memcpy(&a->in6.sin6_addr, bytes, 16);
	a->in6.sin6_port = htons(port);
}

void vbm_addr_set_service(union addr *a, uint16_t port, int port_space)
{
	switch (a->sa.sa_family) {
	case AF_INET:
		a->in.sin_port = htons(port);
		break;
	case AF_INET6:
		a->in6.sin6_port = htons(port);
		break;
	case AF_IB:
		a->ib.sib_sid = htobe64(((uint64_t)port_space << 16) + port);
		a->ib.sib_sid_mask = htobe64(RDMA_IB_IP_PS_MASK |
					     (port ? RDMA_IB_IP_PORT_MASK : 0));
		break;
	}
}

uint16_t vbm_addr_port(const union addr *a)
{
	switch (a->sa.sa_family) {
	case AF_INET:
		return ntohs(a->in.sin_port);
	case AF_INET6:
		return ntohs(a->in6.sin6_port);
	case AF_IB:
		return (uint16_t)be64toh(a->ib.sib_sid);
	}
	return 0;
}

void vbm_addr_to_gid(const union addr *a, uint8_t gid[16])
{
	memset(gid, 0, 16);
	switch (a->sa.sa_family) {
	case AF_INET:
		memcpy(gid, mapped_prefix, 12);
		memcpy(gid + 12, &a->in.sin_addr, 4);
		break;
	case AF_INET6:
		memcpy(gid, &a->in6.sin6_addr, 16);
		break;
	case AF_IB:
		memcpy(gid, a->ib.sib_addr.sib_raw, 16);
		break;
	}
}

void vbm_addr_from_gid(union addr *a, const uint8_t gid[16], bool ib)
{
	if (ib) {
		memset(a, 0, sizeof(*a));
		a->ib.sib_family = AF_IB;
		a->ib.sib_pkey = htobe16(0xffff);
		memcpy(a->ib.sib_addr.sib_raw, gid, 16);
	} else if (!memcmp(gid, mapped_prefix, 12)) {
		memset(a, 0, sizeof(*a));
		a->in.sin_family = AF_INET;
		memcpy(&a->in.sin_addr, gid + 12, 4);
	} else {
		vbm_addr_set_in6(a, gid, 0);
	}
}

int vbm_addr_list_add(struct addr_list *list, const union addr *a)
{
	if (list->count == list->room) {
		size_t room = list->room ? 2 * list->room : 4;
		union addr *item = vbm_mem_resize(list->item, room * sizeof(*item));

		if (!item)
			return -ENOMEM;
		list->item = item;
		list->room = room;
	}
	list->item[list->count++] = *a;
	return 0;
}

void vbm_addr_list_clear(struct addr_list *list)
{
	free(list->item);
	memset(list, 0, sizeof(*list));
}

#define NAME_MAX_LEN 253
#define LABEL_MAX_LEN 63

/* False with the errno of ioctl(2), which close(2) must not change. */
static bool ask_interface(unsigned long what, struct ifreq *r)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), ret, error;

	if (fd < 0)
		return false;
	ret = ioctl(fd, what, r);
	error = errno;
	close(fd);
	errno = error;
	return !ret;
}

/* Only an address that can exist on every link at the same time may have a scope. */
static bool may_name_interface(const struct in6_addr *a)
{
	return IN6_IS_ADDR_LINKLOCAL(a) || IN6_IS_ADDR_MC_NODELOCAL(a) ||
	       IN6_IS_ADDR_MC_LINKLOCAL(a);
}

/*
 * The scope is the name of an interface, or a number. RFC 4007 allows a number that no
 * interface has. Returns false for any other text, and also when the kernel could not be
 * asked; errno then has the cause.
 */
static bool read_scope(const char *scope, bool by_name, uint32_t *index)
{
	struct ifreq r = {0};
	uint64_t n = 0;

	errno = 0;
	if (by_name && strlen(scope) < IF_NAMESIZE) {
		memcpy(r.ifr_name, scope, strlen(scope));
		*index = ask_interface(SIOCGIFINDEX, &r) ? (uint32_t)r.ifr_ifindex : 0;
		if (*index || is_shortage(errno))
			return *index;
	}
	if (!*scope)
		return false;
	for (; *scope; scope++) {
		if (!isdigit((unsigned char)*scope))
			return false;
		n = 10 * n + (uint64_t)(*scope - '0');
		if (n > UINT32_MAX)
			return false;
	}
	*index = (uint32_t)n;
	return true;
}

static enum literal read_in6(const char *node, union addr *out)
{
	char text[INET6_ADDRSTRLEN];
	const char *percent = strchr(node, '%');
	size_t len = percent ? (size_t)(percent - node) : strlen(node);
	struct in6_addr in6;

	if (len >= sizeof(text))
		return LITERAL_NEITHER;
	memcpy(text, node, len);
	text[len] = '\0';
	if (inet_pton(AF_INET6, text, &in6) != 1)
		return LITERAL_NEITHER;
	vbm_addr_set_in6(out, in6.s6_addr, 0);
	if (percent && !read_scope(percent + 1, may_name_interface(&in6),
				   &out->in6.sin6_scope_id))
		return is_shortage(errno) ? LITERAL_FAILED : LITERAL_NEITHER;
	return LITERAL_ADDRESS;
}

/* Whether the label is a part of an IPv4 address in any notation. */
static bool is_number(const char *label, size_t len)
{
	size_t i = 0;

	if (len > 1 && label[0] == '0' && (label[1] | 0x20) == 'x') {
		for (i = 2; i < len && isxdigit((unsigned char)label[i]); i++)
			;
		return i == len;
	}
	while (i < len && isdigit((unsigned char)label[i]))
		i++;
	return i == len;
}

static bool label_is_sound(const char *label, size_t len)
{
	if (!len || len > LABEL_MAX_LEN)
		return false;
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)label[i];

		if (c <= ' ' || c >= 0x7f || c == '\\')
			return false;
	}
	return true;
}

/*
 * A node whose labels are all numbers is never a name: it is an IPv4 address in some
 * notation, or a wrong one.
 */
static bool name_is_sound(const char *node)
{
	size_t len = strnlen(node, NAME_MAX_LEN + 2);
	const char *label = node, *end;
	bool numbers = true;

	if (len && node[len - 1] == '.')
		len--;
	if (!len || len > NAME_MAX_LEN)
		return false;
	do {
		end = memchr(label, '.', (size_t)(node + len - label));
		if (!end)
			end = node + len;
		if (!label_is_sound(label, (size_t)(end - label)))
			return false;
		numbers = numbers && is_number(label, (size_t)(end - label));
		label = end + 1;
	} while (end < node + len);
	return !numbers;
}

/*
 * Reads four decimal numbers up to 255 without leading zeros into @in, in the host's byte
 * order: the text that inet_pton(3) takes, only faster. Returns the length, or 0 for other
 * text.
 */
static size_t literal_in(const char *text, uint32_t *in)
{
	const char *s = text;
	uint32_t bytes = 0;

	for (int part = 0; part < 4; part++) {
		unsigned int n = (unsigned int)*s - '0', digit;

		if (n > 9)
			return 0;
		while ((digit = (unsigned int)*++s - '0') <= 9) {
			if (!n)
				return 0;
			n = 10 * n + digit;
			if (n > 255)
				return 0;
		}
		bytes = bytes << 8 | n;
		if (*s != (part < 3 ? '.' : '\0'))
			return 0;
		s++;
	}
	*in = bytes;
	return (size_t)(s - text) - 1;
}

enum literal vbm_literal_read(const char *node, union addr *out)
{
	uint32_t in;

	out->sa.sa_family = AF_UNSPEC;
	if (literal_in(node, &in)) {
		vbm_addr_set_in(out, in, 0);
		return LITERAL_ADDRESS;
	}
	if (strchr(node, ':'))
		return read_in6(node, out);
	return name_is_sound(node) ? LITERAL_NAME : LITERAL_NEITHER;
}
