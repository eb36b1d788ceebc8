/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/resolve/locals.h"

#include <errno.h>
#include <linux/if_addr.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/mem.h"

#define MOST_ERRNO 4095
#define DATAGRAM 8192	/* the kernel sends messages of this size even to a reader with a smaller buffer */

static struct local *add_local(struct locals *l)
{
	if (l->count == l->room) {
		size_t room = l->room ? 2 * l->room : 16;
		struct local *item = vbm_mem_resize(l->item, room * sizeof(*item));

		if (!item)
			return NULL;
		l->item = item;
		l->room = room;
	}
	return memset(&l->item[l->count], 0, sizeof(*l->item));
}

static void take_address(struct local *a, const struct ifaddrmsg *m, const uint8_t *bytes)
{
	uint32_t in;

	if (m->ifa_family == AF_INET) {
		memcpy(&in, bytes, sizeof(in));
		vbm_addr_set_in(&a->addr, ntohl(in), 0);
	} else {
		vbm_addr_set_in6(&a->addr, bytes, 0);
		a->addr.in6.sin6_scope_id = m->ifa_index;
	}
}

static size_t width(int family)
{
	return family == AF_INET ? 4 : family == AF_INET6 ? 16 : 0;
}

/* On a point-to-point link IFA_ADDRESS is the address of the other end. */
static void take_attributes(struct local *a, const struct ifaddrmsg *m,
			    const uint8_t *at, size_t left)
{
	uint32_t flags = m->ifa_flags;
	bool local = false;

	while (left >= sizeof(struct rtattr)) {
		struct rtattr head;
		size_t room;

		memcpy(&head, at, sizeof(head));
		if (head.rta_len < sizeof(head) || head.rta_len > left)
			break;
		room = head.rta_len - sizeof(head);
		if (head.rta_type == IFA_FLAGS && room >= sizeof(flags))
			memcpy(&flags, at + sizeof(head), sizeof(flags));
		if (room >= width(m->ifa_family) && !local &&
		    (head.rta_type == IFA_LOCAL || head.rta_type == IFA_ADDRESS)) {
			take_address(a, m, at + sizeof(head));
			local = head.rta_type == IFA_LOCAL;
		}
		room = RTA_ALIGN(head.rta_len);
		at += room < left ? room : left;
		left -= room < left ? room : left;
	}
	a->index = m->ifa_index;
	a->prefix = m->ifa_prefixlen;
	a->deprecated = flags & IFA_F_DEPRECATED;
	a->home = flags & IFA_F_HOMEADDRESS;
}

static int take_message(struct locals *l, const uint8_t *body, size_t len)
{
	struct ifaddrmsg m;
	struct local *a;

	if (len < sizeof(m))
		return 0;
	memcpy(&m, body, sizeof(m));
	if (!width(m.ifa_family))
		return 0;
	a = add_local(l);
	if (!a)
		return -ENOMEM;
	take_attributes(a, &m, body + sizeof(m), len - sizeof(m));
	if (addr_is_set(&a->addr))
		l->count++;
	return 0;
}

/* Both messages that end an answer begin with an error number, or 0. */
static int error_in(const uint8_t *body, size_t len)
{
	int error = 0;

	if (len >= sizeof(error))
		memcpy(&error, body, sizeof(error));
	return error < 0 && error >= -MOST_ERRNO ? error : 0;
}

int vbm_locals_parse(struct locals *l, const void *datagram, size_t len)
{
	const uint8_t *at = datagram;

	while (len >= sizeof(struct nlmsghdr)) {
		struct nlmsghdr head;
		size_t room, body;

		memcpy(&head, at, sizeof(head));
		if (head.nlmsg_len < sizeof(head) || head.nlmsg_len > len)
			return 0;
		body = head.nlmsg_len - sizeof(head);
		if (head.nlmsg_type == NLMSG_DONE || head.nlmsg_type == NLMSG_ERROR)
			return error_in(at + sizeof(head), body);
		if (head.nlmsg_type == RTM_NEWADDR && take_message(l, at + sizeof(head), body))
			return -ENOMEM;
		room = NLMSG_ALIGN(head.nlmsg_len);
		at += room < len ? room : len;
		len -= room < len ? room : len;
	}
	return 1;
}

/* The kernel writes its answer during these calls, so nothing waits. */
static int dump(struct locals *l, int fd)
{
	struct {
		struct nlmsghdr head;
		struct ifaddrmsg m;
	} ask = {
		.head.nlmsg_len = sizeof(ask),
		.head.nlmsg_type = RTM_GETADDR,
		.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
	};
	char datagram[DATAGRAM];
	int more = 1;

	if (send(fd, &ask, sizeof(ask), 0) < 0)
		return -errno;
	while (more > 0) {
		ssize_t n = recv(fd, datagram, sizeof(datagram), MSG_DONTWAIT);

		if (n < 0)
			return -errno;
		more = vbm_locals_parse(l, datagram, (size_t)n);
	}
	return more;
}

int vbm_locals_read(struct locals *l)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE), ret;

	memset(l, 0, sizeof(*l));
	if (fd < 0)
		return -errno;
	ret = dump(l, fd);
	close(fd);
	if (ret)
		vbm_locals_clear(l);
	return ret;
}

void vbm_locals_clear(struct locals *l)
{
	free(l->item);
	memset(l, 0, sizeof(*l));
}

bool vbm_local_is(const struct local *l, const union addr *a)
{
	const union addr *known = &l->addr;
	uint32_t scope;

	if (known->sa.sa_family != a->sa.sa_family)
		return false;
	if (a->sa.sa_family == AF_INET)
		return known->in.sin_addr.s_addr == a->in.sin_addr.s_addr;
	scope = a->in6.sin6_scope_id;
	return (!scope || scope == known->in6.sin6_scope_id) &&
	       !memcmp(&known->in6.sin6_addr, &a->in6.sin6_addr, 16);
}

const struct local *vbm_locals_find(const struct locals *l, const union addr *a)
{
	for (size_t i = 0; i < l->count; i++)
		if (vbm_local_is(&l->item[i], a))
			return &l->item[i];
	return NULL;
}
