/* SPDX-License-Identifier: BSD-2-Clause */
#include "lib/resolve/result.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/base/mem.h"

static int set_address(const union addr *from, struct sockaddr **addr, socklen_t *len)
{
	socklen_t bytes = addr_len(from);

	*addr = vbm_mem_dup(from, bytes);
	if (!*addr)
		return -ENOMEM;
	*len = bytes;
	return 0;
}

int vbm_result_set_src(struct rdma_addrinfo *ai, const union addr *a)
{
	return set_address(a, &ai->ai_src_addr, &ai->ai_src_len);
}

static bool is_there(const union addr *a)
{
	return a && addr_is_set(a);
}

static int fill_entry(struct rdma_addrinfo *ai, const union addr *src, const union addr *dst,
		      const char *canon)
{
	char **name = is_there(dst) ? &ai->ai_dst_canonname : &ai->ai_src_canonname;

	if (is_there(src)) {
		ai->ai_family = src->sa.sa_family;
		if (set_address(src, &ai->ai_src_addr, &ai->ai_src_len))
			return -ENOMEM;
	}
	if (is_there(dst)) {
		ai->ai_family = dst->sa.sa_family;
		if (set_address(dst, &ai->ai_dst_addr, &ai->ai_dst_len))
			return -ENOMEM;
	}
	if (!canon)
		return 0;
	*name = vbm_mem_strdup(canon);
	return *name ? 0 : -ENOMEM;
}

struct rdma_addrinfo *vbm_result_new(const struct gai_query *q, const union addr *src,
				     const union addr *dst, const char *canon)
{
	struct rdma_addrinfo *ai = vbm_mem_zalloc(sizeof(*ai));

	if (!ai)
		return NULL;
	ai->ai_flags = q->flags;
	ai->ai_qp_type = q->qp_type;
	ai->ai_port_space = q->port_space;
	if (!fill_entry(ai, src, dst, canon))
		return ai;
	vbm_result_free(ai);
	return NULL;
}

/* Most entries lack half of their parts, and this is a part of each numeric translation. */
static void free_part(void *part)
{
	if (part)
		free(part);
}

void vbm_result_free(struct rdma_addrinfo *list)
{
	while (list) {
		struct rdma_addrinfo *next = list->ai_next;

		free_part(list->ai_src_addr);
		free_part(list->ai_dst_addr);
		free_part(list->ai_src_canonname);
		free_part(list->ai_dst_canonname);
		free_part(list->ai_route);
		free_part(list->ai_connect);
		free(list);
		list = next;
	}
}
