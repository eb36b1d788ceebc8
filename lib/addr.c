/* SPDX-License-Identifier: BSD-2-Clause */
#include "addr.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rdma/rdma_cma.h>

#include "mem.h"

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
